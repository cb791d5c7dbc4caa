"""Run comparisons for the trends page with a time limit each, so that a slow comparison cannot
block the rest.
"""

from __future__ import annotations

from collections.abc import Callable

from app.request.time_limit import TimeLimitError, limit_processor_time

_MAX_SECONDS = 8.0
"""Maximum processor time of a comparison, in seconds."""


def attempt_comparison(compare: Callable[[], object]) -> bool:
    """Call `compare` and return True; False if it takes more than _MAX_SECONDS (8 s) of processor
    time.
    """
    try:
        with limit_processor_time(_MAX_SECONDS):
            compare()
    except TimeLimitError:
        return False
    return True
