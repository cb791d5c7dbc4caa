"""Repeated work in this process, timed."""

from __future__ import annotations

import time
from collections.abc import Callable


def times(work: Callable[[], object], repeats: int) -> list[float]:
    """Return the seconds of repeated work, after one run that imports and warms up."""
    work()
    return [seconds(work) for _ in range(repeats)]


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds that work takes once."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
