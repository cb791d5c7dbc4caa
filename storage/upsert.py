"""A row that takes the place of the one of its key, on any database and whoever else writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection, Table, and_, insert, update
from sqlalchemy.exc import IntegrityError

from storage.catalogue import Catalogue


def put(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Write a row; raises IntegrityError where another transaction inserts one of its key at this moment."""
    here = and_(*(column == row[column.key] for column in table.primary_key.columns))
    if connection.execute(update(table).where(here).values(row)).rowcount == 0:
        connection.execute(insert(table).values(row))


def transact(catalogue: Catalogue, write: Callable[[Connection], None], *, is_removal: bool = False) -> None:
    """Write in a transaction, and once more if another transaction inserted a row of the same key meanwhile.

    `is_removal`: it succeeds on a full disk as well, see `Catalogue.begin_removal`.
    """
    begin = catalogue.begin_removal if is_removal else catalogue.begin
    try:
        with begin() as connection:
            write(connection)
    except IntegrityError:
        with begin() as connection:
            write(connection)
