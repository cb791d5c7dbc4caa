"""A SQL query over all iterations of many runs, and list, filter, search and status of these runs:
`python -m benchmarks.month_queries --database URL [--runs COUNT ...]`.

URL is an empty database of a PostgreSQL server on this machine. Runs are simulated: the database
copies rows of the program, and the program's writer writes monthly files of drawn iterations.
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
from collections.abc import Callable
from pathlib import Path
from statistics import median

from sqlalchemy import text

from benchmarks.report import check, note
from benchmarks.simulated_runs import ITERATIONS, KEYS, fill, vacuum, write_months
from benchmarks.status import compare_as_unchanged
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
_LIST_S, _STATUS_S = 0.1, 0.3
"""Budgets of processor seconds."""
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
    repository: Repository, work: Callable[[], object], repeats: int
) -> tuple[float, float]:
    """Return the median processor and wall seconds of repeated work."""
    processor = Processor(repository)
    used = []
    walls = []
    for _ in range(repeats):
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
    StatusCache(repository).status()
    measured = {}
    for name, (work, budget) in _requests(repository).items():
        work()
        used, wall = measure(repository, work, _REPEATS)
        check(f"{name} of {count:,} runs in {KEYS} keys, processor", used, budget, "s")
        note(f"{name} of {count:,} runs, wall: {wall:.3f} s")
        measured[name] = used
    return measured


def main() -> None:
    """Print the measurements for each number of runs, and the exponents of their growth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", nargs="+", required=True, help="URLs of empty databases")
    parser.add_argument("--runs", type=int, nargs="+", default=list(RUNS))
    options = parser.parse_args()
    rule_verdicts.compare = compare_as_unchanged  # type: ignore[attr-defined,assignment] # runs without frames
    measured = []
    for url, count in zip(options.database, options.runs, strict=True):
        with tempfile.TemporaryDirectory(prefix="tilescope-months-") as folder:
            repository = Repository(url, str(Path(folder) / "frames"))
            measured.append(measure_runs(repository, count))
            repository.catalogue.close()
    growth = math.log(options.runs[-1] / options.runs[0]) if len(measured) > 1 else 0.0
    for name, used in measured[-1].items() if growth else ():
        exponent = math.log(max(used, 0.001) / max(measured[0][name], 0.001)) / growth
        check(f"growth of {name}, exponent", exponent, _MAX_EXPONENT, "")


if __name__ == "__main__":
    main()
