"""Numbers over time as the page of trends shows them: a series per key, with its changes and baselines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.comparison.series import Band, Point, Series, SeriesKey, changes_of
from schema.likeness import KEY, key_of
from schema.metrics import METRICS, Metric
from services.members import Members
from storage.baselines import Baselines
from storage.byte_cache import ByteCache
from storage.catalogue import Catalogue
from storage.run_list import RunList
from storage.run_values import RunValues, run_values

FILTERS = ("source", "hwid", "M", "K", "N", "tag")
"""What narrows the runs, by the name that it has in addresses."""
DEFAULT_METRIC = "gmacs_mean"
"""What is shown first, where any run has it."""
_MOST_ANSWERS = 4
_EXPORTED = ["metric", *SeriesKey._fields, "number", *Point._fields, "relative", "verdict"]
_DATED = ("setting", "file")
"""Where a date is from that says when a run was captured."""


@dataclass(frozen=True)
class Trends:
    """The series of a metric, those of most runs first.

    `runs` of the catalogue, `dated` of them with a date of capture; `metrics` that any has a number for, and the values
    of the filters, are those of all runs.
    """

    metric: Metric | None
    series: tuple[Series, ...]
    metrics: tuple[Metric, ...]
    choices: Mapping[str, tuple[str, ...]]
    runs: int
    dated: int


class TrendsAnswers:
    """The answers asked for last, each made once as long as neither runs nor baselines change."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._list = RunList(catalogue)
        self._answers = ByteCache[Trends](_MOST_ANSWERS, lambda _: 1)

    def get(self, metric: str, filters: Mapping[str, str]) -> Trends:
        """Return the series of a metric over the runs that fit; "" is the default one, and any value of a filter."""
        key = (self._list.version(), metric, tuple(filters.get(name, "") for name in FILTERS))
        return self._answers.get(key, lambda: _trends(self._catalogue, metric, filters))


def _trends(catalogue: Catalogue, metric: str, filters: Mapping[str, str]) -> Trends:
    runs = run_values(catalogue)
    names = {name for one in runs for name in one.values}
    known = tuple(one for name, one in METRICS.items() if name in names)
    asked = next((one for one in known if one.name == (metric or DEFAULT_METRIC)), known[0] if known else None)
    dated = sum(one.run["taken_from"] in _DATED for one in runs)
    fit = [one for one in runs if asked and asked.name in one.values and _fits(one, filters)]
    series = _series(fit, asked, _members(catalogue)) if asked else ()
    return Trends(asked, series, known, _choices(runs), len(runs), dated)


def _fits(one: RunValues, filters: Mapping[str, str]) -> bool:
    wanted = {name: value for name, value in filters.items() if value}
    tag = wanted.pop("tag", "")
    return all(str(one.run[name]) == value for name, value in wanted.items()) and (not tag or tag in one.tags)


def _choices(runs: Sequence[RunValues]) -> dict[str, tuple[str, ...]]:
    """Return filter -> the values that it has, numbers by size."""
    found = {name: {one.run[name] for one in runs} - {None, ""} for name in FILTERS if name != "tag"}
    tags = sorted({tag for one in runs for tag in set(key_of(one.run)["tags"].split())})
    return {name: tuple(map(str, sorted(values))) for name, values in found.items()} | {"tag": tuple(tags)}  # type: ignore[type-var]


def _members(catalogue: Catalogue) -> list[Members]:
    """Return the baselines with their runs, the one set last first."""
    baselines = sorted(Baselines(catalogue).all(), key=lambda one: one.changed_at, reverse=True)
    return [Members(catalogue, baseline) for baseline in baselines]


def _series(runs: Sequence[RunValues], metric: Metric, baselines: Sequence[Members]) -> tuple[Series, ...]:
    groups: dict[tuple[str, ...], list[RunValues]] = defaultdict(list)
    for one in runs:
        groups[tuple(key_of(one.run).values())].append(one)
    made = [_one_series(group, metric, baselines) for group in groups.values()]
    return tuple(sorted(made, key=lambda series: (-len(series.points), str(series.key))))


def _one_series(runs: Sequence[RunValues], metric: Metric, baselines: Sequence[Members]) -> Series:
    points = tuple(_point(one, metric) for one in runs)
    changes, note = changes_of([point.value for point in points], metric.polarity)
    known: dict[str, Any] = {name: runs[0].run[name] for name in KEY}
    key = SeriesKey(**known | {"tags": key_of(runs[0].run)["tags"]})
    return Series(key, points, changes, note, _bands(points, baselines))


def _point(one: RunValues, metric: Metric) -> Point:
    return Point(one.run_id, str(one.run["name"]), one.date, str(one.run["commit"]), one.values[metric.name])


def _bands(points: Sequence[Point], baselines: Sequence[Members]) -> tuple[Band, ...]:
    """Return the baselines of a series; runs of a baseline are all of one key."""
    values = {point.run_id: point.value for point in points}
    found = []
    for one in baselines:
        runs = one.now()
        known = tuple(values[run] for run in runs if run in values)
        found.append(Band(one.baseline.name, known, len(one.deleted), len(runs) - len(known)))
    return tuple(band for band in found if band.values)


def points_frame(trends: Trends) -> pd.DataFrame:
    """Return the points of all series, a row each, with the changes beside the runs at which they are."""
    name = trends.metric.name if trends.metric else ""
    return pd.DataFrame([(name, *row) for one in trends.series for row in _rows(one)], columns=_EXPORTED)


def _rows(one: Series) -> Iterator[tuple[object, ...]]:
    changes = {change.index: (change.relative, change.verdict) for change in one.changes}
    for rank, point in enumerate(one.points):
        yield (*one.key, rank + 1, *point, *changes.get(rank, (None, "")))
