"""Events of series, judged by comparisons: trends and comparisons of the same runs show the same
number.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from analysis.comparison.rows import ResultRow
from analysis.comparison.series import JudgedEvent, Series, rank_changes
from schema.metrics import Metric
from services.comparison.compare import CompareError, Load, compare_number
from storage.byte_cache import ByteCache
from storage.errors import StorageError
from storage.repository import Repository
from storage.series import places

COMPARED = ("step", "dip")
"""Kinds of events whose two sides are compared."""
MAX_COMPARED_EVENTS = 200
"""Maximum number of events that a page compares, in the order of `rank_changes`."""
_MAX_CACHED = 20_000
"""Maximum number of cached comparisons."""

Attempt = Callable[[Callable[[], object]], bool]
"""Function that does a piece of work and returns True, or False if it took too long."""
_Place = tuple[int, JudgedEvent]
"""Position of a series, and an event of it."""


@dataclass(frozen=True)
class ComparedSeries:
    """Series with the events that were compared so far; `left` counts the events that are not
    compared yet.
    """

    series: tuple[Series, ...]
    left: int = 0


@dataclass(frozen=True)
class _EventQuestion:
    """The runs to compare at an event; `versions` changes with the content of any run."""

    metric: str
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    versions: tuple[str, ...]


@dataclass(frozen=True)
class _Reply:
    """The row of a comparison; `None` if the runs cannot be compared."""

    row: ResultRow | None = None

    def updated_event(self, event: JudgedEvent) -> JudgedEvent:
        """Return the event with the numbers and verdict of the comparison; unchanged, with the
        numbers of its levels, if the comparison has none.
        """
        row = self.row
        if row is None or row.base is None or row.new is None or row.judged_change is None:
            return event
        return replace(
            event,
            before=row.base,
            after=row.new,
            relative=row.judged_change,
            verdict=row.judged.verdict,
            basis="comparison",
        )


class EventComparisons:
    """Comparisons of the runs on both sides of events, cached by the stored versions of the runs.

    `load` returns a run for comparisons, from a cache.
    """

    def __init__(self, repository: Repository, load: Load) -> None:
        self._repository = repository
        self._load = load
        # Each reply counts as 1, so that the limit is a number of replies and not of bytes.
        self._cached = ByteCache[_Reply](_MAX_CACHED, lambda _: 1)

    def compare_events(
        self,
        series: Sequence[Series],
        metric: Metric,
        seconds: float = math.inf,
        *,
        attempt: Attempt | None = None,
        most: int | None = None,
    ) -> ComparedSeries:
        """Return the series with size and verdict of their steps and dips taken from comparisons of
        both sides.

        Cached comparisons are used. Further comparisons of the first `most` events begin for
        `seconds`: at least one, unless `seconds` is 0. An event that is not compared yet has the
        basis `pending`. An event that cannot be compared, or takes too long, keeps the numbers of
        its levels.
        """
        changes = [(at, event) for at, event in rank_changes(series) if event.kind in COMPARED]
        questions = self._questions(series, metric, changes[:most])
        self._compare(questions, seconds, attempt or _complete)
        replies = {place: self._cached.find(question) for place, question in questions.items()}
        compared = tuple(_with_replies(each, at, replies) for at, each in enumerate(series))
        return ComparedSeries(compared, sum(reply is None for reply in replies.values()))

    def _questions(
        self, series: Sequence[Series], metric: Metric, changes: Sequence[_Place]
    ) -> dict[_Place, _EventQuestion]:
        sides = {(at, event): series[at].sides(event) for at, event in changes}
        runs = dict.fromkeys(run for both in sides.values() for side in both for run in side)
        stored = places(self._repository.catalogue, list(runs)) if runs else {}
        version = {run_id: place.prefix for run_id, place in stored.items()}
        return {
            place: _EventQuestion(
                metric.name,
                (tuple(base), tuple(new)),
                # The prefix changes when a run is ingested again, so that no old reply is used for
                # it.
                tuple(version.get(run, "") for run in base + new),
            )
            for place, (base, new) in sides.items()
        }

    def _compare(
        self, questions: Mapping[_Place, _EventQuestion], seconds: float, attempt: Attempt
    ) -> None:
        """Compute and cache the missing replies to `questions`, in order; end after `seconds` (0:
        without any), but after at least 1.

        If `attempt` returns False, an empty reply is cached.
        """
        since = time.monotonic()
        missing = [
            question for question in questions.values() if self._cached.find(question) is None
        ]
        for rank, question in enumerate(missing):
            # at least one comparison per request, so that repeated requests come to an end
            if not seconds or (rank and time.monotonic() - since > seconds):
                return
            if not attempt(partial(self._cached.get, question, partial(self._reply, question))):
                # took too long: the empty reply is cached, so that it is not tried again
                self._cached.get(question, _Reply)

    def _reply(self, question: _EventQuestion) -> _Reply:
        try:
            return _Reply(
                compare_number(self._repository, question.metric, *question.sides, self._load)
            )
        except (
            CompareError,
            StorageError,
            ValueError,
            KeyError,
        ):  # KeyError: a frame that a run does not have
            return _Reply()


def _complete(work: Callable[[], object]) -> bool:
    work()
    return True


def _with_replies(series: Series, at: int, replies: Mapping[_Place, _Reply | None]) -> Series:
    """Return a series with the comparisons of its events, which are found by the position `at` of
    the series; steps and dips that are not compared yet are pending.
    """
    if not series.development.events:
        return series
    events = []
    for event in series.development.events:
        reply = replies.get((at, event))
        if reply is not None:
            events.append(reply.updated_event(event))
        else:
            events.append(replace(event, basis="pending") if event.kind in COMPARED else event)
    return replace(series, development=replace(series.development, events=tuple(events)))
