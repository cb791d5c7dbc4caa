"""Processor time of the page of trends over many runs.

`python -m benchmarks.trends [--database URL]`

Without the URL of an empty database the runs are in an SQLite file, which this process reads
itself. Each key is judged once. "first" is the first request to a process that has drawn the page
of another store before, as servers have.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import median

from app.config.settings import Settings
from app.context import AppContext
from app.pages.page import PageRequest
from app.pages.trends.page import layout
from app.server.render.process import LOOK_FOR_GARBAGE
from benchmarks.many_runs import many_runs
from benchmarks.measure import seconds
from benchmarks.report import check, note

RUNS = 100_000
BUDGET_S = 0.5
"""Budget of processor seconds for the first request."""
AGAIN_BUDGET_S = 0.25
"""Budget of processor seconds for later requests."""
_REPEATS = 5


def measure(settings: Settings, runs: int = RUNS, repeats: int = _REPEATS) -> dict[str, float]:
    """Return the processor seconds by request, as medians if repeated."""
    catalogue = settings.catalogue()
    catalogue.create()
    catalogue.insert_many(many_runs(runs))
    ranks = count(runs)

    def insert() -> AppContext:
        catalogue.insert_many(many_runs(1, next(ranks)))
        return AppContext.of(settings)

    def median_page_s(context: Callable[[], AppContext], query: str = "") -> float:
        return median(_page_s(context(), query) for _ in range(repeats))

    judged = _page_s(AppContext.of(settings))
    context = AppContext.of(settings)
    measured = {
        "judging every key": judged,
        "first": median_page_s(lambda: AppContext.of(settings)),
        "first, after another run": median_page_s(insert),
        "first, of one hwid": median_page_s(lambda: AppContext.of(settings), "hwid=npu3"),
        "first, searched for a twelfth": median_page_s(lambda: AppContext.of(settings), "q=npu7"),
        "first, searched for all": median_page_s(lambda: AppContext.of(settings), "q=npu"),
        "again": median(_page_s(context) for _ in range(repeats + 1)),
    }
    catalogue.close()
    return measured


def _page_s(context: AppContext, query: str = "") -> float:
    return seconds(lambda: layout(context, PageRequest(query, "light")))


def main() -> None:
    """Print the measurements, with their budgets if they have any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="", help="URL of an empty database")
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilescope-trends-") as folder:
        small = Settings(data=Path(folder) / "small")
        measure(small, 1_000, 1)
        gc.freeze()
        gc.set_threshold(*LOOK_FOR_GARBAGE)  # as render processes have it
        own = {"database_url": options.database} if options.database else {}
        measured = measure(Settings(data=Path(folder) / "large", **own), options.runs)
    what = f"trends, {options.runs:,} runs{' in a database' if options.database else ''}"
    note(f"{what}, judging every key: {measured.pop('judging every key'):.1f} s")
    for request, took in measured.items():
        budget = AGAIN_BUDGET_S if request == "again" else BUDGET_S
        check(f"{what}, {request}, processor", took, budget, "s")


if __name__ == "__main__":
    main()
