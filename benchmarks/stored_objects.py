"""Objects of a run in object storage, and requests of its page: `python -m benchmarks.stored_objects
STORE`.

STORE is restored into a place that counts requests as object storage does, but answers at once.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from app.config.settings import Settings
from app.server.factory import create_app
from benchmarks.report import check, note
from services.store.backup import back_up
from services.store.restore import restore
from storage.repository import Repository
from tests.support.dash_client import DashClient

_OBJECTS_BUDGET = 1.1
"""Budget of objects per run."""
_REQUESTS_BUDGET = 3
"""Budget of requests for the page of a run whose frames are in no cache."""
_READS = ("read", "read_range", "size")
"""Methods of `Files` that are a request each."""


@contextmanager
def _count_requests(repository: Repository) -> Iterator[list[str]]:
    """Yield a list that gets an entry for each request of a repository for its frames."""
    requests: list[str] = []
    files = repository.store.files
    for name in _READS:
        setattr(files, name, _count_calls(requests, getattr(files, name)))
    try:
        yield requests
    finally:
        for name in _READS:
            delattr(files, name)


def _count_calls(requests: list[str], read: Callable[..., object]) -> Callable[..., object]:
    """Return a function that adds an entry to `requests` and then reads."""

    def count_and_read(*place: object) -> object:
        requests.append(str(place))
        return read(*place)

    return count_and_read


def run(store: Path, work: Path) -> None:
    """Print objects per run, and requests of the first page of each run, with their budgets."""
    source = Settings(data=store).repository()
    back_up(source, work / "store.tar")
    source.catalogue.close()
    settings = Settings(data=work / "remote", frames_url=f"memory://{work}/frames")
    target = settings.repository()
    restore(target, work / "store.tar")
    objects = sum(1 for _ in target.store.files.walk())
    target.catalogue.close()
    app = create_app(settings)
    repository: Repository = app.server.extensions["tilescope"].repository
    runs = repository.catalogue.runs()
    check("objects per run", objects / len(runs), _OBJECTS_BUDGET, "objects")
    pages = DashClient(app)
    counts = {}
    with _count_requests(repository) as requests:
        for stored in runs:
            repository.cache.clear()
            requests.clear()
            pages.open(f"/run/{stored.run_id}")
            pages.drawn(stored.run_id)
            counts[str(stored.run["name"])] = len(requests)
    name = max(counts, key=counts.__getitem__)
    note(f"requests of a run's page, median of {len(runs)} runs: {median(counts.values()):.3g}")
    check(f"requests of a run's page, most ({name})", counts[name], _REQUESTS_BUDGET, "requests")


def main() -> None:
    """Measure the store that the command line names."""
    with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as folder:
        run(Path(sys.argv[1]).resolve(), Path(folder))


if __name__ == "__main__":
    main()
