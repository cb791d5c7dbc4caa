"""Series: captures of runs with an equal key, in the order of capture; a run has a position per
capture.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, func, or_, select, true

from schema.peak_rates import RATES
from schema.runs import GIVEN_DATE_ORIGINS, RUN
from storage.catalogue import Catalogue
from storage.run_values import KEY_COLUMNS, is_number, usable_numbers
from storage.stored_run import column_checks, fits_columns
from storage.tables import LISTED_METRICS, LISTING, OBSERVATIONS, RUNS

_BATCH_SIZE = 500
"""Maximum number of ids per query."""


class SeriesPosition(NamedTuple):
    """A capture of a run in its series; positions sort by date of capture (else of ingest), ingest
    and run id.

    `created_at` is the time of this capture's ingest; `commit`, `branch` and `file` belong to this
    capture. `stem` is that of the file if the run is named after its folder, else "".
    `impossible`: rates of the run exceed the peak of its cores, so that no run is compared with it.
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
    stem: str = ""
    impossible: bool = False

    @property
    def series_name(self) -> str:
        """Name that the runs of the series share: the stem if there is one, else the name."""
        # Folders are often dated, and would give every run a series of its own.
        return self.stem or self.name

    def group(self, unnamed: Collection[str]) -> Hashable:
        """Return a value that is equal for two captures exactly if they belong to the same series.

        The name of the run is part of it unless its source is in `unnamed`.
        """
        name = "" if self.source in unnamed else self.series_name
        return self.likeness, self.m, self.k, self.n, self.mac_dtype, name


def places(catalogue: Catalogue, runs: Sequence[str]) -> dict[str, SeriesPosition]:
    """Map run ids to the newest position of each run; runs that do not exist are left out."""
    positions: list[SeriesPosition] = []
    for begin in range(0, len(runs), _BATCH_SIZE):
        positions += _select_positions_where(
            catalogue, LISTING.c.run_id.in_(runs[begin : begin + _BATCH_SIZE])
        )
    # The newest position of a run comes last and so replaces its older positions.
    return {position.run_id: position for position in sorted(positions)}


def series(catalogue: Catalogue, likeness: str) -> list[SeriesPosition]:
    """List the positions of the captures of all runs with a likeness, oldest first; empty if there
    are no such runs.
    """
    return sorted(_select_positions_where(catalogue, LISTING.c.likeness == likeness))


def captures(
    catalogue: Catalogue, filters: Mapping[str, object], likenesses: Sequence[str] | None = None
) -> list[SeriesPosition]:
    """List the positions of the captures of all runs that match, oldest first, without damaged
    runs.

    `filters` maps columns of the list of runs to required values. `likenesses` selects runs too,
    None accepts all. Only table `listing` and the observations are read. Empty if there is no
    catalogue.
    """
    fit = [LISTING.c[name] == value for name, value in filters.items()]
    if likenesses is None or len(likenesses) > _BATCH_SIZE:
        wanted = None if likenesses is None else {*likenesses}
        positions = _select_positions_where(catalogue, LISTING.c.likeness != "", *fit)
        return sorted(
            position for position in positions if wanted is None or position.likeness in wanted
        )
    return sorted(_select_positions_where(catalogue, LISTING.c.likeness.in_(likenesses), *fit))


def captures_until(
    catalogue: Catalogue, last: SeriesPosition, unnamed: Collection[str], branch: str, most: int
) -> list[SeriesPosition]:
    """List the last `most` positions of a series up to `last`, oldest first; table `runs` is not
    read.

    Other positions than `last` are on `branch` ("": any). `unnamed` are the sources whose series
    have runs of several names, see `SeriesPosition.group`.
    """
    c = LISTING.c
    names = ("likeness", "m", "k", "n", "mac_dtype")
    own = {name: getattr(last, name) for name in names if getattr(last, name) is not None}
    absent = [name for name in names if getattr(last, name) is None]
    on_branch = OBSERVATIONS.c.branch == branch if branch else true()
    conditions = [
        OBSERVATIONS.c.date <= last.date,
        or_(on_branch, c.run_id == last.run_id),
        *(c[name] == value for name, value in own.items()),
        *(c[name].is_(None) for name in absent),
        *([] if last.source in unnamed else [last.series_name == _SERIES_NAME]),
    ]
    newest_first = [OBSERVATIONS.c.date.desc(), OBSERVATIONS.c.observed_at.desc(), c.run_id.desc()]
    query = POSITIONS.where(*conditions).order_by(*newest_first).limit(most)
    with catalogue.connect() as connection:
        found = [*map(SeriesPosition._make, connection.execute(query))]
    return sorted(position for position in found if position <= last)


def recent_captures(
    catalogue: Catalogue, filters: Mapping[str, object], since: str, most: int
) -> list[SeriesPosition]:
    """List the positions of the captures with a commit that were ingested from `since` on, the last
    ingested first, at most `most`; `filters` and damaged runs as for `captures`.

    `since` has the format of `storage.clock.timestamp`.
    """
    if not catalogue.is_created():
        return []
    c = OBSERVATIONS.c
    fit = [LISTING.c[name] == value for name, value in filters.items()]
    conditions = [c.observed_at >= since, c.commit != "", LISTING.c.likeness != "", *fit]
    newest_first = [c.observed_at.desc(), LISTING.c.run_id.desc()]
    query = POSITIONS.where(*conditions).order_by(*newest_first).limit(most)
    with catalogue.connect() as connection:
        return [*map(SeriesPosition._make, connection.execute(query))]


def numbered_captures(
    catalogue: Catalogue, metric: str, likenesses: Sequence[str]
) -> list[tuple[SeriesPosition, float]]:
    """List (position, value) for each capture of the runs of these likenesses whose headline metric
    `metric` is a usable number (`usable_numbers`), oldest first.

    If table `listing` has the metric, table `runs` is not read.
    """
    is_listed = metric in LISTED_METRICS
    query = POSITIONS.add_columns(LISTING.c[metric] if is_listed else RUNS.c.headline)
    query = query if is_listed else query.join(RUNS, RUNS.c.run_id == LISTING.c.run_id)
    numbered: list[tuple[SeriesPosition, float]] = []
    with catalogue.connect() as connection:
        for begin in range(0, len(likenesses), _BATCH_SIZE):
            alike = LISTING.c.likeness.in_(likenesses[begin : begin + _BATCH_SIZE])
            for *values, value in connection.execute(query.where(alike)):
                place = SeriesPosition._make(values)
                number = usable_numbers(value).get(metric) if isinstance(value, dict) else value
                # Table `listing` has no other metrics that may be impossible.
                is_usable = not (is_listed and place.impossible and metric in RATES)
                if is_number(number) and is_usable:
                    numbered.append((place, float(number)))
    return sorted(numbered)


def key_columns(catalogue: Catalogue, runs: Sequence[str]) -> dict[str, Mapping[str, object]]:
    """Map run ids to rows of frame `run`, for the runs that exist and whose columns of the key have
    valid values.
    """
    columns: dict[str, Mapping[str, object]] = {}
    with catalogue.connect() as connection:
        for begin in range(0, len(runs), _BATCH_SIZE):
            query = select(RUNS.c.run_id, RUNS.c.run).where(
                RUNS.c.run_id.in_(runs[begin : begin + _BATCH_SIZE])
            )
            rows = connection.execute(query)
            columns |= {
                row.run_id: row.run
                for row in rows
                if isinstance(row.run, dict) and fits_columns(row.run, _KEY_CHECKS)
            }
    return columns


def names(catalogue: Catalogue, runs: Sequence[str]) -> dict[str, str]:
    """Map run ids to names, for the runs that exist."""
    names_by_id: dict[str, str] = {}
    with catalogue.connect() as connection:
        for begin in range(0, len(runs), _BATCH_SIZE):
            query = select(LISTING.c.run_id, LISTING.c.name).where(
                LISTING.c.run_id.in_(runs[begin : begin + _BATCH_SIZE])
            )
            names_by_id |= {row.run_id: row.name for row in connection.execute(query)}
    return names_by_id


def undated_captures(catalogue: Catalogue, runs: Sequence[str]) -> set[tuple[str, str]]:
    """Find run id and date of the captures of these runs whose date is a guess: the modification
    time of the file, or the time of the ingest.
    """
    found: set[tuple[str, str]] = set()
    with catalogue.connect() as connection:
        for begin in range(0, len(runs), _BATCH_SIZE):
            query = select(OBSERVATIONS.c.run_id, OBSERVATIONS.c.date).where(
                OBSERVATIONS.c.run_id.in_(runs[begin : begin + _BATCH_SIZE]),
                OBSERVATIONS.c.taken_from.not_in(GIVEN_DATE_ORIGINS),
            )
            found |= {(row.run_id, row.date) for row in connection.execute(query)}
    return found


def _select_positions_where(
    catalogue: Catalogue, *conditions: ColumnElement[bool]
) -> list[SeriesPosition]:
    if not catalogue.is_created():
        return []
    with catalogue.connect() as connection:
        return [*map(SeriesPosition._make, connection.execute(POSITIONS.where(*conditions)))]


def _select_positions() -> Select[Any]:
    c = LISTING.c
    seen = OBSERVATIONS.c
    of_capture: dict[str, ColumnElement[Any]] = {
        "created_at": seen.observed_at,
        "stem": func.coalesce(c.stem, ""),
        "impossible": and_(c.gmacs_mean.is_not(None), c.best_in_peak.is_(None)),
    } | {name: seen[name] for name in ("date", "commit", "branch", "file")}
    columns = [
        of_capture[name] if name in of_capture else c[name] for name in SeriesPosition._fields
    ]
    return select(*columns).select_from(LISTING.join(OBSERVATIONS, c.run_id == seen.run_id))


POSITIONS = _select_positions()
"""Statement that selects the columns of `SeriesPosition` for every capture of every run."""
_SERIES_NAME = func.coalesce(func.nullif(LISTING.c.stem, ""), LISTING.c.name)
_KEY_CHECKS = column_checks(column for column in RUN.columns if column.name in KEY_COLUMNS)
