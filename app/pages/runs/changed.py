"""Signal that the list of runs changed."""

from __future__ import annotations

import time


def now() -> int:
    """Return the time in ms since 1970, a new value for the store `runs-changed`, which makes the
    page read the list again.
    """
    return time.time_ns() // 1_000_000
