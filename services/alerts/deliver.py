"""Messages of alerts: created for each receiver, delivered by a command, or sent as a test."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from services.alerts.addresses import shown_place
from services.alerts.attempts import attempt, lease_s
from services.alerts.config import AlertConfig
from services.alerts.delivery_threads import MAX_THREADS, DeliveryThreads
from services.alerts.messages import check_payload
from storage.alerts import Alert, Alerts
from storage.catalogue import Catalogue
from storage.deliveries import DEAD, SENT, Deliveries, Delivery, new_delivery_id


def deliver_due(catalogue: Catalogue, config: AlertConfig) -> tuple[int, int]:
    """Attempt each message once that is due now; return (number of sent messages, number of failed
    attempts).

    Messages that another process has leased are skipped. Old messages of the log are deleted.
    """
    outbox = Deliveries(catalogue)
    begin = outbox.now()
    threads = DeliveryThreads(catalogue, config)
    try:
        while threads.begin_due(begin):
            threads.wait_for_end()
    finally:
        threads.close(lease_s(config))
    outbox.forget_old()
    return threads.sent, threads.failed


def new_deliveries(
    alert: Alert, event: str, payload: dict[str, object], config: AlertConfig
) -> list[Delivery]:
    """Create the messages about an event without storing them: for the alert's webhook, for Slack,
    then for each mailbox, for a test also for each repository; empty if the alert has no receiver.
    """
    receivers = [("webhook", shown_place(alert.webhook, config.hosts))] if alert.webhook else []
    receivers += [("slack", shown_place(alert.slack, config.hosts))] if alert.slack else []
    receivers += [("mail", address) for address in alert.mail]
    # A test reads the repository; posts about changes are created by `posts`.
    receivers += [*alert.repositories.items()] if event == "test" else []
    return [
        Delivery(new_delivery_id(), alert.name, event, channel, receiver, payload)
        for channel, receiver in receivers
    ]


def send_test(catalogue: Catalogue, config: AlertConfig, name: str) -> list[Delivery]:
    """Send a test once through every channel of an alert; return the messages as logged: sent, or
    dead with the `error` of the only attempt.

    Raises AlertNotFound.
    """
    alert = Alerts(catalogue).get(name)
    payload = check_payload(
        alert, datetime.now(UTC).isoformat(timespec="seconds"), config.public_url
    )
    messages = new_deliveries(alert, "test", payload, config)
    # a user waits, and each channel may take its whole timeout
    with ThreadPoolExecutor(MAX_THREADS) as threads:
        outcomes = list(threads.map(partial(attempt, config, alert), messages))
    errors = [outcome.error for outcome in outcomes]
    tried = [
        replace(message, state=DEAD if error else SENT, attempts=1, error=error)
        for message, error in zip(messages, errors, strict=True)
    ]
    for message in tried:
        Deliveries(catalogue).record(message)
    return tried
