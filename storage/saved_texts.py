"""Texts that users save under a name in the catalogue: SQL queries, and filters of the list of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlalchemy import Table, delete, func, insert, select

from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.people_tables import SAVED_QUERIES, SAVED_VIEWS
from storage.quotas import QUERIES, VIEWS, Quota


@dataclass(frozen=True)
class SavedQuery:
    """A row of table `saved_queries`."""

    query_id: str
    name: str
    sql: str
    created_at: str
    created_by: str


@dataclass(frozen=True)
class SavedView:
    """A row of table `saved_views`; `query` is the query string of the page's address."""

    view_id: str
    name: str
    query: str
    created_at: str
    created_by: str


Row = TypeVar("Row", SavedQuery, SavedView)


class _SavedTexts(Generic[Row]):
    """Reads and writes the saved texts in a table, whose columns are the fields of `row`."""

    table: Table
    quota: Quota
    row: type[Row]

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        (self._key,) = self.table.primary_key.columns

    def add(self, key: str, name: str, text: str, user: str) -> Row:
        """Save a text under a name for a user, and return its row; names need not be unique.

        Raises QuotaError if the user or the store has too many rows in the table.
        """
        row = self.row(key, name, text, timestamp(), user)
        self._catalogue.create()
        with self._catalogue.begin() as connection:
            self.quota.check(connection, user)
            connection.execute(insert(self.table).values(vars(row)))
        return row

    def all(self) -> list[Row]:
        """List the rows of all users, sorted by name without regard to case; empty if there is no
        catalogue.
        """
        by_name = select(self.table).order_by(func.lower(self.table.c.name), self._key)
        return [self.row(**row._mapping) for row in self._catalogue.rows(by_name)]

    def delete(self, key: str) -> bool:
        """Delete a row of any user; return False if it does not exist."""
        with self._catalogue.begin_removal() as connection:
            statement = delete(self.table).where(self._key == key)
            return connection.execute(statement).rowcount > 0


class SavedQueries(_SavedTexts[SavedQuery]):
    """The saved SQL queries of a catalogue."""

    table, quota, row = SAVED_QUERIES, QUERIES, SavedQuery


class SavedViews(_SavedTexts[SavedView]):
    """The saved filters of a catalogue."""

    table, quota, row = SAVED_VIEWS, VIEWS, SavedView
