"""Processor time of the status of many keys with stored verdicts: `python -m benchmarks.status`."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.many_runs import make_catalogue, many_runs
from benchmarks.report import check
from services.comparison.compare import Comparison
from services.status import rule_verdicts
from services.status.status import StatusCache
from storage.repository import Repository
from storage.rules import Rule, Rules
from storage.stored_run import StoredRun

RUNS = 20_000
KEYS = 400
BUDGET_S = 0.15
"""Budget of processor seconds for the first request."""
AGAIN_BUDGET_S = 0.02
"""Budget of processor seconds for later requests."""
_REPEATS = 5


def measure(runs: int = RUNS, keys: int = KEYS, repeats: int = _REPEATS) -> tuple[float, float]:
    """Return the median processor seconds of a process's first and later status requests."""
    with tempfile.TemporaryDirectory(prefix="tilescope-status-") as folder:
        settings = make_catalogue(Path(folder), 0)
        repository = settings.repository()
        repository.catalogue.insert_many(runs_of_keys(runs, keys))
        Rules(repository.catalogue).set(Rule("nightly", 10, "main"))
        rule_verdicts.compare = compare_as_unchanged  # type: ignore[attr-defined,assignment] # runs without frames
        # Stores the verdicts, which the measured requests then read.
        StatusCache(repository).status()
        first = []
        again = []
        for _ in range(repeats):
            # An empty cache, as a process has before its first request.
            answers = StatusCache(repository)
            first.append(_processor_s(answers))
            again.append(_processor_s(answers))
        return median(first), median(again)


def runs_of_keys(count: int, keys: int) -> Iterator[StoredRun]:
    """Yield `count` captures of `keys` keys in turn, equal in every call."""
    for rank, stored in enumerate(many_runs(count)):
        own = {
            "source": "aie",
            "hwid": f"npu{rank % keys}",
            "branch": "main",
            "commit": f"{rank:040x}",
            "tags": "",
        }
        sizes = (
            dict.fromkeys(("M", "K", "N"), 256)
            | dict.fromkeys(("m", "k", "n"), 32)
            | {"rows": 4, "cols": 4}
        )
        yield replace(
            stored, run=stored.run | own | sizes, headline=stored.headline | {"gmacs_mean": 100.0}
        )


def compare_as_unchanged(
    _repository: Repository, _base: list[str], _new: list[str], **_more: object
) -> Comparison:
    return Comparison("aie", [], [], [], [], [], "unchanged", [])


def _processor_s(answers: StatusCache) -> float:
    begin = time.process_time()
    answers.status()
    return time.process_time() - begin


def main() -> None:
    """Print both numbers with their budgets."""
    first, again = measure()
    what = f"status of {RUNS} runs in {KEYS} keys"
    check(f"{what}, processor", first, BUDGET_S, "s")
    check(f"{what}, again, processor", again, AGAIN_BUDGET_S, "s")


if __name__ == "__main__":
    main()
