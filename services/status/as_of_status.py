"""The last runs of all keys of a rule up to a time, read without reading all runs of a key."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from analysis.comparison.series import SeriesKey
from services.status.covered_series import covered_series, group_by_key
from services.status.key_batches import split_likenesses
from services.status.key_tail import KeyTail, is_lasting, key_tail
from services.status.last_runs import LastRuns
from services.status.regressions import is_start_known
from services.status.rule_verdicts import Judge, Judged, JudgedRun
from services.status.status_rows import MAX_POINTS
from storage.last_captures import last_captures, likenesses_with_older_captures
from storage.likenesses import count_runs, count_runs_up_to
from storage.repository import Repository
from storage.rules import Rule
from storage.series import SeriesPosition

_FIRST_RUNS, _GROWTH = 32, 4
"""Runs of a likeness that are read first, and the factor by which more are read if they are not
enough: a row needs MAX_POINTS (30) runs on the branch of the rule, and the begin of a regression.
"""
MakeJudge = Callable[[float, Sequence[str]], Judge]
"""Makes a judge that begins no comparison after a time (of `time.monotonic`) and has the stored
verdicts about run ids.
"""

_LastJudged = tuple[str, Judged, bool]


@dataclass(frozen=True)
class AsOfReader:
    """Reads the last runs of the keys of a rule up to `moment` (ISO 8601 in UTC), once."""

    repository: Repository
    rule: Rule
    moment: str
    make_judge: MakeJudge

    def read(self, latest: LastRuns, before: LastRuns, until: float) -> LastRuns:
        """Read the keys of `latest`, which are the last runs of all keys whatever the time.

        Final results of `before`, which must be of the same runs, are reused. Keys without a later
        run are those of `latest`. Other likenesses are read in batches; no batch but the first
        begins after `until` (of `time.monotonic`).
        """
        result = LastRuns(failed=latest.failed, not_read=latest.not_read)
        left: list[str] = []
        for likeness, tails in (*latest.final.items(), *latest.open.items()):
            if likeness in before.final:
                result.final[likeness] = before.final[likeness]
            elif not all(map(self._is_earlier, tails.values())):
                left.append(likeness)
            elif likeness in latest.final:
                result.final[likeness] = tails
            else:
                result.open[likeness] = tails
                result.missing[likeness] = latest.missing[likeness]
        counts = self._count_runs(latest, left)
        needed = {likeness: self._runs_to_read(latest, likeness, counts) for likeness in counts}
        for at, likenesses in enumerate(split_likenesses(needed)):
            if at and time.monotonic() > until:
                result.not_read += sum(needed[likeness] for likeness in likenesses)
                continue
            few = [own for own in likenesses if needed[own] == counts[own]]
            self._read_all(few, result, until)
            many = [own for own in likenesses if needed[own] < counts[own]]
            self._read_last(many, latest, result, until)
        return result

    def _count_runs(self, latest: LastRuns, likenesses: Sequence[str]) -> dict[str, int]:
        """Count the runs of likenesses, but not all runs of a likeness with final verdicts: whether
        it has more than are read first is enough.
        """
        catalogue = self.repository.catalogue
        final = [likeness for likeness in likenesses if likeness in latest.final]
        others = [likeness for likeness in likenesses if likeness not in latest.final]
        counts = count_runs_up_to(catalogue, final, _FIRST_RUNS + 1) if final else {}
        counts |= count_runs(catalogue, others) if others else {}
        return {likeness: counts[likeness] for likeness in likenesses if likeness in counts}

    def _runs_to_read(self, latest: LastRuns, likeness: str, counts: Mapping[str, int]) -> int:
        """Count the runs of a likeness to read first: all runs if a verdict is not final."""
        is_final = likeness in latest.final
        return min(counts[likeness], _FIRST_RUNS) if is_final else counts[likeness]

    def _read_all(self, likenesses: Sequence[str], result: LastRuns, until: float) -> None:
        """Read all runs of likenesses up to the time, and compare runs without a verdict."""
        series = covered_series(self.repository, self.rule, likenesses)
        series = {key: self._until_moment(runs) for key, runs in series.items()}
        judge = self.make_judge(until, [run.run_id for runs in series.values() for run in runs])
        by_likeness: dict[str, dict[SeriesKey, list[JudgedRun]]]
        by_likeness = {likeness: {} for likeness in likenesses}
        for key, runs in series.items():
            if runs:
                by_likeness[runs[0].likeness][key] = judge.judge(runs, members_only=True)
        for likeness, judged in by_likeness.items():
            result.add(likeness, judged)
        result.failed += judge.failed

    def _read_last(
        self, likenesses: Sequence[str], latest: LastRuns, result: LastRuns, until: float
    ) -> None:
        """Read the last runs of likenesses with final verdicts: more if they are not enough, all
        if a stored verdict is missing.
        """
        left = [*likenesses]
        runs = _FIRST_RUNS
        while left:
            unread: list[str] = []
            for likeness, all_judged, is_whole in self._judge_last(left, runs):
                tails = latest.final[likeness]
                later = [key for key in tails if not self._is_earlier(tails[key])]
                judged = {key: all_judged.get(key, ()) for key in later}
                if not all(map(_is_known, judged.values())):
                    self._read_all([likeness], result, until)
                elif is_whole or all(map(_is_enough, judged.values())):
                    earlier = {key: tail for key, tail in tails.items() if key not in judged}
                    found = {key: key_tail(own) for key, own in judged.items() if own}
                    result.final[likeness] = earlier | found
                else:
                    unread.append(likeness)
            left = unread
            runs *= _GROWTH

    def _judge_last(self, likenesses: Sequence[str], runs: int) -> Iterator[_LastJudged]:
        """Yield for each likeness its last runs by key with their stored verdicts, and whether
        these are all runs up to the time.
        """
        captures = last_captures(
            self.repository.catalogue, likenesses, self.moment, runs, self._with_older_captures
        )
        positions = [*chain.from_iterable(last.positions for last in captures.values())]
        # In the past, so that no comparison begins.
        judge = self.make_judge(time.monotonic() - 1, [run.run_id for run in positions])
        by_likeness: dict[str, dict[SeriesKey, list[JudgedRun]]]
        by_likeness = {likeness: {} for likeness in likenesses}
        for key, own in group_by_key(self.repository, positions).items():
            likeness = own[0].likeness
            is_tail = not captures[likeness].is_whole
            by_likeness[likeness][key] = judge.judge(own, members_only=True, is_tail=is_tail)
        for likeness, judged in by_likeness.items():
            yield likeness, judged, captures[likeness].is_whole

    @cached_property
    def _with_older_captures(self) -> set[str]:
        return likenesses_with_older_captures(self.repository.catalogue, self.moment)

    def _is_earlier(self, tail: KeyTail) -> bool:
        """Whether a key has no run after the time."""
        return tail.runs[-1].run.date <= self.moment

    def _until_moment(self, runs: list[SeriesPosition]) -> list[SeriesPosition]:
        return runs[: bisect_right(runs, self.moment, key=lambda run: run.date)]


def _is_known(runs: Sequence[JudgedRun]) -> bool:
    """Whether each of the last runs of a key has a final stored verdict of its own: two captures of
    a run at the same time share one.
    """
    moments = {(judged.run.run_id, judged.run.date) for judged in runs}
    return len(moments) == len(runs) and is_lasting(runs)


def _is_enough(runs: Sequence[JudgedRun]) -> bool:
    """Whether the last runs of a key suffice for its row: the points and the begin of a regression."""
    return len(runs) >= MAX_POINTS and is_start_known(runs)
