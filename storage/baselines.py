"""Baselines in the catalogue: a name, and the ids of the runs that others are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Row, delete, select

from storage import listing
from storage.catalogue import Catalogue
from storage.errors import BaselineNotFound
from storage.quotas import NAMED_BASELINES
from storage.tables import BASELINES, CHECKS
from storage.upsert import put, transact


@dataclass(frozen=True)
class Baseline:
    """A name, the ids of its runs, and when it was set (ISO 8601, UTC).

    A rolling one has the `last` so many runs of its key before the run that is compared; `runs` has the run that gave
    the key. `key` is None of a fixed one that an older release set.
    """

    name: str
    runs: list[str]
    changed_at: str
    last: int | None = None
    key: Mapping[str, str] | None = None


class Baselines:
    """The baselines of a catalogue; one that does not exist yet has none."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def set(self, name: str, runs: list[str], *, last: int | None = None, key: Mapping[str, str] | None = None) -> None:
        """Give a name to runs, in place of those that it had; what was checked against them is forgotten."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        row = {"name": name, "runs": runs, "changed_at": now, "last": last, "key": dict(key) if key else None}

        def write(connection: Connection) -> None:
            NAMED_BASELINES.check_name(connection, name)
            put(connection, BASELINES, row)
            connection.execute(delete(CHECKS).where(CHECKS.c.baseline == name))
            listing.mark_changed(connection)

        transact(self._catalogue, write)

    def get(self, name: str) -> Baseline:
        """Return a baseline; raises BaselineNotFound."""
        found = next((one for one in self.all() if one.name == name), None)
        if found is None:
            raise BaselineNotFound(f"there is no baseline {name!r}")
        return found

    def all(self) -> list[Baseline]:
        """Return the baselines by name."""
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            rows = connection.execute(select(BASELINES).order_by(BASELINES.c.name)).all()
        return [_baseline(row) for row in rows]

    def delete(self, name: str) -> None:
        """Take a baseline out, and what was checked against it; its runs stay. Raises BaselineNotFound."""
        self.get(name)
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(BASELINES).where(BASELINES.c.name == name))
            connection.execute(delete(CHECKS).where(CHECKS.c.baseline == name))
            listing.mark_changed(connection)


def _baseline(row: Row[tuple[object, ...]]) -> Baseline:
    key = {str(name): str(value) for name, value in row.key.items()} if row.key else None
    return Baseline(row.name, [*map(str, row.runs)], row.changed_at, row.last, key)
