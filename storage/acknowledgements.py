"""Acknowledged regressions in the catalogue: the latest acknowledgement per key and baseline rule."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from sqlalchemy import Connection, delete, select

from storage import listing
from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.rule_tables import ACKNOWLEDGEMENTS
from storage.text import plain_text
from storage.upsert import put, transact


@dataclass(frozen=True)
class Acknowledgement:
    """A regression that a user acknowledged: a row of table `acknowledgements`."""

    rule: str
    series: str
    run_id: str
    date: str
    metric: str
    value: float | None
    note: str
    changed_by: str
    changed_at: str = ""


class Acknowledgements:
    """Reads and writes the acknowledgements of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def of(self, rule: str) -> dict[str, Acknowledgement]:
        """Map the series (hash of a key) to the acknowledgement of a rule; empty if the rule has
        none.

        Raises StorageError if the catalogue does not exist.
        """
        with self._catalogue.connect() as connection:
            rows = connection.execute(
                select(*_COLUMNS).where(ACKNOWLEDGEMENTS.c.rule == rule)
            ).all()
        return {row.series: Acknowledgement(*row) for row in rows}

    def put(self, given: Acknowledgement) -> None:
        """Store an acknowledgement; it replaces an earlier acknowledgement of its rule and series.
        Its `changed_at` becomes the current time.
        """
        texts = {"note": plain_text(given.note), "changed_by": plain_text(given.changed_by)}
        row = asdict(given) | texts | {"changed_at": timestamp()}

        def write(connection: Connection) -> None:
            put(connection, ACKNOWLEDGEMENTS, row)
            listing.mark_changed(connection)

        transact(self._catalogue, write)

    def delete(self, rule: str, series: str) -> bool:
        """Delete the acknowledgement of a rule and series; return False if there was no such row."""
        own = (ACKNOWLEDGEMENTS.c.rule == rule) & (ACKNOWLEDGEMENTS.c.series == series)
        with self._catalogue.begin_removal() as connection:
            is_gone = connection.execute(delete(ACKNOWLEDGEMENTS).where(own)).rowcount > 0
            listing.mark_changed(connection)
        return is_gone


_COLUMNS = [ACKNOWLEDGEMENTS.c[field.name] for field in fields(Acknowledgement)]
