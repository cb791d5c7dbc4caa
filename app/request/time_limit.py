"""Processor time that a piece of work may take, in processes that render pages; elsewhere there is no limit."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

_LEAST_S = 0.001


class TimeLimitError(BaseException):
    """The work took more processor time than it may. No Exception: what handles failures on the way lets it pass."""


class _Armed:
    """Whether this process is told when its time is over."""

    now = False


def arm_time_limits() -> None:
    """Let `limit_processor_time` work in this process, whose main thread does the work."""
    signal.signal(signal.SIGPROF, _expire)
    _Armed.now = True


def _expire(_signal: int, _frame: object) -> None:
    raise TimeLimitError


@contextmanager
def limit_processor_time(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError within the block after `seconds` of processor time, or when a block around it is due."""
    if not _Armed.now:
        yield
        return
    around, begin = signal.getitimer(signal.ITIMER_PROF)[0], time.process_time()
    signal.setitimer(signal.ITIMER_PROF, min(seconds, around) if around else seconds)
    try:
        yield
    finally:
        left = max(around - (time.process_time() - begin), _LEAST_S) if around else 0.0
        signal.setitimer(signal.ITIMER_PROF, left)
