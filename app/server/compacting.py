"""Scheduled compaction: a thread of each server checks whether it is due, a child writes the monthly
files.
"""

from __future__ import annotations

import logging
import os
import signal
import sys

from app.config.settings import Settings
from app.server.background import read_task, run_in_child
from app.server.logs import configure
from services.query.compaction import MIN_RUNS, clean_months, compact_month, due_months
from storage.errors import StorageError
from storage.repository import Repository
from storage.turns import hold_turn, take_turn

_TURN = "monthly files"
"""Name of the lock in the catalogue that lets a single server write the files."""
_CLEANING = "replaced monthly files"
"""Name of the lock that lets a single server remove replaced files."""
_CLEAN_S = 1800.0
"""Seconds between two removals of files that a compaction has replaced."""
_NICE = 10
"""Added to the niceness of the process, so that requests go first."""
_LOG = logging.getLogger("tilescope")


def take_round(settings: Settings, repository: Repository) -> bool:
    """Write the monthly files that are due in a child process, wait for it and return True.

    Returns False if it is not time yet, no file is due, or another server writes them.
    """
    catalogue = repository.catalogue
    if not catalogue.is_created():
        return False
    if take_turn(catalogue, _CLEANING, _CLEAN_S):
        clean_months(repository)
    if not take_turn(catalogue, _TURN, settings.compact_every_s):
        return False
    if not due_months(repository, MIN_RUNS):
        return False
    return run_in_child(__name__, settings) == 0


def main() -> int:
    """Write the monthly files of the store in the settings on stdin; return the exit code: 0, or 1
    if a month failed (the log says why).
    """
    # SystemExit runs `finally` blocks; the default action of SIGTERM does not.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    os.nice(_NICE)
    settings, _ = read_task()
    configure(settings.log_format)
    repository = settings.repository()
    failures = 0
    for month in due_months(repository, MIN_RUNS):
        try:
            compact_month(repository, month)
            # Another server must not begin while this process works for longer than the interval.
            hold_turn(repository.catalogue, _TURN, settings.compact_every_s)
        except StorageError as error:
            failures += 1
            _LOG.warning("monthly file %s %s was not written: %s", month.month, month.source, error)
        except Exception:
            failures += 1
            _LOG.exception("monthly file %s %s was not written", month.month, month.source)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
