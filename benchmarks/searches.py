"""Searches in a large list of runs, and its insertion.

`python -m benchmarks.searches [--database URL]`

Without the URL of an empty database the list is in an SQLite file. Searches are measured in wall
time, since a database server uses other processors; insertion in processor time of this process.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks.many_runs import many_runs
from benchmarks.report import check, note
from storage.catalogue import Catalogue
from storage.run_list import RunList
from storage.run_query import RunFilter, RunQuery, search_words

RUNS = 200_000
BUDGET_S = 0.1
"""Budget of a search."""
INSERT_BUDGET_MS = 0.5
"""Budget of the insertion of a run, in processor time."""
SEARCHES = {"few runs": "1234", "few runs by two words": "gemm 98765", "no run": "conv2d"}
"""Name -> search words that few runs contain."""
FREQUENT = {"a third of the runs": "golden", "two characters": "17"}
"""Name -> search words that no index is used for.

All texts of the list are read, and all matching runs are counted.
"""
_MAX_VALUES = 40
"""Values of a facet that are counted."""
_AT_ONCE = 10_000
"""Runs of an insertion."""
_REPEATS = 5


def fill(catalogue: Catalogue, runs: int) -> float:
    """Insert runs into an empty catalogue; return the milliseconds of processor time per run.

    The time to generate the runs is excluded.
    """
    catalogue.create()
    generated = many_runs(runs)
    took = 0.0
    while batch := list(islice(generated, _AT_ONCE)):
        begin = time.process_time()
        catalogue.insert_many(batch)
        took += time.process_time() - begin
    return 1000 * took / runs


def search_s(catalogue: Catalogue, text: str) -> float:
    """Return the median seconds of the first page with the counts of all facets."""
    runs = RunList(catalogue)
    fits = RunFilter(words=search_words(text))
    took = []
    for _ in range(_REPEATS + 1):
        begin = time.perf_counter()
        runs.page(RunQuery(fits))
        runs.counts(fits, _MAX_VALUES)
        took.append(time.perf_counter() - begin)
    # Without the first search, which fills the caches.
    return median(took[1:])


def main() -> None:
    """Print the measurements, with their budgets if they have any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="", help="URL of an empty database")
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilescope-searches-") as folder:
        catalogue = Catalogue(options.database or f"sqlite:///{Path(folder) / 'catalogue.db'}")
        each = fill(catalogue, options.runs)
        what = f"{options.runs} runs in {'SQLite' if catalogue.is_embedded else 'a database'}"
        inserted = f"insertion of {what}, processor per run"
        # SQLite works in this process, so that its time cannot be told from that of the program.
        if catalogue.is_embedded:
            note(f"{inserted}: {each:.3g} ms, that of the database included")
        else:
            check(inserted, each, INSERT_BUDGET_MS, "ms")
        for name, text in SEARCHES.items():
            check(f"search of {what}: {name}", search_s(catalogue, text), BUDGET_S, "s")
        for name, text in FREQUENT.items():
            note(f"search of {what}: {name}: {search_s(catalogue, text):.3g} s")
        catalogue.close()


if __name__ == "__main__":
    main()
