"""Series of runs: judged if their points are read, while the points of stored series are read when
they are shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, starmap

from analysis.comparison.series import CAPTURE_SOURCES, Point, Series, SeriesKey, judge_development
from schema.metrics import Metric
from services.trends.cached_trends import FirstSeries, group_runs
from storage.catalogue import Catalogue
from storage.run_values import RunValues, values_by_likeness
from storage.series import SeriesPosition, numbered_captures
from storage.text import plain_text


def make_series(runs: Iterable[RunValues], metric: Metric) -> list[Series]:
    """Return a series per key, with its points, in the order of their first runs; all `runs` must
    have a number for the metric.
    """
    return [judged.series for judged in judge_runs(runs, metric)]


def judge_runs(runs: Iterable[RunValues], metric: Metric) -> list[FirstSeries]:
    """Return a series per key, with the moment of its first run, in the order of their first runs;
    all `runs` must have a number for the metric.
    """
    return [
        FirstSeries(own[0].moment, _series(key, own, metric))
        for key, own in group_runs(runs).items()
    ]


def _series(key: SeriesKey, runs: Sequence[RunValues], metric: Metric) -> Series:
    points = tuple(_point(run, metric) for run in runs)
    return Series(
        key, points, judge_development([point.value for point in points], metric.polarity)
    )


def _point(run: RunValues, metric: Metric) -> Point:
    texts = {name: str(run.run[name]) for name in ("name", "commit", "branch", "file")}
    return Point(run.run_id, date=run.date, value=run.values[metric.name], **texts)


class SeriesReader:
    """Reads the points of stored series of a metric, each once; `likenesses` has the likeness of
    each key.
    """

    def __init__(
        self, catalogue: Catalogue, metric: Metric, likenesses: Mapping[SeriesKey, str]
    ) -> None:
        self._catalogue = catalogue
        self._metric = metric
        self._likenesses = likenesses
        self._read: dict[SeriesKey, Series | None] = {}

    def with_points(self, series: Sequence[Series], positions: Collection[int]) -> list[Series]:
        """Return the series in their order, with points at the given positions; series there whose
        runs were deleted meanwhile are dropped.
        """
        shown = {at for at in positions if series[at].unread is not None}
        missing = [series[at] for at in shown if series[at].key not in self._read]
        self._read |= self._read_points(missing) if missing else {}
        filled = [
            self._with_own_points(each) if at in shown else each for at, each in enumerate(series)
        ]
        return [each for each in filled if each is not None]

    def _with_own_points(self, series: Series) -> Series | None:
        read = self._read[series.key]
        if (
            read is None
            or read.unread is not None
            or series.unread is None
            or read.runs != series.runs
        ):
            return read
        return replace(series, points=read.points, unread=None)

    def _read_points(self, series: Sequence[Series]) -> dict[SeriesKey, Series | None]:
        likenesses = sorted({self._likenesses[each.key] for each in series})
        groups: dict[Hashable, list[tuple[SeriesPosition, float]]] = defaultdict(list)
        for place, number in numbered_captures(self._catalogue, self._metric.name, likenesses):
            groups[place.group(CAPTURE_SOURCES)].append((place, number))
        series_by_key: dict[SeriesKey, Series | None] = {}
        for each in series:
            own = groups[self._group(each.key)]
            # Runs may have been added or deleted since the series was judged.
            if len(own) == each.runs and _is_ordered([place for place, _ in own]):
                series_by_key[each.key] = replace(
                    each, points=tuple(starmap(_position_point, own)), unread=None
                )
        return series_by_key | self._read_runs(
            [each.key for each in series if each.key not in series_by_key]
        )

    def _read_runs(self, keys: Collection[SeriesKey]) -> dict[SeriesKey, Series | None]:
        """Map each key to its series, judged again with points, if runs were added or deleted
        meanwhile, or the list cannot distinguish their runs; `None` if it has no runs.
        """
        series_by_key: dict[SeriesKey, Series | None] = dict.fromkeys(keys)
        for likeness in sorted({self._likenesses[key] for key in keys}):
            runs = values_by_likeness(self._catalogue, [likeness], [self._metric.name]).get(
                likeness, []
            )
            valued = (item for item in runs if self._metric.name in item.values)
            series_by_key |= {
                item.key: item
                for item in make_series(valued, self._metric)
                if item.key in series_by_key
            }
        return series_by_key

    def _group(self, key: SeriesKey) -> Hashable:
        """Return the value that runs of the list's row share with the runs of a key: likeness, m,
        k, n, data type, name; see `SeriesPosition.group`.
        """
        return (
            self._likenesses[key],
            key.m,
            key.k,
            key.n,
            plain_text(key.mac_dtype),
            plain_text(key.name),
        )


def _is_ordered(places: Sequence[SeriesPosition]) -> bool:
    """Whether no two neighbouring observations have the same run and time, so that their order is
    defined.
    """
    return all(before[:3] != after[:3] for before, after in pairwise(places))


def _position_point(place: SeriesPosition, value: float) -> Point:
    return Point(
        place.run_id, place.name, place.date, place.commit, value, place.branch, place.file
    )
