"""Rows for the list of runs, and readings of its pages."""

from contextlib import contextmanager
from dataclasses import replace

from schema.headlines import headline_of, sort_key
from schema.peak_rates import RATES, has_impossible_rates
from storage.listed_run import grid_text
from storage.run_list import RunList
from storage.run_query import EVERY_RUN, RunFilter, RunQuery
from tests.support.runs import catalogue_of

MANY = tuple(
    {
        "hwid": ["npu1", "npu2", "", "Npu2"][i % 4],
        "source": "aie" if i % 3 else "tpu_mlir",
        "M": [64, 256, None, 9, 100][i % 5],
        "gmacs_mean": None if i % 7 == 0 else float(i % 11) / 3,
        "gmacs_best": None if i % 7 == 0 else float(i % 13),
        "utilization": [None, 0.5, 1.5][i % 3],
        "rows": [4, 1, None][i % 3],
        "cols": [4, 2][i % 2],
        "m": [32, None, 64, 16][i % 4],
        "branch": ["main", "", "release/1"][i % 3],
        "commit": f"{i % 23:04x}",
        "peak_memory": float(i) if i % 3 == 0 else None,
        "tags": "golden best" if i % 4 == 0 else "",
        "k": [64, None][i % 2],
        "mac_dtype": ["int8", "bf16", ""][i % 3],
        "name": f"run {i % 17:02d} 100%_[x]",
        "errors": int(i % 9 == 0),
        "warnings": i % 2,
        "taken_at": "2025-02-03T04:05:06+00:00" if i % 6 == 0 else "",
        "created_at": f"2026-11-{1 + i % 20:02d}T10:00:00+00:00",
    }
    for i in range(60)
)


@contextmanager
def opener_of(new_url):
    """Context with a function that makes a catalogue of rows; all its catalogues are closed at the
    end.
    """
    made = []

    def opener(*rows):
        made.append(catalogue_of(new_url(), *rows))
        return made[-1]

    yield opener
    for catalogue in made:
        catalogue.close()


def listed(
    runs: RunList, fits: RunFilter = EVERY_RUN, sort: str = "-date", limit: int = 7
) -> list[str]:
    """Read all pages of the list and return the run ids in order."""
    query, ids = RunQuery(fits, sort, limit=limit), []
    while True:
        page = runs.page(query)
        assert len(page.runs) <= limit
        ids += [run.run_id for run in page.runs]
        if page.last is None:
            return ids
        query = replace(query, after=page.last)


def value_of(record, sort):
    column = sort.removeprefix("-")
    if column == "date":
        return record["taken_at"] or record["created_at"]
    if column == "health":
        return 1000 * record["errors"] + record["warnings"]
    if column == "grid":
        return grid_text(record)
    if column == "headline":
        return sort_key(headline_of(record["source"], record))
    # A run with a share of the peak has rates.
    rates = (record["gmacs_best"], record["gmacs_mean"])
    if column in RATES and (has_impossible_rates(record) or rates == (None, None)):
        return None
    return 1 if column == "observations" else record[column]


def in_order(records, sort):
    """Sort records as the list does, and return their run ids: missing values below all others,
    newest first among equal values.
    """
    newest = sorted(records, key=lambda r: (value_of(r, "date"), r["run_id"]), reverse=True)
    if sort == "date":
        return [record["run_id"] for record in reversed(newest)]
    falls = sort.startswith("-")

    def key(record):
        value = value_of(record, sort)
        return (value is not None, 0 if value is None else value)

    return [record["run_id"] for record in sorted(newest, key=key, reverse=falls)]
