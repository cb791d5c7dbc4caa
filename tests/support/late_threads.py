"""Pytest plugin that makes background work late, so that a test fails if it reads an effect of a
thread or process that it did not wait for. `make late` runs tests with it.

`LATE=after` delays what a thread does after a commit, a renamed file, a notification, bytes that a
server sends, and its last statement. `LATE=before` delays the start of threads and their commits.
`LATE=clock` lets the clock of the product run faster, as on a machine that is so much slower, except
in tests with the mark `own_clock`, which hand times of the clock to the product.
"""

import functools
import os
import socketserver
import sys
import threading
import time
from collections import Counter
from concurrent.futures import thread as pools

VARIABLE = "LATE"
MODES = ("after", "before", "clock")
"""Modes of this module; `late_pages` has others under the same variable."""
_DELAY_S = 0.15
_FIRST, _EVERY = 6, 25
"""A thread delays its first steps of a kind, then one of 25, so that long loops end."""
_SPEED = 30
_SWITCH_S = 1e-5
"""Seconds after which Python switches threads, 0.005 by default."""
_RUNS = ((threading.Thread, "run"), (pools._WorkItem, "run"))
_EFFECTS = (
    (os, "replace"),
    (os, "rename"),
    (os, "link"),
    (threading.Condition, "__exit__"),  # an event and a queue notify by a condition too
    (socketserver._SocketWriter, "write"),
)
_PACKAGES = frozenset(
    ("analysis", "app", "components", "data_loaders", "ingest", "schema", "services", "storage")
)
# Tests replace these two.
_sleep = time.sleep
_monotonic = time.monotonic
_counted = threading.local()
_has_own_clock = threading.Event()
"""Set while a test with the mark `own_clock` runs."""


def pytest_configure(config):
    """Delay the threads of a process that runs tests, which with xdist are its workers."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        install(os.environ[VARIABLE], is_child=False)


def pytest_runtest_setup(item):
    """Let the product have the clock of a test that hands it times."""
    if item.get_closest_marker("own_clock"):
        _has_own_clock.set()


def pytest_runtest_teardown():
    """Let the clock of the product run faster again."""
    _has_own_clock.clear()


def install(mode, *, is_child):
    """Delay the threads of this process as `mode` says; in a child process also its main thread."""
    if mode == "clock":
        time.monotonic = _hurried_clock(_monotonic())
        return
    sys.setswitchinterval(_SWITCH_S)
    steps = [*_RUNS] if mode == "before" else [*_RUNS, *_EFFECTS]
    if "sqlalchemy" in sys.modules or not is_child:
        from sqlalchemy.engine.default import DefaultDialect

        steps.append((DefaultDialect, "do_commit"))
    for owner, name in steps:
        setattr(owner, name, _late(getattr(owner, name), mode, is_child))


def _late(step, mode, is_child):
    """Wrap a function so that it sleeps before or after its work, as `mode` says."""

    @functools.wraps(step)
    def take(*given, **named):
        if mode == "before":
            _linger(step, is_child)
            return step(*given, **named)
        try:
            return step(*given, **named)
        finally:
            _linger(step, is_child)

    return take


def _linger(step, is_child):
    # not `current_thread`, which makes an object, and notifies, for a thread that Python did not start
    if not is_child and threading.get_ident() == threading.main_thread().ident:
        return
    counts = _counted.__dict__.setdefault("counts", Counter())
    counts[step] += 1
    if counts[step] <= _FIRST or counts[step] % _EVERY == 0:
        _sleep(_DELAY_S)


def _hurried_clock(begin):
    """Return a clock that runs faster if a package of the product calls it."""

    def monotonic():
        now = _monotonic()
        caller = sys._getframe(1).f_globals.get("__name__", "")
        is_hurried = caller.partition(".")[0] in _PACKAGES and not _has_own_clock.is_set()
        return begin + (now - begin) * _SPEED if is_hurried else now

    return monotonic
