"""A SQL query over all iterations of many runs, and list, filter, search, status and insert of these
runs: `python -m benchmarks.month_queries --database URL ... [--runs COUNT ...] [--copies COUNT]`.

Each URL is an empty database of a PostgreSQL server on this machine, for the number of runs at the
same place of `--runs`. Runs are simulated: the database copies rows of the program, and the
program's writer writes monthly files of drawn iterations. `--copies` makes the last database larger
by copies of its rows (`benchmarks.grown_list`), 9 copies for ten times the runs, and measures the
list and the status again, without the SQL query. `make bench` passes 9 copies for 10,000,000 runs,
which need 20 GB of disk; `COPIES=0` leaves them out.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

from benchmarks.database_processor import measure
from benchmarks.grown_list import grow_list
from benchmarks.list_requests import check_growth, measure_requests, newest_runs
from benchmarks.report import check, note
from benchmarks.simulated_runs import ITERATIONS, fill, vacuum, write_months
from benchmarks.status import compare_as_unchanged
from services.query.ask import ask_query
from services.query.question import QueryLimits, QueryQuestion
from services.status import rule_verdicts
from services.status.status import StatusCache
from storage.repository import Repository
from storage.rules import Rule, Rules

RUNS = (100_000, 1_000_000)
"""Numbers of runs; the growth is that between the first and the last."""
MEDIAN_SQL = """SELECT hwid, date_trunc('week', created_at::TIMESTAMP) AS week, median(gmacs_per_s) AS rate
FROM iterations JOIN runs USING (run_id) GROUP BY ALL ORDER BY ALL"""
_MEDIAN_S = 10.0
"""Budget of processor seconds of the query, which takes less wall time on two idle cores."""
_PAGE_S = 2.0
"""Seconds after which a page begins no comparison."""


def _median_query(repository: Repository) -> int:
    with ask_query(repository, QueryQuestion(MEDIAN_SQL), QueryLimits(seconds=120)) as result:
        return len(result.record()["rows"])


def measure_runs(repository: Repository, count: int) -> None:
    """Fill a catalogue; measure the SQL query and the first judging of all runs."""
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


def _measure_judging(repository: Repository, count: int) -> None:
    """Measure a page while no run is judged, and the judging of all runs.

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


def _grow(repository: Repository, copies: int, count: int) -> None:
    """Copy the rows of `count` runs, and print the time."""
    begin = time.perf_counter()
    grow_list(repository, copies)
    vacuum(repository)
    note(f"rows of {copies * count:,} runs copied in {time.perf_counter() - begin:.0f} s")


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
    for url, count in zip(options.database, options.runs, strict=True):
        with tempfile.TemporaryDirectory(prefix="tilescope-months-") as folder:
            repository = Repository(url, str(Path(folder) / "frames"))
            measure_runs(repository, count)
            new = newest_runs()
            measured.append(measure_requests(repository, count, new))
            if options.copies and url == options.database[-1]:
                _grow(repository, options.copies, count)
                counts = [*counts, (1 + options.copies) * count]
                measured.append(measure_requests(repository, counts[-1], new))
            repository.catalogue.close()
    if len(measured) > 1:
        check_growth(measured, counts)


if __name__ == "__main__":
    main()
