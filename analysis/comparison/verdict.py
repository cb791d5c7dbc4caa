"""Rules for the verdict about a number, with its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from analysis.statistics.ratio import Ratio
from schema.decimals import decimals

Verdict = Literal["improved", "regressed", "changed", "unchanged", "undecided", "incomparable"]

_MAX_BOUND = 10.0
"""Largest bound of a hidden change that is named, as a share of the base."""
_SEEN = 2.5
"""Multiple of the threshold that the interval has to exclude for the verdict unchanged."""


@dataclass(frozen=True)
class Judged:
    """Verdict with its reason; the reason may be "" if the numbers explain the verdict."""

    verdict: Verdict
    reason: str = ""


def judge_ratio(ratio: Ratio, limit: float, polarity: int) -> Judged:
    """Judge a ratio of logarithms; `limit` is the logarithm of 1 + the smallest relevant change.

    A change (improved, regressed, or changed if polarity is 0) requires an interval without 0 and
    an estimate of at least `limit`. Unchanged requires a smaller estimate and an interval within
    2.5 times the limit. Otherwise it is undecided.
    """
    large = abs(ratio.estimate) >= limit
    if large and (ratio.low > 0 or ratio.high < 0):
        return Judged(name_change(ratio.estimate, polarity))
    reach = max(-ratio.low, ratio.high)
    # A wide interval could hide a relevant change, so a small estimate is not enough for unchanged.
    if not large and reach <= _SEEN * limit:
        return Judged("unchanged")
    hidden = math.expm1(max(reach, abs(ratio.estimate)))
    # A bound of several thousand percent has no meaning for a reader.
    change = f"a change of less than {_percent(hidden)} %" if hidden <= _MAX_BOUND else "any change"
    return Judged("undecided", f"{change} cannot be distinguished from noise")


def _percent(share: float) -> str:
    """Format a share (0 to 1) in percent without the sign, such as `3.4` or `12`: two significant
    digits, or from 10 % on the integer digits.
    """
    percent = 100 * share
    return decimals(percent, 0) if percent >= 10 else f"{percent:.2g}"


def exactly(base: float, new: float, limit: float, polarity: int, floor: float = 0.0) -> Judged:
    """Judge two exact numbers: improved, regressed, or changed if polarity is 0.

    Unchanged if they differ by at most `limit` times the smaller absolute number, or by at most
    `floor`.
    """
    if abs(new - base) <= max(limit * min(abs(base), abs(new)), floor):
        return Judged("unchanged")
    return Judged(name_change(new - base, polarity))


def incomparable(reason: str) -> Judged:
    """Build the record of the verdict `incomparable` with this reason."""
    return Judged("incomparable", reason)


def name_change(change: float, polarity: int) -> Verdict:
    """Name a change (not 0) by a metric's polarity: improved if its sign is that of the polarity,
    else regressed; changed if the polarity is 0.
    """
    if polarity == 0:
        return "changed"
    return "improved" if change * polarity > 0 else "regressed"
