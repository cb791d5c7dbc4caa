"""Answers of trends and of the status worked out ahead: one of the servers of a store does it, in a process apart."""

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
from services.trends.judge_ahead import judge_ahead, lacks_answers
from storage.catalogue import Catalogue
from storage.errors import StorageError
from storage.run_list import RunList
from storage.turns import hold_turn, take_turn

_TURN = "judge ahead"
_TURN_S = 60.0
_LONGEST_S = 600.0
"""After this the process ends, and another one goes on: a server that is gone has none for long."""
_NICE = 10
_LOG = logging.getLogger("tilescope")


@dataclass
class JudgingRounds:
    """Looks for answers to work out, where runs or rules changed since this process last did."""

    settings: Settings
    catalogue: Catalogue
    _version: str = ""

    def take_round(self) -> bool:
        """Work out what is lacking in a process apart; return False where nothing is, or another server does it."""
        version = RunList(self.catalogue).version()
        if version == self._version:
            return False
        if not lacks_answers(self.catalogue):
            self._version = version
            return False
        if not take_turn(self.catalogue, _TURN, _TURN_S):
            return False
        code = run_apart(__name__, self.settings)
        if code == 0:
            self._version = version
        return True


class _TimeIsUpError(Exception):
    """The process has worked for as long as it may, or nobody waits for it."""


def main() -> int:
    """Work out answers for the store that stdin names; return an exit code."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    os.nice(_NICE)
    server, until = os.getppid(), time.monotonic() + _LONGEST_S
    settings, _ = read_task()
    configure(settings.log_format)
    repository = settings.repository()

    def go_on() -> None:
        if time.monotonic() > until or os.getppid() != server:
            raise _TimeIsUpError
        hold_turn(repository.catalogue, _TURN, _TURN_S)

    try:
        judge_ahead(repository, go_on)
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
