"""Background work of servers: rounds on a thread, and modules that run in child processes."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from app.config.settings import Settings, load_settings
from data_loaders.reading.isolated import ROOT
from storage.errors import StorageError

_LOOK_S = 20.0
"""Seconds between two rounds of a background task."""
_LOG = logging.getLogger("tilescope")


def watch(name: str, take_round: Callable[[], object]) -> None:
    """Run `take_round` every _LOOK_S (20 s) on a daemon thread called `name`, and return
    immediately.

    An error is logged and the next round runs.
    """
    threading.Thread(target=_watch, args=(name, take_round), name=name, daemon=True).start()


def run_in_child(module: str, settings: Settings, **task: object) -> int:
    """Run a module in a child process and wait for it; return its exit code.

    The module reads `settings` and `task` from its stdin by `read_task`.
    """
    process = subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        # The child's log goes to stderr, which it shares with the server.
        stdout=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
    )
    # On stdin, because settings contain secrets and other users could read the arguments.
    process.communicate(json.dumps({"settings": settings.model_dump(mode="json"), **task}))
    return process.returncode


def read_task() -> tuple[Settings, dict[str, Any]]:
    """Return (the settings, the task as a dict) that `run_in_child` wrote to the stdin of this
    process.
    """
    task = json.load(sys.stdin)
    return load_settings(**task.pop("settings")), task


def take_logged_round(name: str, take_round: Callable[[], object], logged: str = "") -> str:
    """Run a round and log its error; return the message of a StorageError, "" otherwise.

    `logged` is the message that the previous round returned. It is not logged again, so that a
    database that is down for an hour makes a single line in the log instead of 180.
    """
    try:
        take_round()
    except StorageError as error:
        if str(error) != logged:
            _LOG.warning("%s cannot be looked after: %s", name, error)
        return str(error)
    except Exception:
        _LOG.exception("%s failed", name)
    return ""


def _watch(name: str, take_round: Callable[[], object]) -> None:
    logged = ""
    # An event that is never set: the thread is a daemon, which ends with the process.
    ended = threading.Event()
    while not ended.wait(_LOOK_S):
        logged = take_logged_round(name, take_round, logged)
