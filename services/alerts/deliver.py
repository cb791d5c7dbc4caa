"""Messages of the outbox, each sent by one process at a time."""

from __future__ import annotations

import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from services.alerts.addresses import parse_target
from services.alerts.config import AlertConfig
from services.alerts.errors import AlertError, SendError
from services.alerts.messages import check_payload
from services.alerts.send import send
from storage.alerts import Alert, Alerts
from storage.catalogue import Catalogue
from storage.deliveries import DEAD, SENT, Deliveries, Delivery, new_delivery_id

_LOG = logging.getLogger(__name__)
_LONGEST_PAUSE_S = 3_600.0
_LEASE_MARGIN_S = 5.0
_MOST_AT_ONCE = 8


def deliver_due(catalogue: Catalogue, config: AlertConfig) -> tuple[int, int]:
    """Send what is due and no other process has; return how many messages were sent, and how many attempts failed.

    A lease lasts longer than an attempt: a process that is killed leaves its message to another one afterwards, with
    the same id.
    """
    outbox, alerts, owner = Deliveries(catalogue), Alerts(catalogue), secrets.token_hex(16)
    counts = {True: 0, False: 0}
    for delivery_id in outbox.due():
        message = outbox.claim(delivery_id, owner, 3 * config.timeout_s + _LEASE_MARGIN_S)
        if message is None:
            continue
        error = _attempt(config, alerts.find(message.alert), message)
        if error:
            _LOG.warning("alert %r: message %s was not delivered: %s", message.alert, message.delivery_id, error)
        outbox.finish(message, owner, error, next_pause_s(config, message.attempts + 1))
        counts[not error] += 1
    outbox.forget_old()
    return counts[True], counts[False]


def next_pause_s(config: AlertConfig, attempts: int) -> float | None:
    """Return the seconds until the attempt after so many, None where there is none any more."""
    if attempts >= config.attempts:
        return None
    return min(config.retry_s * 2.0 ** min(attempts - 1, 60), _LONGEST_PAUSE_S)


def new_deliveries(alert: Alert, event: str, payload: dict[str, object], config: AlertConfig) -> list[Delivery]:
    """Return the messages about an event, one for each receiver of the alert."""
    receivers = [("webhook", shown_place(alert.webhook, config))] if alert.webhook else []
    receivers += [("slack", shown_place(alert.slack, config))] if alert.slack else []
    receivers += [("mail", address) for address in alert.mail]
    return [
        Delivery(new_delivery_id(), alert.name, event, channel, receiver, payload) for channel, receiver in receivers
    ]


def shown_place(url: str, config: AlertConfig) -> str:
    """Return what is shown of an address, which is a secret: its host."""
    try:
        return parse_target(url, config.hosts).place
    except AlertError:
        return "a host that is not listed in alert_hosts"


def send_test(catalogue: Catalogue, config: AlertConfig, name: str) -> list[Delivery]:
    """Send a test through every channel of an alert, once; return the messages as they are in the log.

    Raises AlertNotFound.
    """
    alert = Alerts(catalogue).get(name)
    payload = check_payload(alert, datetime.now(UTC).isoformat(timespec="seconds"), config.public_url)
    messages = new_deliveries(alert, "test", payload, config)
    with ThreadPoolExecutor(_MOST_AT_ONCE) as threads:  # somebody waits, and each may take its whole time
        errors = list(threads.map(partial(_attempt, config, alert), messages))
    tried = [
        replace(message, state=DEAD if error else SENT, attempts=1, error=error)
        for message, error in zip(messages, errors, strict=True)
    ]
    for message in tried:
        Deliveries(catalogue).record(message)
    return tried


def _attempt(config: AlertConfig, alert: Alert | None, message: Delivery) -> str:
    """Send a message; return what went wrong, "" where nothing did."""
    try:
        send(config, alert, message)
    except SendError as error:
        return str(error)
    except Exception as error:  # one message must not keep the others
        _LOG.debug("message %s failed", message.delivery_id, exc_info=True)
        return f"unexpected {type(error).__name__}"
    return ""
