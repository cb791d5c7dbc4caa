"""Limit of processor time for a piece of work; only render processes have such limits."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

_MAX_SHARE = 0.5
"""Maximum share of the time that is left for a page which a part of it may use."""
_MIN_TIMER_S = 0.001
"""Minimum time to set, as 0 would turn the timer off."""


class TimeLimitError(BaseException):
    """The work took more processor time than allowed.

    It is not an Exception, so that handlers of failures do not catch it.
    """


class _Armed:
    """Whether time limits work in this process (`now`)."""

    now = False


def arm_time_limits() -> None:
    """Enable `limit_processor_time` in this process; its main thread must do the work."""
    signal.signal(signal.SIGPROF, _expire)
    _Armed.now = True


def _expire(_signal: int, _frame: object) -> None:
    raise TimeLimitError


@contextmanager
def limit_processor_time(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError in the block after `seconds` of processor time.

    The limit of an enclosing block stays in force if it ends earlier. Does nothing if the process
    did not call `arm_time_limits`.
    """
    if not _Armed.now:
        yield
        return
    around = signal.getitimer(signal.ITIMER_PROF)[0]
    begin = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, min(seconds, around) if around else seconds)
    try:
        yield
    finally:
        # A process has a single timer, so the rest of the enclosing limit is set again.
        left = max(around - (time.process_time() - begin), _MIN_TIMER_S) if around else 0.0
        signal.setitimer(signal.ITIMER_PROF, left)


@contextmanager
def limit_part(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError in the block after `seconds` of processor time, or earlier: after half
    of the time that the enclosing limit has left.

    A part of a page that is stopped so leaves time for the parts after it.
    """
    left = signal.getitimer(signal.ITIMER_PROF)[0] if _Armed.now else 0.0
    with limit_processor_time(min(seconds, _MAX_SHARE * left) if left else seconds):
        yield
