"""Insert or replace a row by its key, with any database and concurrent writers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection, Table, and_, insert, update
from sqlalchemy.exc import IntegrityError

from storage.catalogue import Catalogue


def put(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Insert a row (column name -> value), or replace the row with the same primary key.

    Raises IntegrityError if another transaction inserts its key at the same moment.
    """
    here = and_(*(column == row[column.key] for column in table.primary_key.columns))
    # Not ON CONFLICT, whose syntax depends on the database.
    if connection.execute(update(table).where(here).values(row)).rowcount == 0:
        connection.execute(insert(table).values(row))


def transact(
    catalogue: Catalogue, write: Callable[[Connection], None], *, is_removal: bool = False
) -> None:
    """Run `write` in a transaction, and repeat it once if another transaction inserted the same key
    meanwhile; a second IntegrityError is raised.

    With `is_removal` the transaction also succeeds on a full disk (`Catalogue.begin_removal`). The
    catalogue must exist.
    """
    begin = catalogue.begin_removal if is_removal else catalogue.begin
    try:
        with begin() as connection:
            write(connection)
    except IntegrityError:
        with begin() as connection:
            write(connection)
