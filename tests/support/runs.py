"""Hand-made runs as a catalogue has them."""

from typing import Any

from sqlalchemy import select

from schema.metrics import METRICS
from schema.runs import RUN
from storage.catalogue import Catalogue
from storage.pending import garbage
from storage.run_values import RunValues, values_of_runs
from storage.stored_run import StoredRun
from storage.tables import RUNS


def record_of(rank: int = 0, **row: object) -> dict[str, Any]:
    """Build the record of a run with M = K = N = 64; columns that are not in `row` are missing."""
    blank = {
        column.name: "" if column.dtype == "str" else None for column in RUN.columns
    } | dict.fromkeys(METRICS)
    given = {
        "run_id": f"{rank:064x}",
        "source": "aie",
        "name": f"run {rank}",
        "M": 64,
        "K": 64,
        "N": 64,
        "tags": "",
    }
    return (
        blank
        | given
        | {"errors": 0, "warnings": 0, "created_at": f"2026-11-{rank + 1:02d}T10:00:00+00:00"}
        | row
    )


def records_of(*rows: dict[str, object]) -> list[dict[str, Any]]:
    """Build a record from each dict, numbered from 0."""
    return [record_of(rank, **row) for rank, row in enumerate(rows)]


def stored_of(record: dict[str, Any], version: str = "0") -> StoredRun:
    """Convert a record to the catalogue's row of its run."""
    run = {column.name: record[column.name] for column in RUN.columns}
    run["hwid"] = run["hwid"] or ""
    headline = {name: record[name] for name in METRICS}
    prefix = f"{record['run_id']}/{version}"
    return StoredRun(prefix, run, {}, headline, {}, {}, [], record["errors"], record["warnings"])


def catalogue_of(url: str, *rows: dict[str, object]) -> Catalogue:
    """Create a catalogue with a run per dict, oldest first."""
    catalogue = Catalogue(url)
    catalogue.create()
    assert catalogue.insert_many(map(stored_of, records_of(*rows))) == len(rows)
    return catalogue


def delete_run(catalogue: Catalogue, run_id: str) -> None:
    stored = catalogue.get(run_id)
    assert stored is not None
    assert catalogue.delete(stored, garbage(stored.prefix))


def all_values(catalogue: Catalogue) -> list[RunValues]:
    """Read the values of each capture of all runs, including damaged runs, ordered by date."""
    with catalogue.connect() as connection:
        ids = connection.scalars(select(RUNS.c.run_id)).all()
    return values_of_runs(catalogue, ids)
