"""A SQL query over all iterations of many runs, and list, filter, search and status of these runs:
`python -m benchmarks.month_queries --database URL [--runs COUNT ...] [--copies COUNT]`.

URL is an empty database of a PostgreSQL server on this machine. Runs are simulated: the database
copies rows of the program, and the program's writer writes monthly files of drawn iterations.
With `--copies` the list of the last database is then made longer by rows that are in the list alone,
9 copies for ten times the runs, and requests that read only the list are measured again.
Processor time is that of this process, its children and the database server, so that other work on
the machine does not count.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from sqlalchemy import text

from benchmarks.grown_list import grow_list
from benchmarks.report import check, note
from benchmarks.simulated_runs import ITERATIONS, KEYS, fill, vacuum, write_months
from benchmarks.status import compare_as_unchanged, runs_of_keys
from services.query.ask import ask_query
from services.query.question import QueryLimits, QueryQuestion
from services.status import rule_verdicts
from services.status.status import StatusCache
from services.store.runs_list import RunQueries, RunsList
from storage.repository import Repository
from storage.rules import Rule, Rules
from storage.run_query import EVERY_RUN, RunFilter, RunQuery

RUNS = (100_000, 1_000_000)
"""Numbers of runs; the growth is that between the first and the last."""
MEDIAN_SQL = """SELECT hwid, date_trunc('week', created_at::TIMESTAMP) AS week, median(gmacs_per_s) AS rate
FROM iterations JOIN runs USING (run_id) GROUP BY ALL ORDER BY ALL"""
_MEDIAN_S = 10.0
"""Budget of processor seconds of the query, which takes less wall time on two idle cores."""
_LIST_S, _STATUS_S, _AS_OF_S = 0.1, 0.3, 3.0
"""Budgets of processor seconds."""
_HALF_A_YEAR = datetime(2026, 6, 1, tzinfo=UTC)
"""Middle of the year over which `simulated_runs` spreads the runs: half of them are later."""
_PAGE_S = 2.0
"""Seconds after which a page begins no comparison."""
_MAX_EXPONENT = 0.2
_REPEATS = 5
_TICKS = os.sysconf("SC_CLK_TCK")


class Processor:
    """Processor seconds of this process, its children, and a database server of this machine."""

    def __init__(self, repository: Repository) -> None:
        with repository.catalogue.connect() as connection:
            backend = connection.scalar(text("SELECT pg_backend_pid()"))
        self._server = int(_stat(Path(f"/proc/{backend}"))[1])

    def seconds(self) -> float:
        """Return the processor seconds up to now."""
        own = [
            resource.getrusage(resource.RUSAGE_SELF),
            resource.getrusage(resource.RUSAGE_CHILDREN),
        ]
        return sum(usage.ru_utime + usage.ru_stime for usage in own) + self._server_s()

    def _server_s(self) -> float:
        """Sum the times of the server, of its ended children, and of its living children."""
        server = _stat(Path(f"/proc/{self._server}"))
        ticks = sum(map(int, server[11:15]))
        for process in Path("/proc").glob("[0-9]*"):
            try:
                fields = _stat(process)
            except OSError:
                continue
            if int(fields[1]) == self._server:
                ticks += sum(map(int, fields[11:13]))
        return ticks / _TICKS


def _stat(process: Path) -> list[str]:
    """Return the fields of a process after its name: state, parent and so on."""
    return (process / "stat").read_text().rpartition(")")[2].split()


def measure(
    repository: Repository,
    work: Callable[[], object],
    repeats: int,
    prepare: Callable[[], object] = lambda: None,
) -> tuple[float, float]:
    """Return the median processor and wall seconds of repeated work, each after `prepare`."""
    processor = Processor(repository)
    used = []
    walls = []
    for _ in range(repeats):
        prepare()
        before = processor.seconds()
        begin = time.perf_counter()
        work()
        walls.append(time.perf_counter() - begin)
        used.append(processor.seconds() - before)
    return median(used), median(walls)


def _median_query(repository: Repository) -> int:
    with ask_query(repository, QueryQuestion(MEDIAN_SQL), QueryLimits(seconds=120)) as result:
        return len(result.record()["rows"])


def _requests(repository: Repository) -> dict[str, tuple[Callable[[], object], float]]:
    """Return the requests by name, with their budgets.

    The process has cached nothing of the list after a change of a run; a filter or search of a list
    that is open has the counts of all runs.
    """
    opened = RunsList(repository.catalogue).now()
    opened.counts(EVERY_RUN)

    def ask(runs: RunQueries, fits: RunFilter) -> None:
        runs.page(RunQuery(fits))
        runs.facets(fits)

    def follow(fits: RunFilter) -> None:
        cold = RunsList(repository.catalogue).now()
        counts = opened.counts(EVERY_RUN)
        cold.once(("counts", EVERY_RUN), lambda: counts)
        ask(cold, fits)

    return {
        "list after a change": (
            lambda: ask(RunsList(repository.catalogue).now(), EVERY_RUN),
            _LIST_S,
        ),
        "filter by hardware": (lambda: follow(RunFilter(hwid=("npu17",))), _LIST_S),
        "filter by GEMM size": (lambda: follow(RunFilter(M=("256",))), _LIST_S),
        "search of few runs": (lambda: follow(RunFilter(words=("abc12",))), _LIST_S),
        "status": (lambda: StatusCache(repository).status(), _STATUS_S),
        "status as of half a year earlier": (
            lambda: StatusCache(repository).status(as_of=_HALF_A_YEAR),
            _AS_OF_S,
        ),
    }


def measure_runs(repository: Repository, count: int) -> dict[str, float]:
    """Fill a catalogue and measure; return the processor seconds of each request."""
    begin = time.perf_counter()
    fill(repository, count)
    files = write_months(repository)
    vacuum(repository)
    size = sum(size for file in files for _, size in file.tables.values())
    note(
        f"{count:,} runs and {len(files)} monthly files of {size / 2**20:.0f} MiB made in "
        f"{time.perf_counter() - begin:.0f} s"
    )
    used, wall = measure(repository, lambda: _median_query(repository), 2)
    what = (
        f"median GMAC/s by hwid and week over {count * ITERATIONS:,} iterations of {count:,} runs"
    )
    check(f"{what}, processor", used, _MEDIAN_S, "s")
    note(f"{what}, wall: {wall:.2f} s at load {os.getloadavg()[0]:.1f}")
    Rules(repository.catalogue).set(Rule("nightly", 10, "main"))
    _measure_judging(repository, count)
    return _measure_requests(repository, count)


def _measure_judging(repository: Repository, count: int) -> None:
    """Measure a page while no run is judged, the judging of all runs, and the status after a run
    was ingested.

    Only the work on the catalogue: the comparison of two runs is left out.
    """
    used, wall = measure(repository, lambda: StatusCache(repository).status(within_s=_PAGE_S), 1)
    check(f"status page of {count:,} runs before the first judging, wall", wall, 2 * _PAGE_S, "s")
    note(f"status page of {count:,} runs before the first judging, processor: {used:.2f} s")
    used, wall = measure(repository, lambda: StatusCache(repository).status(), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    note(
        f"first judging of {count:,} runs without their comparisons: {used:.0f} s of processor, "
        f"{wall:.0f} s, peak of this process {peak:.0f} MiB"
    )
    # After all others, so that the run is the newest of its key.
    new = (
        replace(stored, run=stored.run | {"created_at": "2027-06-01T00:00:00+00:00"})
        for stored in runs_of_keys(_REPEATS, KEYS)
    )
    used, _ = measure(
        repository,
        lambda: StatusCache(repository).status(),
        _REPEATS,
        lambda: repository.catalogue.insert(next(new)),
    )
    note(f"status of {count:,} runs after a run was ingested, processor: {used:.2f} s")


def _measure_requests(repository: Repository, count: int) -> dict[str, float]:
    """Return the processor seconds of each request; `count` is the number of runs."""
    measured = {}
    for name, (work, budget) in _requests(repository).items():
        work()
        used, wall = measure(repository, work, _REPEATS)
        check(f"{name} of {count:,} runs in {KEYS} keys, processor", used, budget, "s")
        note(f"{name} of {count:,} runs, wall: {wall:.3f} s")
        measured[name] = used
    return measured


def _check_growth(measured: Sequence[dict[str, float]], counts: Sequence[int]) -> None:
    """Check the exponent of the processor seconds between the first and the last number of runs."""
    growth = math.log(counts[-1] / counts[0])
    for name, used in measured[-1].items():
        exponent = math.log(max(used, 0.001) / max(measured[0][name], 0.001)) / growth
        what = f"growth of {name} from {counts[0]:,} to {counts[-1]:,} runs, exponent"
        check(what, exponent, _MAX_EXPONENT, "")


def main() -> None:
    """Print the measurements for each number of runs, and the exponents of their growth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", nargs="+", required=True, help="URLs of empty databases")
    parser.add_argument("--runs", type=int, nargs="+", default=list(RUNS))
    parser.add_argument("--copies", type=int, default=0, help="of each row of the last list")
    options = parser.parse_args()
    rule_verdicts.compare = compare_as_unchanged  # type: ignore[attr-defined,assignment] # runs without frames
    measured = []
    counts = options.runs
    for url, count in zip(options.database, counts, strict=True):
        with tempfile.TemporaryDirectory(prefix="tilescope-months-") as folder:
            repository = Repository(url, str(Path(folder) / "frames"))
            measured.append(measure_runs(repository, count))
            if options.copies and url == options.database[-1]:
                grow_list(repository, options.copies)
                vacuum(repository)
                counts = [*counts, (1 + options.copies) * count]
                measured.append(_measure_requests(repository, counts[-1]))
            repository.catalogue.close()
    if len(measured) > 1:
        _check_growth(measured, counts)


if __name__ == "__main__":
    main()
