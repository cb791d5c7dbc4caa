"""Saved filters of the list of runs in the catalogue."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select

from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.people_tables import SAVED_VIEWS
from storage.quotas import VIEWS


@dataclass(frozen=True)
class SavedView:
    """A row of table `saved_views`; `query` is the query string of the page's address."""

    view_id: str
    name: str
    query: str
    created_at: str
    created_by: str


class SavedViews:
    """Reads and writes the saved filters of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(self, view_id: str, name: str, query: str, user: str) -> SavedView:
        """Save a filter under a name for a user, and return it; names need not be unique.

        Raises QuotaError if the user or the store has too many saved filters.
        """
        view = SavedView(view_id, name, query, timestamp(), user)
        self._catalogue.create()
        with self._catalogue.begin() as connection:
            VIEWS.check(connection, user)
            connection.execute(insert(SAVED_VIEWS).values(vars(view)))
        return view

    def all(self) -> list[SavedView]:
        """List the saved filters of all users, sorted by name without regard to case; empty if
        there is no catalogue.
        """
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            rows = connection.execute(
                select(SAVED_VIEWS).order_by(func.lower(SAVED_VIEWS.c.name), SAVED_VIEWS.c.view_id)
            )
            return [SavedView(**row._mapping) for row in rows]

    def delete(self, view_id: str) -> bool:
        """Delete a saved filter of any user; return False if it does not exist."""
        with self._catalogue.begin_removal() as connection:
            return (
                connection.execute(
                    delete(SAVED_VIEWS).where(SAVED_VIEWS.c.view_id == view_id)
                ).rowcount
                > 0
            )
