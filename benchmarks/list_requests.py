"""Requests for the list and the status of any number of runs in PostgreSQL, and the growth of their
processor time with that number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from benchmarks.database_processor import measure
from benchmarks.report import check, note
from benchmarks.simulated_runs import BASE, KEYS
from benchmarks.status import runs_of_keys
from services.status.status import StatusCache
from services.store.runs_list import RunQueries, RunsList
from storage.repository import Repository
from storage.run_query import EVERY_RUN, RunFilter, RunQuery
from storage.stored_run import StoredRun

_LIST_S, _STATUS_S, _AS_OF_S = 0.1, 0.3, 3.0
"""Budgets of processor seconds."""
_HALF_A_YEAR = datetime(2026, 6, 1, tzinfo=UTC)
"""Middle of the year over which `simulated_runs` spreads the runs: half of them are later."""
_MAX_EXPONENT = 0.2
_REPEATS = 5


@dataclass(frozen=True)
class Request:
    """Work with its budget of processor seconds (None: no budget), each time after `prepare`."""

    work: Callable[[], object]
    budget_s: float | None
    prepare: Callable[[], object] = lambda: None


def newest_runs() -> Iterator[StoredRun]:
    """Yield runs of the keys of `simulated_runs` that are newer than all runs of these."""
    for stored in runs_of_keys(BASE, KEYS):
        yield replace(stored, run=stored.run | {"created_at": "2027-06-01T00:00:00+00:00"})


def measure_requests(
    repository: Repository, count: int, new: Iterator[StoredRun]
) -> dict[str, float]:
    """Measure each request and return its processor seconds; `count` is the number of runs, `new`
    yields runs to insert.
    """
    measured = {}
    for name, request in _requests(repository, new).items():
        request.prepare()
        request.work()
        used, wall = measure(repository, request.work, _REPEATS, request.prepare)
        what = f"{name} of {count:,} runs in {KEYS} keys, processor"
        if request.budget_s is None:
            note(f"{what}: {used:.3f} s")
        else:
            check(what, used, request.budget_s, "s")
        note(f"{name} of {count:,} runs, wall: {wall:.3f} s")
        measured[name] = used
    return measured


def check_growth(measured: Sequence[dict[str, float]], counts: Sequence[int]) -> None:
    """Check the exponent of the processor seconds between the first and the last number of runs."""
    growth = math.log(counts[-1] / counts[0])
    for name, used in measured[-1].items():
        exponent = math.log(max(used, 0.001) / max(measured[0][name], 0.001)) / growth
        what = f"growth of {name} from {counts[0]:,} to {counts[-1]:,} runs, exponent"
        check(what, exponent, _MAX_EXPONENT, "")


def _requests(repository: Repository, new: Iterator[StoredRun]) -> dict[str, Request]:
    """Return the requests by name.

    The process has cached nothing of the list after a change of a run; a filter or search of a list
    that is open has the counts of all runs.
    """
    catalogue = repository.catalogue
    opened = RunsList(catalogue).now()
    opened.counts(EVERY_RUN)

    def ask(runs: RunQueries, fits: RunFilter) -> None:
        runs.page(RunQuery(fits))
        runs.facets(fits)

    def follow(fits: RunFilter) -> None:
        cold = RunsList(catalogue).now()
        counts = opened.counts(EVERY_RUN)
        cold.once(("counts", EVERY_RUN), lambda: counts)
        ask(cold, fits)

    def insert() -> object:
        return catalogue.insert(next(new))

    def ask_status() -> object:
        return StatusCache(repository).status()

    return {
        "list after a change": Request(lambda: ask(RunsList(catalogue).now(), EVERY_RUN), _LIST_S),
        "first page": Request(lambda: RunsList(catalogue).now().page(RunQuery()), _LIST_S),
        "filter by hardware": Request(lambda: follow(RunFilter(hwid=("npu17",))), _LIST_S),
        "filter by GEMM size": Request(lambda: follow(RunFilter(M=("256",))), _LIST_S),
        "search of few runs": Request(lambda: follow(RunFilter(words=("abc12",))), _LIST_S),
        "status": Request(ask_status, _STATUS_S),
        "status as of half a year earlier": Request(
            lambda: StatusCache(repository).status(as_of=_HALF_A_YEAR), _AS_OF_S
        ),
        "insert of a run": Request(insert, _LIST_S),
        "status after a run was ingested": Request(ask_status, None, insert),
    }
