"""Context manager that turns a plugin's SystemExit and KeyboardInterrupt into an Exception."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType

Handler = Callable[[int, FrameType | None], object]


class PluginExitedError(Exception):
    """A plugin raised an exception that would end the process or cannot be printed."""


class PluginBoundary:
    """Context manager around a call of a plugin.

    Raises PluginExitedError if the plugin raises KeyboardInterrupt, SystemExit or any other
    exception that is not an Exception, since no caller handles these. Python raises the same
    exceptions for real signals (Ctrl-C, SIGTERM, a time limit), so the boundary wraps the signal
    handlers and remembers the exception that a handler raised: that exception is passed on, even if
    the plugin swallows it. Signal handlers run only in the main thread; in other threads every such
    exception counts as the plugin's.
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Handler] = {}
        self._from_signal: BaseException | None = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for number in signal.valid_signals():
            handler = signal.getsignal(number)
            if callable(handler):
                self._handlers[number] = handler
                signal.signal(number, self._handle)

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if self._from_signal is not None:
            if error is not self._from_signal:
                raise self._from_signal
        elif error is not None and not (isinstance(error, Exception) and _is_printable(error)):
            raise PluginExitedError(_reason(error)) from error

    def _handle(self, number: int, frame: FrameType | None) -> None:
        """Call the process's own signal handler and remember the exception that it raises.

        Raises that exception again.
        """
        try:
            self._handlers[number](number, frame)
        except BaseException as error:
            self._from_signal = error
            raise


def _is_printable(error: Exception) -> bool:
    try:
        str(error)
    except BaseException:
        return False
    return True


def _reason(error: BaseException) -> str:
    """Describe the exception as the end of a sentence: "it called exit(1)" or "it raised
    KeyboardInterrupt".

    The first form is for a SystemExit whose code is an int or `None`.
    """
    if isinstance(error, SystemExit) and (error.code is None or type(error.code) is int):
        return f"it called exit({error.code!r})"
    return f"it raised {type(error).__name__}"
