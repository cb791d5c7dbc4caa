"""Student's t distribution: its tail and its quantile.

By the regularised incomplete beta function, as a continued fraction (NIST DLMF 8.17.22, evaluated as Lentz does).
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_TINY, _HUGE = 1e-300, 1e300
_ENOUGH = 1e-16
_MOST_STEPS = 500


def two_sided_p(t: float, df: float) -> float:
    """Return the probability of a value at least as far from 0 as `t`, with `df` > 0 degrees of freedom."""
    square = min(t * t, _HUGE) / df
    return 1.0 if square < _TINY else _beta_tail(df / 2, 0.5, 1 / (1 + square), 1 / (1 + 1 / square))


@lru_cache(maxsize=1024)
def quantile(share: float, df: float) -> float:
    """Return what a share (0.5 to 1) of all values lies below, with `df` > 0 degrees of freedom.

    By Newton's method from the normal distribution's quantile, which lies below: there the distribution is concave, so
    that every step ends below the quantile again and nearer to it.
    """
    density = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    at = NormalDist().inv_cdf(share) if share > 0.5 else 0.0
    for _ in range(_MOST_STEPS):
        left = share - 1 + two_sided_p(at, df) / 2
        step = left / (density * (1 + at * at / df) ** (-(df + 1) / 2))
        if step <= _ENOUGH * at:
            break
        at += step
    return at


def _beta_tail(a: float, b: float, x: float, y: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), where y is 1 - x."""
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, y) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for factor in (even, odd):
            d = 1 / _away(1 + factor * d)
            c = _away(1 + factor / c)
            value *= c * d
        if abs(c * d - 1) < _ENOUGH:
            break
    return value


def _away(value: float) -> float:
    """Return a value that is not 0."""
    return value if abs(value) > _TINY else _TINY
