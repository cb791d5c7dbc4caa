"""Series of a number over time: points in order, events, and baselines."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from analysis.comparison.verdict import Verdict, name_change
from analysis.statistics.events import MIN_RUNS, Event, Part, trace_course
from schema.likeness import run_key
from schema.plurals import plural
from schema.sources import SOURCES

CAPTURE_SOURCES = frozenset(source.name for source in SOURCES if "iterations" in source.derives)
"""Sources of captures; the name of a capture identifies the capture, not the measured program."""
RULES_VERSION = "1"
"""Version of the rules; it has to change when `judge_development` finds other events in the same
numbers.
"""
MAX_COMPARED = 5
"""Maximum number of runs compared on either side of a change."""


class SeriesKey(NamedTuple):
    """Properties that all runs of a series share; `tags` is a sorted text.

    M x K x N is the GEMM's problem, m x k x n its tile, `rows` x `cols` its array of cores; None if
    the runs have no such setting. `name` is `None` for captures, each of which has its own name.
    The name of a compile or a training identifies the compiled program, so it is part of the key;
    if the run is named after its folder, the stem of its file, so that dated folders do not divide
    a series.
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
        """Build the key of a run's series from its record of frame `run`; missing values are
        `None`.
        """
        values = {name: run.get(name) for name in cls._fields}
        is_capture = run["source"] in CAPTURE_SOURCES
        # An empty data type is the same as a missing data type.
        own = {
            "mac_dtype": values["mac_dtype"] or None,
            "name": None if is_capture else run.get("stem") or values["name"],
        }
        return cls(**values | own | {"tags": run_key(run)["tags"]})  # type: ignore[arg-type]


class Point(NamedTuple):
    """Number of a run at one of its captures; `date` is ISO 8601, other texts are "" if unknown."""

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
    """Event of a series with a verdict.

    `basis` is the source of its numbers: `levels` (medians and lines), or a `comparison` of the
    runs on either side. While it is `pending`, the numbers are those of the levels and must not be
    shown.
    """

    verdict: Verdict = "changed"
    basis: Basis = "levels"

    @property
    def change_point(self) -> dict[str, object]:
        """Dict of a step for responses: `index` (of its first point, from 0), `relative` change,
        and `verdict`.
        """
        return {"index": self.first, "relative": self.relative, "verdict": self.verdict}


@dataclass(frozen=True)
class Development:
    """Development of a number: the parts that cover its series, and its events; `note` is a reason
    if both are unknown.
    """

    parts: tuple[Part, ...] = ()
    events: tuple[JudgedEvent, ...] = ()
    note: str = ""

    @property
    def steps(self) -> tuple[JudgedEvent, ...]:
        """Events of the development after which the level is different (kind `step`), in order: the
        change points. () without any.
        """
        return tuple(event for event in self.events if event.kind == "step")

    @cached_property
    def changes(self) -> tuple[JudgedEvent, ...]:
        """All events of the development except spikes, in order; () without any."""
        return tuple(event for event in self.events if event.kind != "spike")

    def find_part(self, event: JudgedEvent) -> Part:
        """Find the part of the series that contains the event's first point.

        Raises StopIteration if no part does.
        """
        return self._find_part(event.first)

    def part_before(self, event: JudgedEvent) -> Part:
        """Find the part that an event is compared with: the previous part for a step, the part that
        contains its first point for other events.
        """
        return self._find_part(event.first - (event.kind == "step"))

    def _find_part(self, place: int) -> Part:
        return next(part for part in self.parts if part.first <= place < part.end)

    def record(self) -> dict[str, object]:
        """Convert the development to a dict: segments (first, last inclusive, median),
        change_points, events and note.
        """
        return {
            "segments": [
                {"first": part.first, "last": part.end - 1, "median": part.median}
                for part in self.parts
            ],
            "change_points": [step.change_point for step in self.steps],
            "events": [dict(vars(event)) for event in self.events],
            "note": self.note,
        }


@dataclass(frozen=True)
class Band:
    """Numbers of the runs of a baseline; `deleted` counts deleted runs, `without` counts runs
    without a number.
    """

    name: str
    values: tuple[float, ...]
    deleted: int = 0
    without: int = 0

    @property
    def median(self) -> float:
        return statistics.median(self.values)


class Unread(NamedTuple):
    """Facts about points that were not read: their number, and the dates of changes by index."""

    runs: int
    dates: Mapping[int, str]


@dataclass(frozen=True)
class Series:
    """Numbers of the runs of a key in order, with their development and the baselines of these
    runs.

    For a series out of view, points may be `unread`: it has no points then, but can be counted and
    sorted.
    """

    key: SeriesKey
    points: tuple[Point, ...]
    development: Development = Development()
    bands: tuple[Band, ...] = ()
    unread: Unread | None = None

    @property
    def runs(self) -> int:
        """Number of points of the series, read or unread."""
        return self.unread.runs if self.unread else len(self.points)

    def date_of(self, event: JudgedEvent) -> str:
        """Return the date (ISO 8601) of the first run of a change in the series."""
        return self.unread.dates[event.first] if self.unread else self.points[event.first].date

    def sides(self, event: JudgedEvent) -> tuple[list[str], list[str]]:
        """List the ids of the runs to compare at an event, base then new, at most `MAX_COMPARED`
        (5) per side, without runs of other dips and spikes.

        These are the last runs before the event and the first runs of it; for a drift, its first
        and its last runs.
        """
        part = self.development.part_before(event)
        own = range(event.first, event.last + 1)
        if event.kind == "drift":
            calm = self._calm(own)
            return self._ids(calm)[:MAX_COMPARED], self._ids(calm[::-1])[:MAX_COMPARED][::-1]
        base = self._calm(range(part.first, event.first)) or self._calm(
            range(event.last + 1, part.end)
        )
        new = self._calm(own) if event.kind == "step" else own
        return self._ids(base[::-1])[:MAX_COMPARED][::-1], self._ids(new)[:MAX_COMPARED]

    def _calm(self, places: Sequence[int]) -> Sequence[int]:
        """Return the indices that are not inside dips and spikes; if no index remains, all."""
        short = [event for event in self.development.events if event.kind in ("dip", "spike")]
        odd = {place for event in short for place in range(event.first, event.last + 1)}
        return [place for place in places if place not in odd] or places

    def _ids(self, places: Iterable[int]) -> list[str]:
        """List the ids of the runs at these indices in order, without duplicates, since a run may
        have been captured several times.
        """
        return list(dict.fromkeys(self.points[place].run_id for place in places))


def rank_changes(series: Sequence[Series]) -> list[tuple[int, JudgedEvent]]:
    """List all changes (events except spikes) as (index of the series, event): regressions first,
    then by date, newest first.

    Among regressions, unrecovered regressions come first. [] without changes.
    """
    eventful = [
        (at, single.development) for at, single in enumerate(series) if single.development.events
    ]
    changes = [(at, event) for at, development in eventful for event in development.changes]
    # Sorting is stable: the second sort keeps the order by date among equal urgency.
    newest = sorted(changes, key=lambda each: series[each[0]].date_of(each[1]), reverse=True)
    return sorted(newest, key=lambda each: _urgency(each[1]))


def _urgency(event: JudgedEvent) -> int:
    if event.verdict != "regressed":
        return 2
    return 1 if event.recovered else 0


def judge_development(values: Sequence[float], polarity: int) -> Development:
    """Find and judge the events in a sequence of finite numbers, in order of time.

    If `polarity` is 0, a change is neither better nor worse. With fewer than MIN_RUNS numbers there
    are no parts and events, only a note.
    """
    if len(values) < MIN_RUNS:
        return short_development(len(values))
    course = trace_course(np.array(values, np.float64))
    return Development(
        tuple(course.parts), tuple(judge_event(event, polarity) for event in course.events)
    )


def short_development(runs: int) -> Development:
    """Build the development of `runs` numbers, fewer than MIN_RUNS: no parts and events, only a
    note with the reason.
    """
    return Development(note=f"{plural(runs, 'run')}, but change points need {MIN_RUNS}")


def judge_event(event: Event, polarity: int) -> JudgedEvent:
    """Return the event with a verdict by its relative change: improved, regressed, or changed if
    `polarity` is 0.
    """
    return JudgedEvent(**vars(event), verdict=name_change(event.relative, polarity))
