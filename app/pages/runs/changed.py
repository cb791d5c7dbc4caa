"""What tells the list of runs that it changed."""

from __future__ import annotations

import time


def now() -> int:
    """Return another value of store `runs-changed`, at which the list is read again."""
    return time.time_ns() // 1_000_000
