"""A number over time: points in their order, the levels between which it changes, and the baseline beside them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from analysis.comparison.verdict import Verdict, named
from analysis.statistics.change_points import LEAST_RUNS, change_points, relative_change

MOST_COMPARED = 5
"""Runs on either side of a change that are compared."""


class SeriesKey(NamedTuple):
    """What the runs of a series have in common; `tags` are sorted words."""

    source: str
    hwid: str
    M: int | None
    K: int | None
    N: int | None
    rows: int | None
    cols: int | None
    tags: str


class Point(NamedTuple):
    """A run's number; `date` is ISO 8601, `commit` empty where it is not known."""

    run_id: str
    name: str
    date: str
    commit: str
    value: float


@dataclass(frozen=True)
class Change:
    """Where a number changes: the position of the first run of the new level, by how much, and whether it is better."""

    index: int
    relative: float
    verdict: Verdict


class Level(NamedTuple):
    """Runs between two changes, by the positions of the first and of the one after the last, and their median."""

    first: int
    end: int
    median: float


@dataclass(frozen=True)
class Band:
    """The numbers of the runs of a baseline; of its other runs some were deleted, some have no number."""

    name: str
    values: tuple[float, ...]
    deleted: int = 0
    without: int = 0

    @property
    def median(self) -> float:
        return statistics.median(self.values)


@dataclass(frozen=True)
class Series:
    """The numbers of the runs of one key, in order; `note` says why changes were not looked for."""

    key: SeriesKey
    points: tuple[Point, ...]
    changes: tuple[Change, ...] = ()
    note: str = ""
    bands: tuple[Band, ...] = ()

    def levels(self) -> list[Level]:
        """Return the levels that the changes part the series into; none where changes were not looked for."""
        if self.note:
            return []
        edges = [0, *(change.index for change in self.changes), len(self.points)]
        values = [point.value for point in self.points]
        return [Level(first, end, statistics.median(values[first:end])) for first, end in pairwise(edges)]

    def sides(self, rank: int) -> tuple[list[str], list[str]]:
        """Return the runs to compare at a change: the last ones of the level before, the first ones of its own."""
        before, after = self.levels()[rank : rank + 2]
        base = self.points[max(before.first, before.end - MOST_COMPARED) : before.end]
        new = self.points[after.first : min(after.end, after.first + MOST_COMPARED)]
        return [point.run_id for point in base], [point.run_id for point in new]


def changes_of(values: Sequence[float], polarity: int) -> tuple[tuple[Change, ...], str]:
    """Return where numbers in their order change, or why that cannot be told."""
    numbers = np.array(values, np.float64)
    if len(numbers) < LEAST_RUNS:
        return (), f"{len(numbers)} run{'s' * (len(numbers) != 1)}, and change points need {LEAST_RUNS}"
    if not (numbers > 0).all():
        return (), "change points need numbers above 0"
    places = change_points(numbers)
    sizes = [relative_change(numbers, places, index) for index in range(len(places))]
    found = [Change(place, size, named(size, polarity)) for place, size in zip(places, sizes, strict=True)]
    return tuple(found), ""
