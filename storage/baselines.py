"""Baselines in the catalogue: a name, and the ids of the runs that others are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, insert, select

from storage import listing
from storage.catalogue import Catalogue
from storage.errors import BaselineNotFound
from storage.tables import BASELINES


@dataclass(frozen=True)
class Baseline:
    """A name, the ids of its runs, and when it was set (ISO 8601, UTC)."""

    name: str
    runs: list[str]
    changed_at: str


class Baselines:
    """The baselines of a catalogue; one that does not exist yet has none."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def set(self, name: str, runs: list[str]) -> None:
        """Give a name to runs, in place of those that it had."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._catalogue.begin() as connection:
            connection.execute(delete(BASELINES).where(BASELINES.c.name == name))
            connection.execute(insert(BASELINES).values(name=name, runs=runs, changed_at=now))
            listing.mark_changed(connection)

    def get(self, name: str) -> Baseline:
        """Return a baseline; raises BaselineNotFound."""
        found = next((one for one in self.all() if one.name == name), None)
        if found is None:
            raise BaselineNotFound(f"there is no baseline {name!r}")
        return found

    def all(self) -> list[Baseline]:
        """Return the baselines by name."""
        if not self._catalogue.created():
            return []
        with self._catalogue.connect() as connection:
            rows = connection.execute(select(BASELINES).order_by(BASELINES.c.name)).all()
        return [Baseline(row.name, [*map(str, row.runs)], row.changed_at) for row in rows]

    def delete(self, name: str) -> None:
        """Take a baseline out; its runs stay. Raises BaselineNotFound."""
        self.get(name)
        with self._catalogue.begin() as connection:
            connection.execute(delete(BASELINES).where(BASELINES.c.name == name))
            listing.mark_changed(connection)
