"""Bisections in the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from storage.bisection_tables import BISECTIONS
from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.quotas import STORED_BISECTIONS
from storage.text import plain_text
from storage.upsert import transact


@dataclass(frozen=True)
class StoredBisection:
    """A row of table `bisections`."""

    bisection_id: str
    likeness: str
    key: list[Any]
    metric: str
    threshold: float | None
    commits: list[str]
    skipped: list[str]
    created_by: str
    created_at: str = ""

    @property
    def good(self) -> str:
        """The good commit."""
        return self.commits[0]

    @property
    def bad(self) -> str:
        """The bad commit."""
        return self.commits[-1]


class Bisections:
    """Reads and writes the bisections of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def put(self, given: StoredBisection) -> None:
        """Store a bisection; of a bisection with its id, commits, skipped commits and threshold are
        replaced.

        Raises QuotaError if there are too many bisections.
        """
        self._catalogue.create()
        row = asdict(given) | {
            "created_by": plain_text(given.created_by),
            "created_at": timestamp(),
        }
        changed = {name: row[name] for name in ("commits", "skipped", "threshold")}
        here = BISECTIONS.c.bisection_id == given.bisection_id

        def write(connection: Connection) -> None:
            if connection.execute(update(BISECTIONS).where(here).values(changed)).rowcount == 0:
                STORED_BISECTIONS.check(connection)
                connection.execute(insert(BISECTIONS).values(row))

        transact(self._catalogue, write)

    def find(self, bisection_id: str) -> StoredBisection | None:
        """Return a bisection by its id; None if it does not exist."""
        found = self._select(BISECTIONS.c.bisection_id == bisection_id)
        return found[0] if found else None

    def of_likeness(self, likeness: str) -> list[StoredBisection]:
        """List the bisections of the runs with a likeness, the newest first."""
        return self._select(BISECTIONS.c.likeness == likeness)

    def newest(self, most: int) -> list[StoredBisection]:
        """List at most `most` bisections, the newest first."""
        return self._select(most=most)

    def delete(self, bisection_id: str) -> bool:
        """Delete a bisection; return False if it does not exist."""
        with self._catalogue.begin_removal() as connection:
            statement = delete(BISECTIONS).where(BISECTIONS.c.bisection_id == bisection_id)
            return connection.execute(statement).rowcount > 0

    def _select(self, *conditions: Any, most: int | None = None) -> list[StoredBisection]:  # noqa: ANN401 - SQLAlchemy's conditions
        newest_first = [BISECTIONS.c.created_at.desc(), BISECTIONS.c.bisection_id]
        query = select(BISECTIONS).where(*conditions).order_by(*newest_first).limit(most)
        rows: Sequence[Any] = self._catalogue.rows(query)
        return [StoredBisection(**row._mapping) for row in rows]
