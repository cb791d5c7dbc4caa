"""Attempts to send a message of the outbox: what an attempt returns, and when the next one is due."""

from __future__ import annotations

import logging

from services.alerts.config import AlertConfig
from services.alerts.errors import SendError
from services.alerts.send import send
from storage.alerts import Alert
from storage.deliveries import Delivery

_LOG = logging.getLogger(__name__)
_MAX_PAUSE_S = 3_600.0
_LEASE_MARGIN_S = 5.0


def attempt(config: AlertConfig, alert: Alert | None, message: Delivery) -> str:
    """Send a message; return what went wrong, "" if it was delivered."""
    try:
        send(config, alert, message)
    except SendError as error:
        return str(error)
    except Exception as error:  # one message must not keep the others
        _LOG.debug("message %s failed", message.delivery_id, exc_info=True)
        return f"unexpected {type(error).__name__}"
    return ""


def lease_s(config: AlertConfig) -> float:
    """Return the seconds for which a process has a message: longer than an attempt, so that no other one sends it."""
    return 3 * config.timeout_s + _LEASE_MARGIN_S


def next_pause_s(config: AlertConfig, attempts: int) -> float | None:
    """Return the seconds until the next attempt after so many, None if the message is given up."""
    if attempts >= config.attempts:
        return None
    return min(config.retry_s * 2.0 ** min(attempts - 1, 60), _MAX_PAUSE_S)
