"""Backups by schedule: a thread of each server process looks what is due, a process of its own makes it.

That process outlives the one that started it, which is renewed now and then, and takes no time from requests.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from dataclasses import asdict

from app.config.settings import Settings, load_settings
from app.server.logs import configure
from data_loaders.reading.isolated import ROOT
from services.store.backup_file import BackupError
from services.store.backups import SCHEDULE, Attempt, claim_due, end_lost
from services.store.scheduled_backup import make_backup
from storage.catalogue import Catalogue
from storage.errors import StorageError

_LOOK_S = 20.0
_LOG = logging.getLogger("tilescope")


def watch_backups(settings: Settings, catalogue: Catalogue) -> None:
    """Begin to look for backups that are due, on a thread that ends with the process."""
    thread = threading.Thread(target=_watch, args=(settings, catalogue), name="backups", daemon=True)
    thread.start()


def take_round(settings: Settings, catalogue: Catalogue) -> bool:
    """Make the backup that is due, in a process apart; return False where none is, or another server makes it."""
    attempt = claim_due(catalogue, settings.backup_plan())
    if attempt is None:
        return False
    code = _make_apart(settings, attempt)
    reason = f"its process ended with code {code}"
    if end_lost(catalogue, attempt, reason):
        _LOG.error("backup %s failed: %s", attempt.name, reason)
    return True


def _watch(settings: Settings, catalogue: Catalogue) -> None:
    ended = threading.Event()
    while not ended.wait(_LOOK_S):
        try:
            take_round(settings, catalogue)
        except StorageError as error:
            _LOG.warning("backups cannot be looked after: %s", error)
        except Exception:
            _LOG.exception("backups failed")


def _make_apart(settings: Settings, attempt: Attempt) -> int:
    """Make a backup in a process of its own, and return its exit code."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "app.server.backups"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
    )
    process.communicate(json.dumps({"settings": settings.model_dump(mode="json"), "attempt": asdict(attempt)}))
    return process.returncode


def main() -> int:
    """Make the backup that stdin names; return an exit code."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    task = json.load(sys.stdin)
    settings, attempt = load_settings(**task["settings"]), Attempt(**task["attempt"])
    configure(settings.log_format)
    try:
        made = make_backup(settings.repository(), settings.backup_plan(), attempt, SCHEDULE)
    except (BackupError, StorageError) as error:
        _LOG.error("backup %s failed: %s", attempt.name, error)
        return 1
    except Exception:
        _LOG.exception("backup %s failed", attempt.name)
        return 1
    if made.note:
        _LOG.warning("backup %s: %s", made.name, made.note)
    _LOG.info("backup %s was made: %d runs, %d bytes", made.name, made.runs, made.size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
