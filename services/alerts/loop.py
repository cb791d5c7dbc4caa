"""The loop of a server that evaluates alerts and sends their messages: of several servers one at a time."""

from __future__ import annotations

import logging
import threading

from services.alerts.config import AlertConfig
from services.alerts.deliver import deliver_due
from services.alerts.evaluate import evaluate_alerts
from services.comparison.status import StatusAnswers
from storage.alerts import Alerts
from storage.errors import StorageError

_LOG = logging.getLogger(__name__)
_LONGEST_PAUSE_S = 5.0
_WITHIN_S = 5.0
"""How long runs are compared in a round: where a rule covers a long history, `judge_ahead` does most of it."""


def watch_alerts(answers: StatusAnswers, config: AlertConfig, every_s: float) -> None:
    """Begin the loop on a thread of its own; it ends with the process."""
    thread = threading.Thread(target=_watch, args=(answers, config, every_s), name="alerts", daemon=True)
    thread.start()


def take_round(answers: StatusAnswers, config: AlertConfig, every_s: float) -> None:
    """Evaluate where it is this process's turn, and send what is due."""
    catalogue = answers.repository.catalogue
    if Alerts(catalogue).take_turn(every_s):
        evaluate_alerts(answers, config, within_s=_WITHIN_S)
    deliver_due(catalogue, config)


def _watch(answers: StatusAnswers, config: AlertConfig, every_s: float) -> None:
    ended = threading.Event()
    while not ended.wait(min(every_s, _LONGEST_PAUSE_S)):
        try:
            take_round(answers, config, every_s)
        except StorageError as error:
            _LOG.warning("alerts cannot be read: %s", error)
        except Exception:
            _LOG.exception("alerts failed")
