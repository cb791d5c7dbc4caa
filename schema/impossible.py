"""Metrics of a run that are impossible: above the peak of the hardware, or above the memory that it
has.

Every view, list, comparison and interface takes them from here. They are shown with a mark on the
page of their run, and count nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping

from schema.peak_rates import IMPOSSIBLE, RATES, exceeds_peak, has_impossible_rates

_KERNEL_SHARE = "kernel_utilization"
_CAPACITY_SHARE = "capacity_use"
_ABOVE_CAPACITY = "above 100 % of a memory that had these bytes: the capacity is wrong"
"""Explanation of a share of the capacity above 1 that an allocator recorded."""


def impossible_metrics(numbers: Mapping[str, float | None]) -> tuple[str, ...]:
    """List the names of a run's metrics that are impossible: its rates, the share of the peak in
    kernels, the share of the capacity that an allocator gave out; () without any.
    """
    rates = RATES if has_impossible_rates(numbers) else ()
    kernels = (_KERNEL_SHARE,) if exceeds_peak(numbers.get(_KERNEL_SHARE)) else ()
    # A plan may exceed its capacity, but a program that ran had the memory that it allocated.
    ran = numbers.get("peak_reserved") is not None
    memory = (_CAPACITY_SHARE,) if ran and (numbers.get(_CAPACITY_SHARE) or 0) > 1 else ()
    return tuple(name for name in (*rates, *kernels, *memory) if numbers.get(name) is not None)


def explain_impossible(metric: str) -> str:
    """Explain in a clause why numbers of a metric are impossible."""
    return _ABOVE_CAPACITY if metric == _CAPACITY_SHARE else IMPOSSIBLE
