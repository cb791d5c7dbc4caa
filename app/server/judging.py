"""Compute verdicts of trends and status in advance, in a child process of one server per store."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from dataclasses import dataclass

from app.config.settings import Settings
from app.server.apart import read_task, run_apart
from app.server.logs import configure
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
"""Maximum seconds that the process runs; another process then continues its work.

If the server has died meanwhile, its process ends soon.
"""
_NICE = 10
"""Added to the niceness of the process, so that requests go first."""
_LOG = logging.getLogger("tilescope")


@dataclass
class JudgingRounds:
    """Starts the child process if runs or rules changed since this server process last checked."""

    settings: Settings
    catalogue: Catalogue
    _version: str = ""

    def take_round(self) -> bool:
        """Compute missing verdicts in a child process, wait for it and return True.

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
        code = run_apart(__name__, self.settings)
        if code == 0:
            self._version = version
        return True


class _TimeIsUpError(Exception):
    """The process reached its time limit, or its server has ended."""


def main() -> int:
    """Compute the missing verdicts of the store in the settings on stdin; return the exit code: 0
    if complete, 1 if it failed or _MAX_S (600 s) were over.
    """
    # SystemExit runs `finally` blocks; the default action of SIGTERM does not.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    os.nice(_NICE)
    server = os.getppid()
    until = time.monotonic() + _MAX_S
    settings, _ = read_task()
    configure(settings.log_format)
    repository = settings.repository()
    repository.keep_frames(settings.frames_folder, settings.frames_mb * 2**20)

    def continue_work() -> None:
        if time.monotonic() > until or os.getppid() != server:
            raise _TimeIsUpError
        hold_turn(repository.catalogue, _TURN, _TURN_S)

    try:
        judge_ahead(repository, continue_work)
    except _TimeIsUpError:
        return 1
    except StorageError as error:
        _LOG.warning("answers were not worked out ahead: %s", error)
        return 1
    except Exception:
        _LOG.exception("answers were not worked out ahead")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
