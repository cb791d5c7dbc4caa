"""Scheduled backups: a thread of each server checks whether a backup is due, a child makes it.

The child process takes no time from requests, and it outlives the server process that started it:
gunicorn replaces its workers from time to time.
"""

from __future__ import annotations

import logging
import signal
import sys
from dataclasses import asdict

from app.config.settings import Settings
from app.server.background import read_task, run_in_child
from app.server.logs import configure
from services.store.backup_file import BackupError
from services.store.backups import SCHEDULE, Attempt, claim_due, end_lost
from services.store.scheduled_backup import make_backup
from storage.catalogue import Catalogue
from storage.errors import StorageError

_LOG = logging.getLogger("tilescope")


def take_round(settings: Settings, catalogue: Catalogue) -> bool:
    """Make the backup that is due in a child process, wait for it and return True.

    Returns False if no backup is due or another server has claimed it. If the child ended without
    recording a result, the attempt is recorded as failed.
    """
    attempt = claim_due(catalogue, settings.backup_plan())
    if attempt is None:
        return False
    code = run_in_child(__name__, settings, attempt=asdict(attempt))
    reason = f"its process ended with code {code}"
    if end_lost(catalogue, attempt, reason):
        _LOG.error("backup %s failed: %s", attempt.name, reason)
    return True


def main() -> int:
    """Make the backup that the task on stdin describes; return the exit code: 0, or 1 if it failed
    (the log says why).
    """
    # SystemExit runs `finally` blocks; the default action of SIGTERM does not.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    settings, task = read_task()
    attempt = Attempt(**task["attempt"])
    configure(settings.log_format)
    try:
        backup = make_backup(settings.repository(), settings.backup_plan(), attempt, SCHEDULE)
    except (BackupError, StorageError) as error:
        _LOG.error("backup %s failed: %s", attempt.name, error)
        return 1
    except Exception:
        _LOG.exception("backup %s failed", attempt.name)
        return 1
    if backup.note:
        _LOG.warning("backup %s: %s", backup.name, backup.note)
    _LOG.info("backup %s was made: %d runs, %d bytes", backup.name, backup.runs, backup.size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
