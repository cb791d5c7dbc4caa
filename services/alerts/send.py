"""Delivery of a message through its channel: a single attempt."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping

from schema.code_hosts import CODE_HOSTS, ISSUE
from services.alerts.addresses import parse_target
from services.alerts.code_hosts.hosts import open_code_host
from services.alerts.code_hosts.publish import publish
from services.alerts.config import AlertConfig
from services.alerts.errors import AlertError, SendError
from services.alerts.guarded_http import post
from services.alerts.mail import mail_message, parse_mail_server, send_mail
from services.alerts.messages import mail_text, slack_text, summary
from storage.alerts import Alert
from storage.deliveries import Delivery

_JSON = {"Content-Type": "application/json", "User-Agent": "Tilescope", "Connection": "close"}


def send(config: AlertConfig, alert: Alert | None, message: Delivery) -> None:
    """Send a message with the current settings of its alert.

    Raises SendError if that fails or the alert was deleted (`None`); its message has no secret.
    """
    if alert is None:
        raise SendError("the alert was deleted")
    if message.channel in CODE_HOSTS:
        _send_post(config, alert, message)
    elif message.channel == "mail":
        _send_mail(config, message)
    elif message.channel == "slack":
        _post(config, alert.slack, json.dumps({"text": slack_text(message.payload)}).encode(), {})
    else:
        _send_webhook(config, alert, message)


def signature(secret: str, body: bytes, at: int) -> str:
    """Return the text `t=UNIX,v1=HEX`: the time `at` (s), and the HMAC-SHA256 of that time, a dot
    and the body, with the secret as key.
    """
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def _send_post(config: AlertConfig, alert: Alert, message: Delivery) -> None:
    """Publish a message on a code host; a test only reads the repository."""
    # A message of a repository that the alert no longer names must not be published.
    repository = alert.repositories.get(message.channel, "")
    if repository != message.receiver:
        raise SendError("the alert no longer has this repository")
    host = open_code_host(config, message.channel, repository)
    if message.event == "test":
        host.check(needs_issues=ISSUE in alert.posts)
    else:
        publish(host, message.payload)


def _send_webhook(config: AlertConfig, alert: Alert, message: Delivery) -> None:
    if not config.secret:
        raise SendError("setting alert_secret, which messages are signed with, is not set")
    body = json.dumps({"id": message.delivery_id} | dict(message.payload)).encode()
    headers = {"Tilescope-Event": message.event, "Tilescope-Delivery": message.delivery_id}
    headers["Tilescope-Signature"] = signature(config.secret, body, int(time.time()))
    _post(config, alert.webhook, body, headers)


def _post(config: AlertConfig, url: str, body: bytes, headers: Mapping[str, str]) -> None:
    if not url:
        raise SendError("the alert no longer has this channel")
    try:
        target = parse_target(url, config.hosts)
    except AlertError as error:
        raise SendError(str(error)) from error
    post(target, config.hosts, body, {**_JSON, **headers}, config.timeout_s)


def _send_mail(config: AlertConfig, message: Delivery) -> None:
    if not config.smtp_url or not config.smtp_from:
        raise SendError("settings smtp_url and smtp_from, which mail needs, are not set")
    subject = f"[Tilescope] {summary(message.payload)}"
    mail = mail_message(
        message.delivery_id, config.smtp_from, message.receiver, subject, mail_text(message.payload)
    )
    server = parse_mail_server(config.smtp_url)
    send_mail(server, config.smtp_from, message.receiver, mail, config.timeout_s)
