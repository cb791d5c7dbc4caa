"""What the status of a rule needs of the keys of a catalogue, kept until a run of theirs changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from storage.catalogue import Catalogue
from storage.rule_tables import KEY_STATUS
from storage.rules import Rule
from storage.run_list import RunList
from storage.tables import LISTING, LISTING_STATE
from storage.upsert import transact

Keys = list[Any]
"""The keys of a likeness, as JSON has them."""


@dataclass(frozen=True)
class KeptStatus:
    """What is kept of a rule by likeness, the likenesses of which nothing is, and the version of the list then."""

    version: str
    keys: Mapping[str, Keys]
    missing: Sequence[str]


class KeyStatuses:
    """The kept status of keys of a catalogue, made by a release that calls its rules `made_by`."""

    def __init__(self, catalogue: Catalogue, made_by: str) -> None:
        self._catalogue = catalogue
        self._made_by = made_by

    def of(self, rule: Rule) -> KeptStatus:
        """Return what is kept of the likenesses that a rule covers."""
        # read first: what changes from here on has another version, and nothing is kept of it
        version = RunList(self._catalogue).version()
        if not version:
            return KeptStatus("", {}, [])
        covered = [LISTING.c[name] == value for name, value in rule.filters.items()]
        c = KEY_STATUS.c
        with self._catalogue.connect() as connection:
            kept = connection.execute(select(c.likeness, c.made_by, c["keys"]).where(c.rule == rule.name)).all()
            alike = select(LISTING.c.likeness).where(LISTING.c.likeness != "", *covered).distinct()
            likenesses = [*connection.scalars(alike)]
        sound = {
            likeness: keys for likeness, made_by, keys in kept if made_by == self._made_by and isinstance(keys, list)
        }
        known = {likeness: sound[likeness] for likeness in likenesses if likeness in sound}
        return KeptStatus(version, known, [likeness for likeness in likenesses if likeness not in known])

    def put(self, rule: Rule, version: str, keys: Mapping[str, Keys]) -> None:
        """Keep what was made of the runs as they were at a version of the list, unless they changed since."""
        rows = [
            {"rule": rule.name, "likeness": likeness, "made_by": self._made_by, "keys": some}
            for likeness, some in keys.items()
        ]

        def write(connection: Connection) -> None:
            # holds the row that every change of a run writes, so that none comes between this and the end
            unchanged = update(LISTING_STATE).where(LISTING_STATE.c.version == version).values(version=version)
            if connection.execute(unchanged).rowcount == 0:
                return
            own = (KEY_STATUS.c.rule == rule.name) & KEY_STATUS.c.likeness.in_([*keys])
            connection.execute(delete(KEY_STATUS).where(own))
            connection.execute(insert(KEY_STATUS), rows)

        if rows:
            transact(self._catalogue, write)
