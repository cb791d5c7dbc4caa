"""What servers do now and then in a process of its own, which takes no time from requests."""

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
_LOG = logging.getLogger("tilescope")


def watch(name: str, take_round: Callable[[], object]) -> None:
    """Take a round every 20 s, on a thread that ends with the process; what goes wrong is logged."""
    threading.Thread(target=_watch, args=(name, take_round), name=name, daemon=True).start()


def run_apart(module: str, settings: Settings, **task: object) -> int:
    """Run a module that reads its settings and its task with `read_task`; return its exit code."""
    process = subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
    )
    process.communicate(json.dumps({"settings": settings.model_dump(mode="json"), **task}))
    return process.returncode


def read_task() -> tuple[Settings, dict[str, Any]]:
    """Return what `run_apart` sent to this process."""
    task = json.load(sys.stdin)
    return load_settings(**task.pop("settings")), task


def take_logged_round(name: str, take_round: Callable[[], object], logged: str = "") -> str:
    """Take a round and return what was wrong with the store, "" for nothing; it is logged unless it was `logged`."""
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
    ended, logged = threading.Event(), ""
    while not ended.wait(_LOOK_S):
        logged = take_logged_round(name, take_round, logged)
