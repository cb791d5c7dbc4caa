"""Verdict about the runs before and after the step of a bisection, by the rules of comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.bisection.evidence import Rules
from analysis.comparison.verdict import Judged, exactly, judge_ratio
from analysis.statistics.outliers import find_outliers
from analysis.statistics.ratio import MIN_RUNS, of_groups
from schema.array_types import Floats


@dataclass(frozen=True)
class Sides:
    """Levels (medians of the runs, in the metric's unit) on both sides of a step; None without
    runs. `relative` is their change as a share, None if there is no ratio.
    """

    good: float | None
    bad: float | None
    relative: float | None
    judged: Judged


def compare_sides(good: Sequence[float], bad: Sequence[float], rules: Rules) -> Sides:
    """Compare the values of the runs on both sides, as a comparison of two groups of runs does."""
    levels = [float(np.median(side)) if len(side) else None for side in (good, bad)]
    before, after = levels
    if before is None or after is None:
        return Sides(before, after, None, Judged("undecided", "a side has no runs"))
    relative = (after - before) / abs(before) if before else None
    if rules.is_exact:
        share = math.expm1(rules.limit)
        judged = exactly(before, after, share, rules.polarity, rules.floor)
        return Sides(before, after, relative, judged)
    return Sides(before, after, relative, _judge(good, bad, rules))


def _judge(good: Sequence[float], bad: Sequence[float], rules: Rules) -> Judged:
    sides = [_on_scale(side, rules) for side in (good, bad)]
    quiet = [np.delete(side, find_outliers(side)) for side in sides]
    if min(map(len, quiet)) < MIN_RUNS:
        return Judged("undecided", f"a side has fewer than {MIN_RUNS} runs")
    groups = [[side[at : at + 1] for at in range(len(side))] for side in quiet]
    return judge_ratio(of_groups(groups[0], groups[1]), rules.limit, rules.polarity)


def _on_scale(values: Sequence[float], rules: Rules) -> Floats:
    numbers = np.array(values, np.float64)
    # With logarithms, differences are ratios; numbers of 0 or less have none.
    return numbers if rules.is_share else np.log(numbers[numbers > 0])
