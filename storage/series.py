"""Runs that are alike, in the order in which they were captured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, select

from storage.catalogue import Catalogue
from storage.tables import LISTING

_AT_ONCE = 500
"""Ids in one question."""


@dataclass(frozen=True, order=True)
class Place:
    """A run among those that are alike, in order: by its capture's date, else its ingest's; then ingest, then id."""

    date: str
    created_at: str
    run_id: str
    prefix: str
    likeness: str


def places(catalogue: Catalogue, runs: Sequence[str]) -> dict[str, Place]:
    """Return the places of runs by their ids, without those that are not there."""
    batches = [runs[begin : begin + _AT_ONCE] for begin in range(0, len(runs), _AT_ONCE)]
    found = [place for batch in batches for place in _places(catalogue, LISTING.c.run_id.in_(batch))]
    return {place.run_id: place for place in found}


def series(catalogue: Catalogue, likeness: str) -> list[Place]:
    """Return the places of the runs of a likeness, oldest first."""
    return sorted(_places(catalogue, LISTING.c.likeness == likeness))


def names(catalogue: Catalogue, runs: Sequence[str]) -> dict[str, str]:
    """Return run id -> name of the runs that are there."""
    found: dict[str, str] = {}
    with catalogue.connect() as connection:
        for begin in range(0, len(runs), _AT_ONCE):
            asked = select(LISTING.c.run_id, LISTING.c.name).where(LISTING.c.run_id.in_(runs[begin : begin + _AT_ONCE]))
            found |= {row.run_id: row.name for row in connection.execute(asked)}
    return found


def _places(catalogue: Catalogue, condition: ColumnElement[bool]) -> list[Place]:
    if not catalogue.created():
        return []
    c = LISTING.c
    with catalogue.connect() as connection:
        rows = connection.execute(select(c.date, c.created_at, c.run_id, c.prefix, c.likeness).where(condition))
        return [Place(*row) for row in rows]
