"""Rows of SQL's tables, read with and without monthly files."""

from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest

from services.query import load_months
from services.query.child_tables import create_view
from services.query.compaction import compact_month, due_months
from services.query.load import TableLoader
from services.query.narrow import NARROW_TABLES
from storage.run_choice import RunChoice
from storage.run_query import EVERY_RUN

PROBLEM = "id,lower,upper,size\n"


def compact(repository, **options):
    """Compact all months that need it; return the results."""
    return [compact_month(repository, month, **options) for month in due_months(repository)]


def rows_of(repository, fits=EVERY_RUN, run_ids=(), names=NARROW_TABLES):
    """Return the sorted rows of each table, and which of them were read from monthly files."""
    choice = RunChoice(repository.catalogue, fits, tuple(run_ids))
    with TemporaryDirectory() as folder, duckdb.connect(":memory:") as connection:
        loaded = TableLoader(repository, choice, Path(folder), 1024, 60).load(names)
        tables = {}
        for name, table in loaded.tables.items():
            create_view(connection, name, table.record())
            # Sorted as texts: rows of a table may have nulls in any column.
            tables[name] = sorted(map(repr, connection.sql(f'FROM "{name}"').fetchall()))
    monthly = {name for name, table in loaded.tables.items() if table.whole or table.parts}
    return tables, monthly


def rows_from_packs(repository, fits=EVERY_RUN, names=NARROW_TABLES):
    """Return the rows that `rows_of` returns, without any monthly file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_months, "NARROW_TABLES", ())
        tables, monthly = rows_of(repository, fits, names=names)
    assert not monthly
    return tables


def write_problem(folder, rank):
    """Write the file of a small problem of allocation, of another content for each rank."""
    path = folder / f"p{rank}.64.csv"
    rows = [f"b{block},{block},{block + 2 + rank % 3},{8 + rank + block}" for block in range(3)]
    path.write_text(PROBLEM + "\n".join(rows) + "\n")
    return path
