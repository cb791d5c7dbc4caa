"""Baselines in the catalogue: named sets of runs that other runs are compared with."""

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
    """A baseline: name, ids of its runs, and when it was set (ISO 8601, UTC).

    A rolling baseline has `last`: it consists of the `last` runs of its key before the compared
    run, and `runs` contains the run that determined the key. `key` is None for a fixed baseline
    that an older release set.
    """

    name: str
    runs: list[str]
    changed_at: str
    last: int | None = None
    key: Mapping[str, str] | None = None


class Baselines:
    """Reads and writes the baselines of a catalogue; empty if the catalogue does not exist."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def set(
        self,
        name: str,
        runs: list[str],
        *,
        last: int | None = None,
        key: Mapping[str, str] | None = None,
    ) -> None:
        """Insert or replace a baseline (`last` and `key` as in `Baseline`), and delete the stored
        verdicts against its previous content.

        `changed_at` becomes the current time. Raises QuotaError if there are too many baselines.
        """
        # Milliseconds, because the baseline that was set last applies, and times are compared.
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        row = {
            "name": name,
            "runs": runs,
            "changed_at": now,
            "last": last,
            "key": dict(key) if key else None,
        }

        def write(connection: Connection) -> None:
            NAMED_BASELINES.check_name(connection, name)
            put(connection, BASELINES, row)
            connection.execute(delete(CHECKS).where(CHECKS.c.baseline == name))
            listing.mark_changed(connection)

        transact(self._catalogue, write)

    def get(self, name: str) -> Baseline:
        """Look up a baseline by name; raises BaselineNotFound if there is no such baseline."""
        baseline = next((baseline for baseline in self.all() if baseline.name == name), None)
        if baseline is None:
            raise BaselineNotFound(f"there is no baseline {name!r}")
        return baseline

    def all(self) -> list[Baseline]:
        """List the baselines, sorted by name; empty if there is no catalogue yet."""
        rows = self._catalogue.rows(select(BASELINES).order_by(BASELINES.c.name))
        return [_baseline(row) for row in rows]

    def delete(self, name: str) -> None:
        """Delete a baseline and the verdicts against it, not its runs.

        Raises BaselineNotFound if there is no such baseline.
        """
        self.get(name)
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(BASELINES).where(BASELINES.c.name == name))
            connection.execute(delete(CHECKS).where(CHECKS.c.baseline == name))
            listing.mark_changed(connection)


def _baseline(row: Row[tuple[object, ...]]) -> Baseline:
    key = {str(name): str(value) for name, value in row.key.items()} if row.key else None
    return Baseline(row.name, [*map(str, row.runs)], row.changed_at, row.last, key)
