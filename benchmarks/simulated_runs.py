"""Any number of runs in a PostgreSQL catalogue, copied by the database from rows of real insertions,
and their monthly files.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from sqlalchemy import text

from benchmarks.rebuilt_indexes import without_indexes
from benchmarks.status import runs_of_keys
from services.query.month_writer import MonthWriter
from services.query.narrow import narrow_schema, narrow_version
from storage import combinations, listing
from storage.monthly_files import MonthlyFile, MonthlyFiles, RunMonth
from storage.repository import Repository
from storage.rule_tables import RULE_VERDICTS

BASE, KEYS = 2_000, 400
"""Runs that are inserted by the program, and their keys."""
ITERATIONS = 5
"""Iterations of a run."""
_AT_ONCE = 20_000
"""Runs whose rows are generated together."""
_TABLES = ("listing", "observations", "runs")
_YEAR = "timestamp '2025-12-01' + (g * {base} + r.rank) * (interval '365 days' / {count})"
"""Dates of the runs, evenly over a year."""
_COPIES = """CREATE TEMP TABLE copies ON COMMIT DROP AS SELECT r.run_id AS base_id,
substr(md5(r.run_id || g), 1, 12) AS new_id,
to_char({moment}, 'YYYY-MM-DD"T"HH24\\:MI\\:SS') || '+00\\:00' AS moment
FROM (SELECT run_id, row_number() OVER (ORDER BY created_at) - 1 AS rank FROM runs) r,
generate_series(0, {last}) g"""
_COLUMNS = """SELECT column_name FROM information_schema.columns
WHERE table_name = :name ORDER BY ordinal_position"""
_COPY = """INSERT INTO {table} ({names}) SELECT {values}
FROM copies c JOIN {table} t ON t.run_id = c.base_id"""
_DELETE = "DELETE FROM {table} WHERE run_id IN (SELECT base_id FROM copies)"


def fill(repository: Repository, count: int) -> None:
    """Insert `count` captures, a multiple of BASE, into an empty catalogue, evenly over a year.

    The database copies BASE rows of the program, with other ids and dates.
    """
    catalogue = repository.catalogue
    catalogue.create()
    catalogue.insert_many(runs_of_keys(BASE, KEYS))
    moment = _YEAR.format(base=BASE, count=count)
    with catalogue.begin() as connection:
        connection.execute(text(_COPIES.format(moment=moment, last=count // BASE - 1)))
        for name in _TABLES:
            columns = connection.scalars(text(_COLUMNS), {"name": name}).all()
            values = ", ".join(_value(name, column) for column in columns)
            names = ", ".join(f'"{column}"' for column in columns)
            copy = _COPY.format(table=name, names=names, values=values)
            with without_indexes(connection, name):
                connection.execute(text(copy))
                connection.execute(text(_DELETE.format(table=name)))
        listing.mark_changed(connection)
        combinations.count_all(connection)
    with catalogue.begin() as connection:
        listing.gather_statistics(connection)


def _value(table: str, column: str) -> str:
    """Return the SQL of a column of a copied row."""
    own = {"run_id": "c.new_id", "prefix": "c.new_id || '/0123456789abcdef'"}
    own |= dict.fromkeys(("created_at", "date", "observed_at", "taken_at"), "c.moment")
    if table == "runs":
        named = "jsonb_build_object('run_id', c.new_id, 'created_at', c.moment)"
        own |= {"run": f"(t.run::jsonb || {named})::json"}
        own |= {"headline": "json_strip_nulls(t.headline)"}
    if table == "listing":
        part = "' ' || substr(c.new_id, 1, 6)"
        own |= {name: f"t.{name} || {part}" for name in ("searched", "name")}
    return own.get(column, f't."{column}"')


def write_months(repository: Repository) -> list[MonthlyFile]:
    """Write and publish the monthly files of all runs of the catalogue, with drawn iterations."""
    catalogue = repository.catalogue
    monthly = MonthlyFiles(catalogue)
    written = []
    for month in monthly.due(narrow_version()):
        with tempfile.TemporaryDirectory(prefix="tilescope-month-") as folder:
            writer = MonthWriter(Path(folder))
            name = secrets.token_hex(12)
            runs = 0
            for batch in _runs_of_month(repository, month):
                writer.write(_drawn_rows(batch))
                runs += len(batch)
            for table, path in writer.close().items():
                repository.store.files.put(f"monthly/{name}/{table}.parquet", path)
            file = MonthlyFile(
                name, month.source, month.month, narrow_version(), runs, 0, writer.sizes()
            )
        _mark(repository, month, name)
        monthly.publish(file)
        written.append(file)
    return written


def vacuum(repository: Repository) -> None:
    """Run VACUUM ANALYZE, as autovacuum does within minutes of so many inserts, and write all
    changes to disk, so that the server does not do so while something is measured.
    """
    with repository.catalogue.connect() as connection:
        outside = connection.execution_options(isolation_level="AUTOCOMMIT")
        for name in (*_TABLES, RULE_VERDICTS.name):
            outside.execute(text(f"VACUUM ANALYZE {name}"))
        outside.execute(text("CHECKPOINT"))


def _mark(repository: Repository, month: RunMonth, name: str) -> None:
    """Give a file the runs of a month by one statement, which an installation does in batches."""
    with repository.catalogue.begin() as connection:
        connection.execute(
            text(
                "UPDATE listing SET monthly = :name "
                "WHERE source = :source AND substr(date, 1, 7) = :month"
            ),
            {"name": name, **vars(month)},
        )


def _runs_of_month(repository: Repository, month: RunMonth) -> Iterator[list[tuple[str, str, str]]]:
    """Yield run id, hardware and date of the runs of a month, some thousand at a time."""
    query = text(
        "SELECT run_id, hwid, date FROM listing "
        "WHERE source = :source AND substr(date, 1, 7) = :month"
    )
    # A cursor that yields rows needs a transaction, which `connect` does not begin.
    with repository.catalogue.connect_snapshot() as connection:
        result = connection.execution_options(yield_per=_AT_ONCE).execute(query, vars(month))
        for rows in result.partitions():
            yield [tuple(row) for row in rows]


def _drawn_rows(batch: list[tuple[str, str, str]]) -> dict[str, pa.Table]:
    """Return rows of `runs` and `iterations`, whose drawn numbers compress as badly as real ones."""
    ids, hwids, dates = (pa.array(column) for column in zip(*batch, strict=True))
    drawn = np.random.default_rng(len(batch))
    runs = {"run_id": ids, "hwid": hwids, "created_at": dates, "source": ["aie"] * len(batch)}
    runs["gmacs_mean"] = drawn.uniform(50, 1000, len(batch))
    count = len(batch) * ITERATIONS
    iterations = {
        "run_id": ids.take(pa.array(np.repeat(np.arange(len(batch)), ITERATIONS))),
        "iteration": np.tile(np.arange(ITERATIONS), len(batch)),
    }
    for field in narrow_schema("iterations"):
        if field.name not in iterations and field.type == pa.int64():
            iterations[field.name] = drawn.integers(0, 10**6, count)
        elif field.name not in iterations and field.type == pa.float64():
            iterations[field.name] = drawn.uniform(50, 1000, count)
    return {"runs": _table("runs", runs), "iterations": _table("iterations", iterations)}


def _table(name: str, columns: dict[str, object]) -> pa.Table:
    """Return the columns as a table of SQL; columns that are missing are null."""
    count = len(columns["run_id"])  # type: ignore[arg-type]
    schema = narrow_schema(name)
    arrays = [
        pa.array(columns[field.name], field.type)
        if field.name in columns
        else pa.nulls(count, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)
