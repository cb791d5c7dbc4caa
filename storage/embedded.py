"""Read the runs of an embedded catalogue with Python's sqlite3.

Importing SQLAlchemy takes longer than the query of a command that lists runs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from storage.failures import catalogue_failed
from storage.revisions import HEAD
from storage.sqlite import connect, parse_json, text
from storage.stored_run import StoredRun, column_value, stored_run

_SIZES = {"M": "gemm_m", "K": "gemm_k", "N": "gemm_n"}
"""Size of the GEMM -> its column, as SQLite does not distinguish the column names M and m."""


def is_readable(path: Path) -> bool:
    """Whether a file is an SQLite catalogue of the current revision, which `each_run` can read.

    False for a missing file, an older catalogue, or any other file, which `Catalogue` must open.
    """
    if not path.is_file():
        return False
    try:
        with closing(connect(path)) as connection:
            return connection.execute("SELECT version_num FROM tilescope_version").fetchall() == [
                (HEAD,)
            ]
    except sqlite3.Error:
        return False


_OBSERVATIONS = "(SELECT count(*) FROM observations WHERE observations.run_id = runs.run_id)"


def each_run(path: Path, filters: Mapping[str, object], limit: int | None) -> Iterator[StoredRun]:
    """Yield the runs of an SQLite catalogue as `Catalogue.each` does: newest first, at most
    `limit`.

    `filters` maps source, hwid, M, K or N to the required value; None accepts any value. Raises
    StorageError if the file is not readable.
    """
    wanted = {key: column_value(key, value) for key, value in filters.items() if value is not None}
    # The 1 keeps the clause valid if there is no filter.
    where = " AND ".join(["1", *(f"{_SIZES.get(key, key)} = ?" for key in wanted)])
    order = "ORDER BY created_at DESC, run_id LIMIT ?"
    query = f"SELECT *, {_OBSERVATIONS} FROM runs WHERE {where} {order}"  # noqa: S608 - keys of ours
    try:
        with closing(connect(path)) as connection:
            # The default decoder raises for invalid bytes of one row, and would end the whole list.
            connection.text_factory = text
            columns = connection.execute(
                "SELECT name, type = 'JSON' FROM pragma_table_info('runs')"
            ).fetchall()
            columns.append(("observations", 0))
            # A negative LIMIT is no limit in SQLite.
            for row in connection.execute(
                query, (*wanted.values(), -1 if limit is None else limit)
            ):
                yield stored_run(_name_row(columns, row))
    except sqlite3.Error as error:
        raise catalogue_failed(f"sqlite:///{path}", error) from error


def _name_row(columns: Sequence[tuple[str, int]], row: Sequence[Any]) -> SimpleNamespace:
    """Convert a row to attributes by column name, with JSON parsed.

    `columns` has a name for each value, and 1 if it is JSON. Sizes of the GEMM are added as M, K
    and N, the names that `storage.tables` has for them.
    """
    named = {
        name: parse_json(value) if is_json and value is not None else value
        for (name, is_json), value in zip(columns, row, strict=True)
    }
    return SimpleNamespace(**named, **{size: named[column] for size, column in _SIZES.items()})
