"""Axis of whole numbers that count or name things, such as iterations, runs, samples or instances."""

from __future__ import annotations

from typing import Any

_MAX_EVERY = 24
"""From this many numbers on, plotly chooses which numbers are ticks."""
_BEYOND = 0.6
"""Room on either side of the outer numbers: more than half a bar, and less than to the next number."""


def index_axis(title: str, first: int, last: int) -> dict[str, Any]:
    """Build the layout of an axis from number `first` to number `last`.

    No tick is a fraction, or a number outside of `first` to `last`.
    """
    # An axis that plotly ranges itself shows the numbers before the first and after the last.
    return {
        "title": {"text": title},
        "range": [first - _BEYOND, last + _BEYOND],
        "tickformat": ",d",
        "dtick": 1 if last - first < _MAX_EVERY else None,
    }
