"""Loops of a server: evaluation of alerts, in a single server at a time, and delivery of their
messages.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from services.alerts.config import AlertConfig
from services.alerts.delivery_threads import DeliveryThreads
from services.alerts.evaluate import evaluate_alerts
from services.status.status import StatusCache
from storage.alerts import Alerts
from storage.deliveries import Deliveries
from storage.errors import StorageError

_LOG = logging.getLogger(__name__)
_MAX_PAUSE_S = 5.0
"""Maximum seconds between two steps of a loop."""
_WITHIN_S = 5.0
"""Maximum seconds of comparisons per round: if a rule covers a long history, `judge_ahead` compares
most of it."""


class AlertLoops:
    """The two loops of a process, each on a thread, so that evaluation does not wait for
    receivers.
    """

    def __init__(self, status_cache: StatusCache, config: AlertConfig, every_s: float) -> None:
        self._status_cache = status_cache
        self._config = config
        self._every_s = every_s
        self._pause_s = min(every_s, _MAX_PAUSE_S)
        self._is_closed = threading.Event()
        self._threads = DeliveryThreads(status_cache.repository.catalogue, config)

    def start(self) -> None:
        """Start both loops; they end with the process or with `close`."""
        for name, loop in (("alerts", self._evaluate), ("deliveries", self._deliver)):
            threading.Thread(target=loop, name=name, daemon=True).start()

    def close(self, within_s: float) -> bool:
        """End both loops, and wait for messages that are being sent; return whether all these
        attempts ended within `within_s` seconds.
        """
        self._is_closed.set()
        return self._threads.close(within_s)

    def _evaluate(self) -> None:
        while not self._is_closed.wait(self._pause_s):
            _take_step(self._evaluate_in_turn)

    def _evaluate_in_turn(self) -> None:
        """Evaluate alerts if no other process did so within `every_s`."""
        catalogue = self._status_cache.repository.catalogue
        if Alerts(catalogue).take_turn(self._every_s):
            evaluate_alerts(self._status_cache, self._config, within_s=_WITHIN_S)
            Deliveries(catalogue).forget_old()

    def _deliver(self) -> None:
        while not self._is_closed.is_set():
            if _take_step(self._threads.begin_due):
                self._threads.wait_for_end(self._pause_s)
            else:
                self._is_closed.wait(self._pause_s)


def _take_step(step: Callable[[], object]) -> bool:
    """Call a step of a loop and log its errors; return whether it succeeded. No error is raised."""
    try:
        step()
    except StorageError as error:
        _LOG.warning("alerts cannot be read: %s", error)
    except Exception:
        _LOG.exception("alerts failed")
    else:
        return True
    return False
