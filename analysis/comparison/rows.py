"""A row of a comparison: one number on both sides, and the verdict about it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from analysis.comparison.verdict import Judged, exactly, incomparable
from analysis.statistics.ratio import Ratio
from schema.comparison import ComparedMetric

_NUMBERS = ("base", "new", "delta", "relative", "estimate", "low", "high", "p")


@dataclass(frozen=True)
class ResultRow:
    """One number of two sides.

    `base` and `new` are what is shown; `estimate`, `low` and `high` belong to the test, as shares of the base (of a
    share of time e to the difference, - 1). `relative` is new / base - 1 of what is shown. None stands where there is
    no number.
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
        """Return new - base."""
        return None if self.base is None or self.new is None else self.new - self.base

    @property
    def relative(self) -> float | None:
        """Return new / base - 1; None of a share of time, which changes by points."""
        if self.base is None or self.new is None or self.base == 0 or self.metric.scale == "share":
            return None
        return self.new / self.base - 1

    @property
    def judged_change(self) -> float | None:
        """Return the relative change that is told wherever the verdict is: the test's, which leaves odd samples out."""
        return self.relative if self.relative is None or self.estimate is None else self.estimate

    @property
    def is_odd(self) -> bool:
        """Return whether odd samples moved the numbers that are shown out of the test's interval."""
        if self.relative is None or self.low is None or self.high is None:
            return False
        return not self.low <= self.relative <= self.high

    @property
    def gates(self) -> bool:
        """Return whether the row decides about the runs as a whole."""
        return self.metric.is_gate

    def record(self) -> dict[str, object]:
        """Return the row as plain values by name."""
        return {
            "name": self.metric.name,
            "level": self.level,
            "key": self.key,
            "unit": self.metric.unit,
            "polarity": self.metric.polarity,
            **{name: _finite(getattr(self, name)) for name in _NUMBERS},
            "n_base": self.n_base,
            "n_new": self.n_new,
            "threshold": self.threshold,
            "gate": self.gates,
            "verdict": self.judged.verdict,
            "reason": self.judged.reason,
        }

    def judged_as(self, judged: Judged) -> ResultRow:
        """Return the row with another verdict."""
        return replace(self, judged=judged)


def _finite(value: float | None) -> float | None:
    """Return a number that JSON has."""
    return value if value is not None and math.isfinite(value) else None


_MOST = 700.0
"""Logarithms above it are of no float."""

Thresholds = Mapping[str, float]
"""Metric -> the least change that matters to the user."""
Shown = tuple[float | None, float | None]
"""The numbers of base and new that people see."""


@dataclass(frozen=True)
class RowSubject:
    """What a row is about: a metric, at a level, of one thing there, with the threshold that holds."""

    metric: ComparedMetric
    level: str = "run"
    key: str = ""
    threshold: float = 0.0

    @classmethod
    def of(cls, metric: ComparedMetric, thresholds: Thresholds, level: str = "run", key: str = "") -> RowSubject:
        """Return the subject with the user's threshold, else the metric's own."""
        return cls(metric, level, key, thresholds.get(metric.name, metric.threshold))

    def row(
        self, shown: Shown, judged: Judged, counts: tuple[int, int] = (0, 0), ratio: Ratio | None = None
    ) -> ResultRow:
        """Return the row about two numbers, with how many samples each rests on and how they differ."""
        row = ResultRow(
            self.metric, self.level, self.key, *shown, self.threshold, judged, n_base=counts[0], n_new=counts[1]
        )
        if ratio is None:
            return row
        estimate, low, high = (math.expm1(min(log, _MOST)) for log in (ratio.estimate, ratio.low, ratio.high))
        return replace(row, estimate=estimate, low=low, high=high, p=ratio.p)


def exact_row(about: RowSubject, shown: Shown, reason: str = "", floor: float = 0.0) -> ResultRow:
    """Return the row of two numbers without noise; with a reason they are incomparable.

    `floor` is the difference that does not matter.
    """
    base, new = shown
    if reason or base is None or new is None:
        why = reason or ("there is no number on either side" if base is new else "one side has no number")
        return about.row(shown, incomparable(why))
    row = about.row(shown, exactly(base, new, about.threshold, about.metric.polarity, floor), (1, 1))
    return replace(row, estimate=row.relative, low=row.relative, high=row.relative)
