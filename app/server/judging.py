"""Compute verdicts of trends and status in advance, in a forked process of one server per store."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection

from app.config.settings import Settings
from app.server.judging_process import TURN, TURN_S, serve_rounds
from ingest.template import Template, TemplateGoneError
from services.trends.judge_ahead import lacks_results
from storage.catalogue import Catalogue
from storage.run_list import RunList
from storage.turns import take_turn


def create_template(settings: Settings) -> Template:
    """Fork the process that judging processes are forked from, before the server has any threads.

    A new Python would load the application for a second.
    """
    return Template(partial(serve_rounds, settings))


@dataclass
class JudgingRounds:
    """Lets a process forked from `template` judge if runs or rules changed since this server process
    last checked.
    """

    catalogue: Catalogue
    template: Template
    _version: str = ""
    _process: Connection | None = None

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
        if not take_turn(self.catalogue, TURN, TURN_S):
            return False
        if self._judge():
            self._version = version
        return True

    def _judge(self) -> bool:
        """Whether a forked process computed everything that is missing."""
        try:
            return bool(self._begin_round().recv())
        except TemplateGoneError:
            os.kill(os.getpid(), signal.SIGTERM)  # ends gracefully, and gunicorn replaces it
        except (EOFError, OSError):
            self._forget_process()  # it was killed
        return False

    def _begin_round(self) -> Connection:
        """Begin a round in the process of the round before, in a new one if that has ended; return
        the connection to it.

        Raises TemplateGoneError if the template has ended, OSError if the new process has.
        """
        if self._process is not None:
            try:
                self._process.send(None)
            except OSError:
                self._forget_process()
        if self._process is None:
            _, self._process = self.template.fork()
            self._process.send(None)
        return self._process

    def _forget_process(self) -> None:
        if self._process is not None:
            self._process.close()
        self._process = None
