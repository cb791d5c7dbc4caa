"""Row of a comparison: a number of both sides, and its verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.comparison.verdict import Judged, exactly, incomparable
from analysis.statistics.ratio import Ratio
from schema.comparison import ComparedMetric

_NUMBERS = ("base", "new", "delta", "relative", "estimate", "low", "high", "p")
"""Names of a row's numbers in its record."""


@dataclass(frozen=True)
class ResultRow:
    """A number of two sides, with its verdict; a value is `None` if there is no number.

    `base` and `new` are the displayed numbers, and `relative` is their ratio minus 1. `estimate`,
    `low` and `high` are results of the test, as relative changes; for a share of time, e to the
    difference, minus 1.
    """

    metric: ComparedMetric
    level: str
    key: str
    base: float | None
    new: float | None
    threshold: float
    judged: Judged
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n_base: int = 0
    n_new: int = 0

    @property
    def delta(self) -> float | None:
        """Difference new - base of the row's numbers, in the metric's unit; `None` if a side has no
        number.
        """
        return None if self.base is None or self.new is None else self.new - self.base

    @property
    def relative(self) -> float | None:
        """Relative change new / base - 1 of the row's numbers.

        `None` if a side has no number, if the base is 0, or for a share of time, whose change is in
        points.
        """
        if self.base is None or self.new is None or self.base == 0 or self.metric.scale == "share":
            return None
        return self.new / self.base - 1

    @property
    def judged_change(self) -> float | None:
        """Relative change to show with the row's verdict: the estimate of the test, which excludes
        outliers, else new / base - 1. `None` when the latter is unknown.
        """
        return self.relative if self.relative is None or self.estimate is None else self.estimate

    @property
    def is_odd(self) -> bool:
        """Whether the row's displayed change is outside the interval of the test, which happens
        when outliers moved it; False without an interval.
        """
        if self.relative is None or self.low is None or self.high is None:
            return False
        return not self.low <= self.relative <= self.high

    @property
    def gates(self) -> bool:
        """Whether the row takes part in the verdict about its runs: its metric is a gate."""
        return self.metric.is_gate

    def record(self) -> dict[str, object]:
        """Convert the row to a dict for JSON: name, level, key, unit, polarity, the numbers of
        _NUMBERS (`None` if not finite), n_base, n_new, threshold, gate, verdict and reason.
        """
        return {
            "name": self.metric.name,
            "level": self.level,
            "key": self.key,
            "unit": self.metric.unit,
            "polarity": self.metric.polarity,
            **{name: finite(getattr(self, name)) for name in _NUMBERS},
            "n_base": self.n_base,
            "n_new": self.n_new,
            "threshold": self.threshold,
            "gate": self.gates,
            "verdict": self.judged.verdict,
            "reason": self.judged.reason,
        }

    def with_verdict(self, judged: Judged) -> ResultRow:
        """Return a copy of the row with another verdict."""
        return replace(self, judged=judged)


def finite(value: float | None) -> float | None:
    """Return the value, `None` if it is infinite or NaN, since JSON does not have these."""
    return value if value is not None and math.isfinite(value) else None


_MAX_LOG = 700.0
"""Maximum logarithm whose exponential fits into a float."""

Thresholds = Mapping[str, float]
"""Metric -> the smallest change that matters to the user."""
Shown = tuple[float | None, float | None]
"""Displayed numbers of base and new."""


@dataclass(frozen=True)
class RowTopic:
    """Subject of a row: a metric, a level, the key of an item at that level, and the threshold to
    use.
    """

    metric: ComparedMetric
    level: str = "run"
    key: str = ""
    threshold: float = 0.0

    @classmethod
    def of(
        cls, metric: ComparedMetric, thresholds: Thresholds, level: str = "run", key: str = ""
    ) -> RowTopic:
        """Build a topic with the user's threshold for the metric, else the metric's default."""
        return cls(metric, level, key, thresholds.get(metric.name, metric.threshold))

    def row(
        self,
        shown: Shown,
        judged: Judged,
        counts: tuple[int, int] = (0, 0),
        ratio: Ratio | None = None,
    ) -> ResultRow:
        """Build the row of the topic for two numbers, with the number of samples of each side.

        `ratio` is the result of the test in logarithms, which become relative changes; without it
        the row has no estimate, interval and p.
        """
        row = ResultRow(
            self.metric,
            self.level,
            self.key,
            *shown,
            self.threshold,
            judged,
            n_base=counts[0],
            n_new=counts[1],
        )
        if ratio is None:
            return row
        estimate, low, high = (
            math.expm1(min(log, _MAX_LOG)) for log in (ratio.estimate, ratio.low, ratio.high)
        )
        return replace(row, estimate=estimate, low=low, high=high, p=ratio.p)


def exact_row(about: RowTopic, shown: Shown, reason: str = "", floor: float = 0.0) -> ResultRow:
    """Build the row of two exact numbers; if there is a `reason`, or a number is `None`, they are
    incomparable.

    Differences up to `floor` (in the metric's unit) count as unchanged. Estimate and interval are
    the relative change itself.
    """
    base, new = shown
    if reason or base is None or new is None:
        why = reason or ("neither side has a value" if base is new else "one side has no value")
        return about.row(shown, incomparable(why))
    row = about.row(
        shown, exactly(base, new, about.threshold, about.metric.polarity, floor), (1, 1)
    )
    return replace(row, estimate=row.relative, low=row.relative, high=row.relative)


def reading_order(rows: Sequence[ResultRow]) -> list[ResultRow]:
    """Sort rows for readers: rows without a number on both sides are last, else the order stays."""
    return sorted(rows, key=lambda row: row.base is None and row.new is None)
