"""Saved SQL queries in the catalogue."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select

from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.people_tables import SAVED_QUERIES
from storage.quotas import QUERIES


@dataclass(frozen=True)
class SavedQuery:
    """A row of table `saved_queries`."""

    query_id: str
    name: str
    sql: str
    created_at: str
    created_by: str


class SavedQueries:
    """Reads and writes the saved SQL queries of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(self, query_id: str, name: str, sql: str, user: str) -> SavedQuery:
        """Save a query under a name for a user, and return it; names need not be unique.

        Raises QuotaError if the user or the store has too many saved queries.
        """
        query = SavedQuery(query_id, name, sql, timestamp(), user)
        self._catalogue.create()
        with self._catalogue.begin() as connection:
            QUERIES.check(connection, user)
            connection.execute(insert(SAVED_QUERIES).values(vars(query)))
        return query

    def all(self) -> list[SavedQuery]:
        """List the saved queries of all users, sorted by name without regard to case; empty if
        there is no catalogue.
        """
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            rows = connection.execute(
                select(SAVED_QUERIES).order_by(
                    func.lower(SAVED_QUERIES.c.name), SAVED_QUERIES.c.query_id
                )
            )
            return [SavedQuery(**row._mapping) for row in rows]

    def delete(self, query_id: str) -> bool:
        """Delete a saved query of any user; return False if it does not exist."""
        with self._catalogue.begin_removal() as connection:
            return (
                connection.execute(
                    delete(SAVED_QUERIES).where(SAVED_QUERIES.c.query_id == query_id)
                ).rowcount
                > 0
            )
