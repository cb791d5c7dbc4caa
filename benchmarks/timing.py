"""Repeated work in this process, timed."""

from __future__ import annotations

import time
from collections.abc import Callable


def times(work: Callable[[], object], repeats: int) -> list[float]:
    """Return the processor seconds of repeated work, after one run that imports and warms up."""
    work()
    return [seconds(work) for _ in range(repeats)]


def seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds that work takes once."""
    begin = time.process_time()
    work()
    return time.process_time() - begin
