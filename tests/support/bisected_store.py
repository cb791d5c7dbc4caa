"""A store with hand-made runs of some commits of a history."""

from collections.abc import Iterable, Sequence
from itertools import count

from services.store.annotate import annotate
from storage.annotations import Change
from storage.repository import Repository
from tests.support.runs import record_of, stored_of

COMMITS = [f"{at:02x}" * 20 for at in range(0x10, 0x31)]
"""Full hashes of 33 commits; the first is good and the last is bad."""
CULPRIT = 21
"""Position of the commit after which the rate is 10 % lower."""
RATES = (100.0, 90.0)
_RANKS = count(1)


def rate_of(position: int) -> float:
    """Return the true rate of a commit, in GMAC/s."""
    return RATES[position >= CULPRIT]


def add_run(repository: Repository, commit: str, value: float | None, **run: object) -> str:
    """Store a run of a commit, taken after all others, and return its id."""
    rank = next(_RANKS)
    taken = f"2026-11-{1 + rank // 1440:02d}T{rank // 60 % 24:02d}:{rank % 60:02d}:00+00:00"
    given = {
        "run_id": f"{rank:08x}" * 8,
        "hwid": "npu1",
        "commit": commit,
        "taken_at": taken,
        "created_at": taken,
    }
    record = record_of(rank, gmacs_mean=value, **given | run)
    repository.catalogue.create()
    repository.catalogue.insert_many([stored_of(record)])
    return str(record["run_id"])


def add_runs(repository: Repository, positions: Iterable[int]) -> list[str]:
    """Store a run of each commit at these positions, with a noise of 0.5 %."""
    return [
        add_run(repository, COMMITS[at], rate_of(at) * (1 + 0.005 * (-1) ** rank))
        for rank, at in enumerate(positions)
    ]


def tag_failed(repository: Repository, run_id: str) -> None:
    """Tag a run as failed, so that a bisection skips its commit."""
    annotate(repository.catalogue, run_id, Change(more_tags=("failed",)), "tests")


def write_list(path, commits: Sequence[str] = COMMITS):
    """Write a list of commits as `git log --oneline` does, the oldest first; return its path."""
    path.write_text("".join(f"{commit} subject of {commit[:7]}\n" for commit in commits))
    return path
