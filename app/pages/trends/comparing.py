"""Run comparisons for the trends page with a time limit each, so that a slow comparison cannot
block the rest.
"""

from __future__ import annotations

from collections.abc import Callable

from app.request.time_limit import TimeLimitError, limit_processor_time

_MAX_SECONDS = 8.0
"""Maximum processor time of a comparison, in seconds."""


def attempt_comparison(compare: Callable[[], object]) -> bool:
    """Compare the runs of an event; return False if it exceeds the time limit."""
    try:
        with limit_processor_time(_MAX_SECONDS):
            compare()
    except TimeLimitError:
        return False
    return True
