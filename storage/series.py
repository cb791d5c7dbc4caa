"""Runs that are alike, in the order in which they were captured: a run has a place per observation."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, select

from schema.runs import RUN
from storage.catalogue import Catalogue
from storage.run_values import is_number
from storage.stored_run import column_checks, fits_columns
from storage.tables import LISTED_METRICS, LISTING, OBSERVATIONS, RUNS

_AT_ONCE = 500
"""Ids in one question."""


class SeriesPosition(NamedTuple):
    """A capture of a run among those that are alike, in order: by its date, else its ingest's; then ingest, then id.

    `created_at` is when this capture was ingested; `commit`, `branch` and `file` are its own.
    """

    date: str
    created_at: str
    run_id: str
    prefix: str
    likeness: str
    commit: str = ""
    branch: str = ""
    file: str = ""
    source: str = ""
    name: str = ""
    m: int | None = None
    k: int | None = None
    n: int | None = None
    mac_dtype: str = ""

    def group(self, unnamed: Collection[str]) -> Hashable:
        """Return what captures of one series share; the name is none of it where the source is `unnamed`."""
        name = "" if self.source in unnamed else self.name
        return self.likeness, self.m, self.k, self.n, self.mac_dtype, name


def places(catalogue: Catalogue, runs: Sequence[str]) -> dict[str, SeriesPosition]:
    """Return the newest place of each run by its id, without those that are not there."""
    batches = [runs[begin : begin + _AT_ONCE] for begin in range(0, len(runs), _AT_ONCE)]
    found = [place for batch in batches for place in _places(catalogue, LISTING.c.run_id.in_(batch))]
    return {place.run_id: place for place in sorted(found)}


def series(catalogue: Catalogue, likeness: str) -> list[SeriesPosition]:
    """Return the places of the runs of a likeness, oldest first."""
    return sorted(_places(catalogue, LISTING.c.likeness == likeness))


def captures(
    catalogue: Catalogue, filters: Mapping[str, object], likenesses: Sequence[str] | None = None
) -> list[SeriesPosition]:
    """Return the places of all runs, oldest first, without damaged ones; `filters` maps columns of the list to values.

    Only the narrow rows of the list are read, those of some `likenesses` where they are given.
    """
    fit = [LISTING.c[name] == value for name, value in filters.items()]
    if likenesses is None or len(likenesses) > _AT_ONCE:
        wanted = None if likenesses is None else {*likenesses}
        found = _places(catalogue, LISTING.c.likeness != "", *fit)
        return sorted(one for one in found if wanted is None or one.likeness in wanted)
    return sorted(_places(catalogue, LISTING.c.likeness.in_(likenesses), *fit))


def numbered_captures(
    catalogue: Catalogue, metric: str, likenesses: Sequence[str]
) -> list[tuple[SeriesPosition, float]]:
    """Return the places of the runs of likenesses that have a number for a headline metric, oldest first, with it.

    A number that the list has is read of its narrow rows.
    """
    is_listed = metric in LISTED_METRICS
    asked = _POSITIONS.add_columns(LISTING.c[metric] if is_listed else RUNS.c.headline)
    asked = asked if is_listed else asked.join(RUNS, RUNS.c.run_id == LISTING.c.run_id)
    found: list[tuple[SeriesPosition, float]] = []
    with catalogue.connect() as connection:
        for begin in range(0, len(likenesses), _AT_ONCE):
            alike = LISTING.c.likeness.in_(likenesses[begin : begin + _AT_ONCE])
            for *place, given in connection.execute(asked.where(alike)):
                number = given.get(metric) if isinstance(given, dict) else given
                if is_number(number):
                    found.append((SeriesPosition._make(place), float(number)))
    return sorted(found)


def key_columns(catalogue: Catalogue, runs: Sequence[str]) -> dict[str, Mapping[str, object]]:
    """Return run id -> frame `run` of the runs whose columns of a key can be right."""
    found: dict[str, Mapping[str, object]] = {}
    with catalogue.connect() as connection:
        for begin in range(0, len(runs), _AT_ONCE):
            asked = select(RUNS.c.run_id, RUNS.c.run).where(RUNS.c.run_id.in_(runs[begin : begin + _AT_ONCE]))
            rows = connection.execute(asked)
            found |= {
                row.run_id: row.run for row in rows if isinstance(row.run, dict) and fits_columns(row.run, _KEY_CHECKS)
            }
    return found


def names(catalogue: Catalogue, runs: Sequence[str]) -> dict[str, str]:
    """Return run id -> name of the runs that are there."""
    found: dict[str, str] = {}
    with catalogue.connect() as connection:
        for begin in range(0, len(runs), _AT_ONCE):
            asked = select(LISTING.c.run_id, LISTING.c.name).where(LISTING.c.run_id.in_(runs[begin : begin + _AT_ONCE]))
            found |= {row.run_id: row.name for row in connection.execute(asked)}
    return found


def _places(catalogue: Catalogue, *conditions: ColumnElement[bool]) -> list[SeriesPosition]:
    if not catalogue.is_created():
        return []
    with catalogue.connect() as connection:
        return [*map(SeriesPosition._make, connection.execute(_POSITIONS.where(*conditions)))]


def _select_positions() -> Select[Any]:
    c, seen = LISTING.c, OBSERVATIONS.c
    of_capture = {"created_at": seen.observed_at} | {name: seen[name] for name in ("date", "commit", "branch", "file")}
    columns = [of_capture.get(name, c[name]) for name in SeriesPosition._fields]
    return select(*columns).select_from(LISTING.join(OBSERVATIONS, c.run_id == seen.run_id))


_POSITIONS = _select_positions()
_KEY = ("run_id", "source", "name", "hwid", "M", "K", "N", "m", "k", "n", "rows", "cols", "mac_dtype", "tags")
_KEY_CHECKS = column_checks(column for column in RUN.columns if column.name in _KEY)
