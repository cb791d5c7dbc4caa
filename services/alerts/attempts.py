"""Attempts to send a message of the outbox: their result, and the time until the next attempt."""

from __future__ import annotations

import logging
from typing import NamedTuple

from services.alerts.config import AlertConfig
from services.alerts.errors import RateLimitError, SendError
from services.alerts.send import send
from storage.alerts import Alert
from storage.deliveries import Delivery

_LOG = logging.getLogger(__name__)
_MAX_PAUSE_S = 3_600.0
"""Maximum seconds between two attempts."""
_LEASE_MARGIN_S = 5.0
"""Seconds of a lease in addition to the timeouts of an attempt."""


class Outcome(NamedTuple):
    """Result of an attempt: the reason of a failure ("" if the message was delivered), and the
    seconds for which the receiver wants no further request (`None` without a rate limit).
    """

    error: str
    wait_s: float | None = None


def attempt(config: AlertConfig, alert: Alert | None, message: Delivery) -> Outcome:
    """Send a message once and return the result.

    No error is raised, also not if the alert was deleted (`alert` is None): that is a failure.
    """
    try:
        send(config, alert, message)
    except RateLimitError as error:
        return Outcome(str(error), error.wait_s)
    except SendError as error:
        return Outcome(str(error))
    # an error of one message must not stop the delivery of other messages
    except Exception as error:
        _LOG.debug("message %s failed", message.delivery_id, exc_info=True)
        return Outcome(f"unexpected {type(error).__name__}")
    return Outcome("")


def lease_s(config: AlertConfig) -> float:
    """Seconds for which a process owns a message: three timeouts plus _LEASE_MARGIN_S (5 s), which
    is longer than an attempt takes (at most two for a repository), so that no other process sends it as well.
    """
    return 3 * config.timeout_s + _LEASE_MARGIN_S


def next_pause_s(config: AlertConfig, attempts: int) -> float | None:
    """Seconds until the next attempt after `attempts` attempts; `None` if that is the configured
    maximum and the message is given up.

    The pause doubles each time, to at most _MAX_PAUSE_S (1 h).
    """
    if attempts >= config.attempts:
        return None
    return min(config.retry_s * 2.0 ** min(attempts - 1, 60), _MAX_PAUSE_S)
