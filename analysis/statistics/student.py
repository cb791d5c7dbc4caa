"""Tail probability and quantile of Student's t distribution.

Uses the regularised incomplete beta function as a continued fraction (NIST DLMF 8.17.22, evaluated
by Lentz's method).
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_TINY, _HUGE = 1e-300, 1e300
_PRECISION = 1e-16
_MAX_STEPS = 500


def two_sided_p(t: float, df: float) -> float:
    """Compute P(|T| >= |t|), 0 to 1, for Student's t distribution with `df` > 0 degrees of freedom;
    1 if t is 0.
    """
    square = min(t * t, _HUGE) / df
    return (
        1.0 if square < _TINY else _beta_tail(df / 2, 0.5, 1 / (1 + square), 1 / (1 + 1 / square))
    )


@lru_cache(maxsize=1024)
def quantile(share: float, df: float) -> float:
    """Compute the quantile t of Student's t distribution, P(T <= t) = `share`, for a probability
    from 0.5 (which gives 0) to below 1.

    `df` > 0 is the number of degrees of freedom.
    """
    density = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    # Newton's method starts at the normal quantile, which is below the result. The distribution
    # function is concave there, so that every step stays below the result and comes nearer to it.
    at = NormalDist().inv_cdf(share) if share > 0.5 else 0.0
    for _ in range(_MAX_STEPS):
        left = share - 1 + two_sided_p(at, df) / 2
        step = left / (density * (1 + at * at / df) ** (-(df + 1) / 2))
        if step <= _PRECISION * at:
            break
        at += step
    return at


def _beta_tail(a: float, b: float, x: float, y: float) -> float:
    """Compute the regularised incomplete beta function I_x(a, b), 0 to 1; `y` is 1 - x.

    `y` is a parameter because 1 - x loses digits if x is near 1.
    """
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, y) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function I_x(a, b), without the factor
    before it.
    """
    c = 1.0
    d = 1 / _avoid_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MAX_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for factor in (even, odd):
            d = 1 / _avoid_zero(1 + factor * d)
            c = _avoid_zero(1 + factor / c)
            value *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return value


def _avoid_zero(value: float) -> float:
    """Return the value, or the positive number 1e-300 if its size is not above that, as Lentz's
    method divides by it.
    """
    return value if abs(value) > _TINY else _TINY
