"""A number over time: points in their order, what happened to it, and the baseline beside it."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from analysis.comparison.verdict import Verdict, name_change
from analysis.statistics.events import LEAST_RUNS, Event, Part, trace_course
from schema.likeness import key_of
from schema.plurals import plural
from schema.sources import SOURCES

CAPTURE_SOURCES = frozenset(source.name for source in SOURCES if "iterations" in source.derives)
"""Sources of captures, whose names say which capture it is and not what was measured."""
RULES_VERSION = "1"
"""Another one after every change of what `judge_development` finds in the same numbers."""
MOST_COMPARED = 5
"""Runs on either side of a change that are compared."""


class SeriesKey(NamedTuple):
    """What the runs of a series have in common; `tags` are sorted words.

    `name` is None of captures, which have a name each: that of a compile or of a training says what was compiled.
    """

    source: str
    hwid: str
    M: int | None
    K: int | None
    N: int | None
    m: int | None
    k: int | None
    n: int | None
    rows: int | None
    cols: int | None
    mac_dtype: str | None
    tags: str
    name: str | None

    @classmethod
    def of(cls, run: Mapping[str, object]) -> SeriesKey:
        """Return the key of a run of frame `run`."""
        known = {name: run.get(name) for name in cls._fields}
        is_capture = run["source"] in CAPTURE_SOURCES
        own = {"mac_dtype": known["mac_dtype"] or None, "name": None if is_capture else known["name"]}
        return cls(**known | own | {"tags": key_of(run)["tags"]})  # type: ignore[arg-type]


class Point(NamedTuple):
    """A run's number at one of its captures; `date` is ISO 8601, the other texts are empty where they are not known."""

    run_id: str
    name: str
    date: str
    commit: str
    value: float
    branch: str = ""
    file: str = ""


Basis = Literal["levels", "comparison", "pending"]


@dataclass(frozen=True)
class JudgedEvent(Event):
    """An event of a series, and whether that is better.

    `basis` says where its numbers are from: the medians and lines of the `levels`, or a `comparison` of the runs on
    either side. While this is `pending`, they are those of the levels, and not to be shown.
    """

    verdict: Verdict = "changed"
    basis: Basis = "levels"

    @property
    def change_point(self) -> dict[str, object]:
        """Return a step as plain values by name."""
        return {"index": self.first, "relative": self.relative, "verdict": self.verdict}


@dataclass(frozen=True)
class Development:
    """How a number developed: the parts that span its series, and what happened; `note` says why neither is known."""

    parts: tuple[Part, ...] = ()
    events: tuple[JudgedEvent, ...] = ()
    note: str = ""

    @property
    def steps(self) -> tuple[JudgedEvent, ...]:
        """Return the events after which the level is another one: the change points."""
        return tuple(event for event in self.events if event.kind == "step")

    @cached_property
    def changes(self) -> tuple[JudgedEvent, ...]:
        """Return the events that are more than odd runs."""
        return tuple(event for event in self.events if event.kind != "spike")

    def part_of(self, event: JudgedEvent) -> Part:
        """Return the part that an event begins, or lies in."""
        return self._part_at(event.first)

    def part_before(self, event: JudgedEvent) -> Part:
        """Return the part that an event is measured by: the one before a step, the one that any other lies in."""
        return self._part_at(event.first - (event.kind == "step"))

    def _part_at(self, place: int) -> Part:
        return next(part for part in self.parts if part.first <= place < part.end)

    def record(self) -> dict[str, object]:
        """Return the development as plain values by name."""
        return {
            "segments": [{"first": part.first, "last": part.end - 1, "median": part.median} for part in self.parts],
            "change_points": [step.change_point for step in self.steps],
            "events": [dict(vars(event)) for event in self.events],
            "note": self.note,
        }


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


class Unread(NamedTuple):
    """What is known of points that were not read: how many there are, and the dates of those where changes are."""

    runs: int
    dates: Mapping[int, str]


@dataclass(frozen=True)
class Series:
    """The numbers of the runs of one key, in order, how they developed, and the baselines of these runs.

    Of a series that is out of view the points may be `unread`: it has none, but can be counted and ordered.
    """

    key: SeriesKey
    points: tuple[Point, ...]
    development: Development = Development()
    bands: tuple[Band, ...] = ()
    unread: Unread | None = None

    @property
    def runs(self) -> int:
        """Return how many points there are, read or not."""
        return self.unread.runs if self.unread else len(self.points)

    def date_of(self, event: JudgedEvent) -> str:
        """Return the date of the first run of a change."""
        return self.unread.dates[event.first] if self.unread else self.points[event.first].date

    def sides(self, event: JudgedEvent) -> tuple[list[str], list[str]]:
        """Return the runs to compare at an event, at most `MOST_COMPARED` a side, without those of other events.

        That is the last ones before it and its own first ones; of a drift its first and its last ones.
        """
        part, own = self.development.part_before(event), range(event.first, event.last + 1)
        if event.kind == "drift":
            calm = self._calm(own)
            return self._ids(calm)[:MOST_COMPARED], self._ids(calm[::-1])[:MOST_COMPARED][::-1]
        base = self._calm(range(part.first, event.first)) or self._calm(range(event.last + 1, part.end))
        new = self._calm(own) if event.kind == "step" else own
        return self._ids(base[::-1])[:MOST_COMPARED][::-1], self._ids(new)[:MOST_COMPARED]

    def _calm(self, places: Sequence[int]) -> Sequence[int]:
        """Return the places that are in no dip and no spike; all of them where there is no other."""
        short = [event for event in self.development.events if event.kind in ("dip", "spike")]
        odd = {place for event in short for place in range(event.first, event.last + 1)}
        return [place for place in places if place not in odd] or places

    def _ids(self, places: Iterable[int]) -> list[str]:
        """Return the runs at these places, each once: one that was captured again is the same run."""
        return list(dict.fromkeys(self.points[place].run_id for place in places))


def rank_changes(series: Sequence[Series]) -> list[tuple[int, JudgedEvent]]:
    """Return all changes with the positions of their series: regressions first, then by date, the newest first.

    Of regressions those come first that have not recovered.
    """
    eventful = [(at, one.development) for at, one in enumerate(series) if one.development.events]
    found = [(at, event) for at, development in eventful for event in development.changes]
    newest = sorted(found, key=lambda each: series[each[0]].date_of(each[1]), reverse=True)
    return sorted(newest, key=lambda each: _urgency(each[1]))


def _urgency(event: JudgedEvent) -> int:
    if event.verdict != "regressed":
        return 2
    return 1 if event.recovered else 0


def judge_development(values: Sequence[float], polarity: int) -> Development:
    """Return how finite numbers developed in their order; a `polarity` of 0 makes no change better or worse."""
    if len(values) < LEAST_RUNS:
        return short_development(len(values))
    course = trace_course(np.array(values, np.float64))
    return Development(tuple(course.parts), tuple(judge_event(event, polarity) for event in course.events))


def short_development(runs: int) -> Development:
    """Return the development of fewer than `LEAST_RUNS` numbers, which says why nothing is known of it."""
    return Development(note=f"{plural(runs, 'run')}, and change points need {LEAST_RUNS}")


def judge_event(event: Event, polarity: int) -> JudgedEvent:
    """Return an event with the verdict of its levels."""
    return JudgedEvent(**vars(event), verdict=name_change(event.relative, polarity))
