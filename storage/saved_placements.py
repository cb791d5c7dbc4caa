"""Saved placements in the catalogue: placements of the lab that editors saved with runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.errors import RunNotFound
from storage.people_tables import SAVED_PLACEMENTS
from storage.tables import RUNS
from storage.upsert import transact

Heads = tuple[tuple[int, str], ...]
"""Number and time of each saved placement of a run; it changes when placements are added or
removed.
"""


@dataclass(frozen=True)
class NewPlacement:
    """A placement to be saved, see table `kept_answers`."""

    title: str
    query: str
    question: Mapping[str, Any]
    problem: str
    answer: Mapping[str, Any]
    addresses: list[int]


@dataclass(frozen=True)
class SavedPlacement(NewPlacement):
    """A row of table `kept_answers` as it was written; readers must check that it still fits the
    run.
    """

    run_id: str
    number: int
    kept_at: str
    kept_by: str


class TooManyPlacements(Exception):  # noqa: N818 - reads as what it says
    """A run has its maximum number of saved placements."""


class SavedPlacements:
    """Reads and writes the saved placements of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(self, run_id: str, new: NewPlacement, user: str, most: int) -> SavedPlacement:
        """Save a placement and return it with its number, 1 more than any number that the run has
        used.

        Raises RunNotFound if there is no such run, or TooManyPlacements if the run has `most` of
        them.
        """
        saved: list[SavedPlacement] = []

        def write(connection: Connection) -> None:
            here = RUNS.c.run_id == run_id
            # Locks the run's row, so that concurrent requests cannot exceed `most` or reuse a number.
            if not connection.execute(
                update(RUNS).where(here).values(prefix=RUNS.c.prefix)
            ).rowcount:
                raise RunNotFound(f"there is no run {run_id!r}")
            counted = select(func.count()).where(_saved_rows(run_id))
            if connection.execute(counted).scalar_one() >= most:
                raise TooManyPlacements
            number = _last_number(connection, run_id) + 1
            row = SavedPlacement(
                **vars(new), run_id=run_id, number=number, kept_at=timestamp(), kept_by=user
            )
            connection.execute(insert(SAVED_PLACEMENTS).values(removed=False, **vars(row)))
            saved.append(row)

        transact(self._catalogue, write)
        return saved[-1]

    def heads(self, run_id: str) -> Heads:
        """Read number and time of each saved placement of a run, in the order of saving; empty if
        there are no placements.
        """
        with self._catalogue.connect() as connection:
            rows = connection.execute(_HEADS, {"id": run_id}).all()
        return tuple((row.number, row.kept_at) for row in rows)

    def of(self, run_id: str) -> list[SavedPlacement]:
        """Read the saved placements of a run, in the order of saving; empty if there are no
        placements.
        """
        columns = (
            column for column in SAVED_PLACEMENTS.c if column is not SAVED_PLACEMENTS.c.removed
        )
        query = select(*columns).where(_saved_rows(run_id)).order_by(SAVED_PLACEMENTS.c.number)
        with self._catalogue.connect() as connection:
            return [SavedPlacement(**row._mapping) for row in connection.execute(query)]

    def delete(self, run_id: str, number: int) -> bool:
        """Delete a saved placement; return False if it does not exist. Its number is never used
        again.
        """
        blank = {
            "removed": True,
            "title": "",
            "query": "",
            "question": {},
            "answer": {},
            "addresses": [],
        }
        here = SAVED_PLACEMENTS.c.run_id == run_id
        with self._catalogue.begin_removal() as connection:
            removing = (
                update(SAVED_PLACEMENTS)
                .where(_saved_rows(run_id), SAVED_PLACEMENTS.c.number == number)
                .values(blank)
            )
            is_deleted = connection.execute(removing).rowcount > 0
            earlier = SAVED_PLACEMENTS.c.number < _last_number(connection, run_id)
            connection.execute(
                delete(SAVED_PLACEMENTS).where(here, SAVED_PLACEMENTS.c.removed, earlier)
            )
        return is_deleted


def _saved_rows(run_id: str | BindParameter[str]) -> ColumnElement[bool]:
    return (SAVED_PLACEMENTS.c.run_id == run_id) & ~SAVED_PLACEMENTS.c.removed


def _last_number(connection: Connection, run_id: str) -> int:
    """Return the highest number that a run's placements have had, 0 if none was saved."""
    query = select(func.max(SAVED_PLACEMENTS.c.number)).where(SAVED_PLACEMENTS.c.run_id == run_id)
    return connection.execute(query).scalar() or 0


# Built once: every request executes it, and building takes longer than executing it.
_HEADS = (
    select(SAVED_PLACEMENTS.c.number, SAVED_PLACEMENTS.c.kept_at)
    .where(_saved_rows(bindparam("id")))
    .order_by(SAVED_PLACEMENTS.c.number)
)
