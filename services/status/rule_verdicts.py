"""Verdicts of a baseline rule about the runs of a key, computed in order: regressed runs are not
part of a base.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from analysis.comparison.cause import find_main_cause
from analysis.comparison.explained import causes_of
from analysis.comparison.outcome import deciding
from analysis.comparison.rows import finite
from analysis.comparison.series import SeriesKey
from services.baselines.members import content_hash
from services.comparison.compare import CompareError, Comparison, Load, compare
from storage.errors import StorageError
from storage.repository import Repository
from storage.rule_tables import SETTLED
from storage.rule_verdicts import RuleVerdict, RunMoment
from storage.rules import Rule
from storage.series import SeriesPosition

_LOG = logging.getLogger(__name__)
_PUT_AT_ONCE = 50
"""Number of new verdicts that are stored together."""
_CHANGES = ("improved", "regressed")
"""Verdicts that have a cause."""


class JudgedRun(NamedTuple):
    """A run of a series and its verdict; `None` if there was no time to compute it."""

    run: SeriesPosition
    verdict: RuleVerdict | None

    @property
    def is_base(self) -> bool:
        """Whether later runs are compared with this run, if it is on the rule's branch: its
        comparison was made, it is not regressed, and its rates are possible.
        """
        return (
            self.verdict is not None
            and not self.run.impossible
            and self.verdict.verdict != "regressed"
            and self.verdict.against != ""
        )


Judged = Mapping[SeriesKey, Sequence[JudgedRun]]
"""The runs of each key that a rule covers, in their order, with their verdicts."""


@dataclass
class Judge:
    """Computes the verdicts of a rule and reuses the stored verdicts (`kept`) that are still valid.

    No comparison begins after `until` (of `time.monotonic`). `failed` counts runs that could not be
    compared. `load` returns a run for comparisons; `keep` stores new verdicts.
    """

    repository: Repository
    rule: Rule
    kept: dict[RunMoment, RuleVerdict]
    load: Load
    keep: Callable[[Sequence[RuleVerdict]], None]
    until: float = math.inf
    failed: int = 0
    _new: list[RuleVerdict] = field(default_factory=list)

    def judge(
        self, runs: Sequence[SeriesPosition], *, members_only: bool, is_tail: bool = False
    ) -> list[JudgedRun]:
        """Return the runs of a key in their order with their verdicts; runs off the rule's branch
        are left out if `members_only`.

        `is_tail`: the key has earlier runs that are not in `runs`. The first verdicts are then
        stored verdicts, since the runs that they are based on are not known.
        """
        base: deque[SeriesPosition] = deque(maxlen=self.rule.last)
        judged: list[JudgedRun] = []
        is_known = True
        has_impossible = False
        for run in runs:
            is_member = self.rule.has_member(run.branch)
            if not is_member and members_only:
                continue
            if not is_known:
                verdict = None
            elif is_tail and len(base) < self.rule.last:
                verdict = self._stored_verdict(run)
            else:
                verdict = self._verdict(run, base, has_impossible=has_impossible)
            judged.append(JudgedRun(run, verdict))
            if is_member:
                # without this verdict, the base of later runs is unknown
                is_known = verdict is not None
                has_impossible |= run.impossible
                base.extend([run] if judged[-1].is_base else [])
        self.store()
        return judged

    def base_of(self, older: Sequence[SeriesPosition]) -> list[str] | None:
        """Return the ids of at most `last` runs that the next run of the key is compared with,
        oldest first; empty if no older run can be compared.

        `older` are the runs of the key before it. `None` if there was no time to compute their
        verdicts.
        """
        judged = self.judge(older, members_only=True)
        if any(judged_run.verdict is None for judged_run in judged):
            return None
        return base_ids(self.rule, judged)

    def store(self) -> None:
        """Store the new verdicts and forget them.

        If the store is read-only, they are dropped with a line in the log.
        """
        new = self._new
        self._new = []
        try:
            self.keep(new)
        # a user whose store is read-only gets the verdicts all the same
        except StorageError as error:
            _LOG.warning(
                "%d verdicts of rule %r were not cached: %s", len(new), self.rule.name, error
            )

    def _verdict(
        self, run: SeriesPosition, base: Sequence[SeriesPosition], *, has_impossible: bool
    ) -> RuleVerdict | None:
        """Return the verdict about a run, the stored verdict if it is still valid; `None` if there
        is no time to compute it. `has_impossible`: an older run has impossible rates.

        If the comparison fails, the verdict is `incomparable` and not stored.
        """
        against = content_hash(base_run.prefix for base_run in base)
        stored = self._stored_verdict(run)
        if stored is not None and stored.against in (against, SETTLED):
            return stored
        if time.monotonic() > self.until:
            return None
        try:
            verdict = self._compare(run, base, against, has_impossible=has_impossible)
        except (
            CompareError,
            StorageError,
            ValueError,
            KeyError,
        ) as error:  # KeyError: a frame that it does not have
            _LOG.warning(
                "run %s was not compared by rule %r: %s", run.run_id, self.rule.name, error
            )
            self.failed += 1
            why = error.public if isinstance(error, StorageError) else str(error)
            return RuleVerdict(run.run_id, run.date, run.prefix, "", "incomparable", why)
        self._new.append(verdict)
        if len(self._new) >= _PUT_AT_ONCE:
            self.store()
        return verdict

    def _stored_verdict(self, run: SeriesPosition) -> RuleVerdict | None:
        """Return the stored verdict about the current content of a run, whatever its base was."""
        stored = self.kept.get(RunMoment(run.run_id, run.date))
        return stored if stored is not None and stored.prefix == run.prefix else None

    def _compare(
        self,
        run: SeriesPosition,
        base: Sequence[SeriesPosition],
        against: str,
        *,
        has_impossible: bool,
    ) -> RuleVerdict:
        """Compare a run with its base.

        A run without a base is compared with itself, which gives its number, or that its rates are
        impossible.
        """
        ids = list(dict.fromkeys(base_run.run_id for base_run in base)) or [run.run_id]
        comparison = compare(self.repository, ids, [run.run_id], load=self.load)
        verdict = verdict_of(comparison, run, against)
        if base or verdict.verdict == "incomparable":
            return verdict
        usable = " with possible rates" if has_impossible else ""
        branch = f" on branch {self.rule.branch}" if self.rule.branch else ""
        reason = f"its key has no older run{usable}{branch}"
        return verdict._replace(verdict="undecided", reason=reason, base=None, relative=None)


def count_missing(judged: Judged) -> int:
    """Count the runs without a verdict."""
    return sum(judged_run.verdict is None for runs in judged.values() for judged_run in runs)


def base_ids(rule: Rule, older: Sequence[JudgedRun]) -> list[str]:
    """Return the ids of the runs that the next run of a key is compared with, oldest first.

    `older` are the runs before it with their verdicts.
    """
    base = [
        judged.run.run_id
        for judged in older
        if judged.is_base and rule.has_member(judged.run.branch)
    ]
    return list(dict.fromkeys(base[-rule.last :]))


def verdict_of(comparison: Comparison, run: SeriesPosition, against: str) -> RuleVerdict:
    """Convert the comparison of a run with its base to a verdict, with the number that decides it;
    without numbers if no number decides.

    That is the first gating number if it has the verdict of the whole comparison, else the number
    that decides the verdict.
    """
    gates = [row for row in comparison.rows if row.gates]
    main = gates[0] if gates else None
    row = (
        main
        if main is not None and main.judged.verdict == comparison.verdict
        else deciding(comparison.rows, comparison.verdict)
    )
    verdict = RuleVerdict(
        run.run_id, run.date, run.prefix, against, comparison.verdict, "; ".join(comparison.reasons)
    )
    if row is None:
        return verdict
    causes = causes_of(row, comparison.attribution)
    cause = find_main_cause(row, causes) if verdict.verdict in _CHANGES else None
    return verdict._replace(
        cause=None if cause is None else cause.record(),
        metric=row.metric.name,
        value=finite(row.new),
        base=finite(row.base),
        relative=finite(row.judged_change),
        main=finite(main.new) if main is not None else None,
    )
