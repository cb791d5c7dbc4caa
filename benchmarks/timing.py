"""Measure the processor time of repeated work in this process."""

from __future__ import annotations

import time
from collections.abc import Callable


def times(work: Callable[[], object], repeats: int) -> list[float]:
    """Return the processor seconds of repeated work, after a first run for imports and caches."""
    work()
    return [seconds(work) for _ in range(repeats)]


def seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds of a single run of `work`."""
    begin = time.process_time()
    work()
    return time.process_time() - begin
