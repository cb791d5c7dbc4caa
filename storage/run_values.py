"""Read the points of series (metrics of runs over time) from the catalogue, checked and ordered by
capture.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from sqlalchemy import ColumnElement, select

from schema.impossible import impossible_metrics
from schema.metrics import METRICS
from schema.runs import RUN
from storage.catalogue import Catalogue
from storage.observation import Observation
from storage.observations import read_observations
from storage.people_tables import RUN_TAGS
from storage.stored_run import column_checks, fits_columns
from storage.tables import LISTING, RUNS

KEY_COLUMNS = (
    "run_id",
    "source",
    "name",
    "stem",
    "hwid",
    "M",
    "K",
    "N",
    "m",
    "k",
    "n",
    "rows",
    "cols",
    "mac_dtype",
    "tags",
)
"""Columns of frame `run` that decide the series of a run."""
_READ_COLUMNS = (
    *KEY_COLUMNS,
    *("created_at", "taken_at", "taken_from", "commit", "branch", "file"),
)
_COLUMNS = [column for column in RUN.columns if column.name in _READ_COLUMNS]
_CHECKS = column_checks(_COLUMNS)
_NULLS = {column.name: "" if column.dtype == "str" else None for column in _COLUMNS}
"""Column of frame `run` -> its null value."""
_BATCH_SIZE = 500
"""Maximum number of likenesses or run ids per query."""
Moment = tuple[str, str, str]
"""Sort key of captures: date, ingest, run id."""


@dataclass(frozen=True)
class RunValues:
    """A capture of a run: a few columns of frame `run`, and its usable headline metrics, see
    `usable_numbers`.

    If the run was captured several times, `run` has the values of this capture, with `created_at`
    the time of its ingest. `tags` are the current tags of the list of runs, as users changed them.
    `prefix` changes when the stored content changes. `impossible` has the names of the metrics with
    a number that no hardware reaches; `values` lacks them.
    """

    run: Mapping[str, object]
    values: Mapping[str, float]
    tags: frozenset[str] = frozenset()
    prefix: str = ""
    impossible: frozenset[str] = frozenset()

    @property
    def run_id(self) -> str:
        """Id of the captured run."""
        return str(self.run["run_id"])

    @property
    def date(self) -> str:
        """Time of the capture, else of the ingest (ISO 8601)."""
        return str(self.run["taken_at"] or self.run["created_at"])

    @property
    def moment(self) -> Moment:
        """Sort key of captures, oldest first: date, time of the ingest, run id."""
        return self.date, str(self.run["created_at"]), self.run_id


def values_by_likeness(
    catalogue: Catalogue, likenesses: Sequence[str], named: Collection[str] = ()
) -> dict[str, list[RunValues]]:
    """Map each likeness to the observations of its runs, oldest first; empty lists for
    likenesses without runs, and an empty dict without a catalogue.

    The caller passes at most 500 likenesses, all of which go into a single query. Of named numbers
    only the keys `named` are read: a run may have thousands.
    """
    if not catalogue.is_created():
        return {}
    alike = LISTING.c.likeness.in_(likenesses)
    with catalogue.connect() as connection:
        rows = connection.execute(select(LISTING.c.run_id, LISTING.c.likeness).where(alike))
        likeness_by_id = {run_id: likeness for run_id, likeness in rows}  # noqa: C416 - rows are no pairs to mypy
    captures: dict[str, list[RunValues]] = {likeness: [] for likeness in likenesses}
    listed = RUNS.c.run_id.in_(select(LISTING.c.run_id).where(alike))
    for capture in _captures_where(catalogue, listed, named):
        # A run that was ingested between the two queries has no likeness here.
        if capture.run_id in likeness_by_id:
            captures[likeness_by_id[capture.run_id]].append(capture)
    return captures


def values_of_runs(
    catalogue: Catalogue, runs: Sequence[str], named: Collection[str] = ()
) -> list[RunValues]:
    """Read a record for each observation of these runs, in queries of 500 runs, ordered by date
    within each. Runs that do not exist or have invalid values are left out.

    Of named numbers only the keys `named` are read. Empty if there is no catalogue.
    """
    captures: list[RunValues] = []
    for begin in range(0, len(runs), _BATCH_SIZE):
        batch = runs[begin : begin + _BATCH_SIZE]
        captures += _captures_where(catalogue, RUNS.c.run_id.in_(batch), named)
    return captures


def _captures_where(
    catalogue: Catalogue, condition: ColumnElement[bool], named: Collection[str]
) -> list[RunValues]:
    """Read a record for each observation of the runs that meet a condition, ordered by date."""
    if not catalogue.is_created():
        return []
    with catalogue.connect() as connection:
        rows = connection.execute(
            select(RUNS.c.run_id, RUNS.c.run, RUNS.c.headline, RUNS.c.prefix).where(condition)
        )
        tags = defaultdict(set)
        tagged = RUN_TAGS.c.run_id.in_(select(RUNS.c.run_id).where(condition))
        for run_id, tag in connection.execute(
            select(RUN_TAGS.c.run_id, RUN_TAGS.c.tag).where(tagged)
        ):
            tags[run_id].add(tag)
        runs = [
            _values(run, _choose_numbers(headline, named), frozenset(tags.get(run_id, ())), prefix)
            for run_id, run, headline, prefix in rows
            if _is_sound(run_id, run, headline)
        ]
    observations = read_observations(catalogue, [run.run_id for run in runs])
    captures: list[RunValues] = []
    for values in runs:
        captures += _captures(values, observations.get(values.run_id, ()))
    return sorted(captures, key=lambda capture: capture.moment)


def _captures(values: RunValues, observations: Sequence[Observation]) -> list[RunValues]:
    """Copy a run for each of its observations, in their order; without observations, the list has
    only the run itself.
    """
    runs = [{**values.run, **seen.origin, "created_at": seen.observed_at} for seen in observations]
    return [replace(values, run=run) for run in runs] or [values]


def _is_sound(run_id: str, run: object, headline: object) -> bool:
    return (
        isinstance(run, dict)
        and isinstance(headline, dict)
        and run.get("run_id") == run_id
        and fits_columns(run, _CHECKS)
    )


def _choose_numbers(headline: Mapping[str, object], named: Collection[str]) -> dict[str, object]:
    """Return the metrics of the registry, and the named numbers with the given keys."""
    names = METRICS if not named else (*METRICS, *named)
    return {name: headline[name] for name in names if name in headline}


def _values(
    run: Mapping[str, object], headline: Mapping[str, object], tags: frozenset[str], prefix: str
) -> RunValues:
    numbers = _finite_numbers(headline)
    usable = _without_impossible(numbers)
    return RunValues(
        _NULLS | {name: run[name] for name in _READ_COLUMNS if run.get(name) is not None},
        usable,
        tags,
        prefix,
        frozenset(numbers.keys() - usable.keys()),
    )


def usable_numbers(headline: Mapping[str, object]) -> dict[str, float]:
    """Return the finite numbers among headline metrics, without impossible ones: a rate above the
    peak would be the best of every series.
    """
    return _without_impossible(_finite_numbers(headline))


def _without_impossible(numbers: Mapping[str, float]) -> dict[str, float]:
    impossible = impossible_metrics(numbers)
    return {name: value for name, value in numbers.items() if name not in impossible}


def _finite_numbers(headline: Mapping[str, object]) -> dict[str, float]:
    return {name: float(value) for name, value in headline.items() if is_number(value)}


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number; True and False count as numbers."""
    return isinstance(value, int | float) and math.isfinite(value)
