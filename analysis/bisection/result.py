"""A bisection as commands, pages and assistants show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from analysis.bisection.plan import Plan
from analysis.bisection.sides import Sides
from analysis.comparison.series import SeriesKey
from schema.metrics import Metric


class MeasuredCommit(NamedTuple):
    """A commit with runs, or without a result.

    `values` are the values of its runs in the metric's unit, oldest first. `failed` counts its runs
    without a result, of which `impossible` have a number that no hardware reaches. `is_skipped`: the
    user skips it.
    """

    position: int
    commit: str
    values: Sequence[float]
    failed: int = 0
    is_skipped: bool = False
    impossible: int = 0

    @property
    def is_broken(self) -> bool:
        """Whether the commit gives no result."""
        return self.is_skipped or (self.failed > 0 and not self.values)


@dataclass(frozen=True)
class Bisection:
    """A bisection with its plan: `commits` from the good to the bad commit, in order.

    `measured` has the commits with runs or without a result, in order. `sides` compares the runs
    before and after the step, or the runs of the good and the bad commit if no step is located.
    """

    bisection_id: str
    key: SeriesKey
    metric: Metric
    commits: Sequence[str]
    measured: Sequence[MeasuredCommit]
    plan: Plan
    sides: Sides
    created_by: str = ""
    created_at: str = ""

    @property
    def good(self) -> str:
        """The good commit."""
        return self.commits[0]

    @property
    def bad(self) -> str:
        """The bad commit."""
        return self.commits[-1]

    @property
    def next_commit(self) -> str | None:
        """The commit to measure next; None if the bisection has ended."""
        return None if self.plan.next is None else self.commits[self.plan.next]

    @property
    def culprits(self) -> Sequence[str]:
        """The commits among which the culprit is; empty unless that is proved."""
        if not self.plan.has_culprit:
            return ()
        return self.commits[self.plan.first : self.plan.last + 1]

    @property
    def runs(self) -> int:
        """Number of runs with a number."""
        return sum(len(commit.values) for commit in self.measured)

    @property
    def with_runs(self) -> int:
        """Number of commits that are measured."""
        return sum(bool(commit.values) and not commit.is_skipped for commit in self.measured)

    @property
    def broken(self) -> int:
        """Number of commits that give no result."""
        return sum(commit.is_broken for commit in self.measured)

    @property
    def impossible(self) -> int:
        """Number of runs without a result because their number is impossible."""
        return sum(commit.impossible for commit in self.measured)

    def record(self) -> dict[str, object]:
        """Convert the bisection to JSON types; the commits without runs are only counted."""
        plan = self.plan
        sides = self.sides
        rows = [
            {
                "position": item.position,
                "commit": item.commit,
                "runs": len(item.values),
                "values": list(item.values),
                "failed_runs": item.failed,
                "impossible_runs": item.impossible,
                "skipped": item.is_skipped,
            }
            for item in self.measured
        ]
        return {
            "id": self.bisection_id,
            "key": self.key._asdict(),
            "metric": self.metric.name,
            "unit": self.metric.unit,
            "good": self.good,
            "bad": self.bad,
            "commits": len(self.commits) - 1,
            "state": plan.state,
            "next": self.next_commit,
            "culprits": list(self.culprits),
            "confidence": plan.confidence,
            "remain": plan.remain,
            "to_measure": plan.to_measure,
            "good_level": sides.good,
            "bad_level": sides.bad,
            "relative": sides.relative,
            "verdict": sides.judged.verdict,
            "reason": sides.judged.reason,
            "measured_commits": self.with_runs,
            "runs": self.runs,
            "broken_commits": self.broken,
            "measured": rows,
        }
