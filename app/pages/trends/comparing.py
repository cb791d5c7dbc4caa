"""Comparisons of runs for the page of trends, none of which may hold up the others."""

from __future__ import annotations

from collections.abc import Callable

from app.request.time_limit import TimeLimitError, limit_processor_time

_LONGEST_S = 8.0
"""Processor time that a comparison may take."""


def attempt_comparison(compare: Callable[[], object]) -> bool:
    """Compare the runs of an event; return False where that takes too long for a page."""
    try:
        with limit_processor_time(_LONGEST_S):
            compare()
    except TimeLimitError:
        return False
    return True
