"""The verdict about one number: the rule, and its reason in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from analysis.statistics.ratio import Ratio
from schema.decimals import decimals

Verdict = Literal["improved", "regressed", "changed", "unchanged", "undecided", "incomparable"]

_SEEN = 2.5
"""A change is ruled out when one of so many thresholds would have been seen."""


@dataclass(frozen=True)
class Judged:
    """A verdict and why; there is a reason wherever a number alone does not tell."""

    verdict: Verdict
    reason: str = ""


def judge_ratio(ratio: Ratio, limit: float, polarity: int) -> Judged:
    """Return the verdict about a ratio; `limit` is the logarithm of 1 + the least change that matters.

    Both are needed for a change: an interval without 0, and the size. Unchanged is what is smaller, with an interval
    that rules out 2.5 times the limit.
    """
    large = abs(ratio.estimate) >= limit
    if large and (ratio.low > 0 or ratio.high < 0):
        return Judged(name_change(ratio.estimate, polarity))
    reach = max(-ratio.low, ratio.high)
    if not large and reach <= _SEEN * limit:
        return Judged("unchanged")
    hidden = math.expm1(max(reach, abs(ratio.estimate)))
    return Judged("undecided", f"a change of less than {_percent(hidden)} % cannot be told from noise")


def _percent(share: float) -> str:
    """Return a share in percent with two digits, or all digits before the point."""
    percent = 100 * share
    return decimals(percent, 0) if percent >= 10 else f"{percent:.2g}"


def exactly(base: float, new: float, limit: float, polarity: int, floor: float = 0.0) -> Judged:
    """Return the verdict about two exact numbers.

    `limit` is the share of the smaller one that does not matter, `floor` the difference that does not.
    """
    if abs(new - base) <= max(limit * min(abs(base), abs(new)), floor):
        return Judged("unchanged")
    return Judged(name_change(new - base, polarity))


def incomparable(reason: str) -> Judged:
    """Return that there is nothing to compare, and why."""
    return Judged("incomparable", reason)


def name_change(change: float, polarity: int) -> Verdict:
    """Return what a change is called by a metric's polarity."""
    if polarity == 0:
        return "changed"
    return "improved" if change * polarity > 0 else "regressed"
