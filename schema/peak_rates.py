"""Rates above the peak of their cores, which no hardware reaches: sizes, cores, peak or times of
the run must be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

IMPOSSIBLE_PEAK = "which no hardware reaches: a setting or a time of the file is wrong"
"""Clause after a share of the peak above 100 %."""
IMPOSSIBLE = f"above the peak of the cores, {IMPOSSIBLE_PEAK}"
"""Explanation of a rate above the peak, for tooltips."""
RATES = ("gmacs_mean", "gmacs_mean_by_span", "gmacs_best", "gmacs_worst", "utilization")
"""Metrics of a capture that follow from its rates, or are rates."""
_MAX_SHARE = 1 + 1e-9
"""A rate at the peak may exceed it by the rounding of its division."""


def exceeds_peak(share: float | None) -> bool:
    """Whether a share of the peak (1 at the peak) is known and above 1."""
    return share is not None and share > _MAX_SHARE


def has_impossible_rates(numbers: Mapping[str, float | None]) -> bool:
    """Whether the mean or the best rate of a run's metrics exceeds the peak of its cores; False if
    the peak is not known.

    Both are rates of the measured iterations. The time of another iteration, or of a kernel, may be
    impossible while these rates are not.
    """
    share = numbers.get("utilization")
    best = numbers.get("gmacs_best")
    mean = numbers.get("gmacs_mean")
    if share is None:
        return False
    # Measured iterations have the same cores, so that their shares are in the ratio of their rates.
    return exceeds_peak(share) or (
        best is not None and mean is not None and mean > 0 and exceeds_peak(share * best / mean)
    )
