"""Numbers over time as the page of trends shows them: a series per key, with its changes and baselines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.comparison.series import Band, Point, Series, SeriesKey, changes_of
from schema.likeness import KEY, key_of
from schema.metrics import METRICS, Metric
from storage.baselines import Baseline, Baselines
from storage.byte_cache import ByteCache
from storage.catalogue import Catalogue
from storage.checks import Checks
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
    baselines, checks = Baselines(catalogue).all(), Checks(catalogue)
    regressed = {one.name: checks.regressed(one.name) for one in baselines if one.last is not None}
    series = _series(fit, _Asked(asked, baselines, regressed, {one.run_id for one in runs})) if asked else ()
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


@dataclass(frozen=True)
class _Asked:
    """What series are made of: the metric, the baselines, and the ids of all runs.

    `regressed` has of rolling baselines the ids of the runs that the gate called so.
    """

    metric: Metric
    baselines: Sequence[Baseline]
    regressed: Mapping[str, Collection[str]]
    there: Collection[str]


def _series(runs: Sequence[RunValues], asked: _Asked) -> tuple[Series, ...]:
    groups: dict[tuple[str, ...], list[RunValues]] = defaultdict(list)
    for one in runs:
        groups[tuple(key_of(one.run).values())].append(one)
    made = [_one_series(group, asked) for group in groups.values()]
    return tuple(sorted(made, key=lambda series: (-len(series.points), str(series.key))))


def _one_series(runs: Sequence[RunValues], asked: _Asked) -> Series:
    points = tuple(_point(one, asked.metric) for one in runs)
    changes, note = changes_of([point.value for point in points], asked.metric.polarity)
    known: dict[str, Any] = {name: runs[0].run[name] for name in KEY}
    key = SeriesKey(**known | {"tags": key_of(runs[0].run)["tags"]})
    return Series(key, points, changes, note, _bands(points, key_of(runs[0].run), asked))


def _point(one: RunValues, metric: Metric) -> Point:
    return Point(one.run_id, str(one.run["name"]), one.date, str(one.run["commit"]), one.values[metric.name])


def _bands(points: Sequence[Point], key: Mapping[str, str], asked: _Asked) -> tuple[Band, ...]:
    """Return the baselines of a series, the one set last first; runs of a baseline are all of one key."""
    values = {point.run_id: point.value for point in points}
    found = []
    for one in sorted(asked.baselines, key=lambda one: one.changed_at, reverse=True):
        runs = one.runs if one.last is None else _newest(one, points, key, asked.regressed[one.name])
        known = tuple(values[run] for run in runs if run in values)
        deleted = sum(run not in asked.there for run in runs)
        found.append(Band(one.name, known, deleted, len(runs) - deleted - len(known)))
    return tuple(band for band in found if band.values)


def _newest(
    baseline: Baseline, points: Sequence[Point], key: Mapping[str, str], regressed: Collection[str]
) -> list[str]:
    """Return the runs of a rolling baseline that the next run would be compared with; none in another series."""
    if baseline.last is None or baseline.key != key:
        return []
    return [point.run_id for point in points if point.run_id not in regressed][-baseline.last :]


def points_frame(trends: Trends) -> pd.DataFrame:
    """Return the points of all series, a row each, with the changes beside the runs at which they are."""
    name = trends.metric.name if trends.metric else ""
    return pd.DataFrame([(name, *row) for one in trends.series for row in _rows(one)], columns=_EXPORTED)


def _rows(one: Series) -> Iterator[tuple[object, ...]]:
    changes = {change.index: (change.relative, change.verdict) for change in one.changes}
    for rank, point in enumerate(one.points):
        yield (*one.key, rank + 1, *point, *changes.get(rank, (None, "")))
