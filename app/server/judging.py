"""Compute verdicts of trends and status in advance, in a forked process of one server per store."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection

from app.config.settings import Settings
from ingest.template import Template, TemplateGoneError
from services.trends.judge_ahead import judge_ahead, lacks_results
from storage.catalogue import Catalogue
from storage.errors import StorageError
from storage.run_list import RunList
from storage.turns import hold_turn, take_turn

_TURN = "judge ahead"
"""Name of the lock in the catalogue that lets a single server work at a time."""
_TURN_S = 60.0
"""Seconds after which the lock of a server that has died expires."""
_MAX_S = 600.0
"""Maximum seconds that the process runs; another process then continues its work."""
_NICE = 10
"""Added to the niceness of the process, so that requests go first."""
_LOG = logging.getLogger("tilescope")


def create_template(settings: Settings) -> Template:
    """Fork the process that judging processes are forked from, before the server has any threads.

    A round is due after nearly every ingest, and a new Python would load the application for a
    second each time.
    """
    return Template(partial(_serve, settings))


@dataclass
class JudgingRounds:
    """Forks a process of `template` if runs or rules changed since this server process last checked."""

    catalogue: Catalogue
    template: Template
    _version: str = ""

    def take_round(self) -> bool:
        """Compute missing verdicts in a forked process, wait for it and return True.

        Returns False if no verdict is missing, nothing changed since the last round, or another
        server computes them.
        """
        version = RunList(self.catalogue).version()
        if version == self._version:
            return False
        if not lacks_results(self.catalogue):
            self._version = version
            return False
        if not take_turn(self.catalogue, _TURN, _TURN_S):
            return False
        if self._judge():
            self._version = version
        return True

    def _judge(self) -> bool:
        """Whether a forked process computed everything that is missing."""
        try:
            _, connection = self.template.fork()
        except TemplateGoneError:
            os.kill(os.getpid(), signal.SIGTERM)  # ends gracefully, and gunicorn replaces it
            return False
        with connection:
            try:
                return bool(connection.recv())
            except (EOFError, OSError):
                return False  # it was killed


class _TimeIsUpError(Exception):
    """The process reached its time limit."""


def _serve(settings: Settings, connection: Connection) -> None:
    """Judge in this process, and send whether everything was computed."""
    # SystemExit runs `finally` blocks; the default action of SIGTERM does not.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    os.nice(_NICE)
    connection.send(_judge_store(settings))


def _judge_store(settings: Settings) -> bool:
    """Compute the missing verdicts of a store; return False, and log why, if some are still missing,
    for example because _MAX_S (600 s) were over.
    """
    until = time.monotonic() + _MAX_S
    repository = settings.repository()
    repository.keep_frames(settings.frames_folder, settings.frames_mb * 2**20)

    def continue_work() -> None:
        if time.monotonic() > until:
            raise _TimeIsUpError
        hold_turn(repository.catalogue, _TURN, _TURN_S)

    try:
        judge_ahead(repository, continue_work)
    except _TimeIsUpError:
        return False
    except StorageError as error:
        _LOG.warning("verdicts were not computed in advance: %s", error)
        return False
    except Exception:
        _LOG.exception("verdicts were not computed in advance")
        return False
    return True
