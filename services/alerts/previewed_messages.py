"""Messages as text for a person: receiver, kind of post, and content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from schema.code_hosts import CODE_HOSTS, ISSUE
from services.alerts.code_hosts.content import (
    issue_body,
    issue_title,
    pull_request_body,
    step_comment,
)
from services.alerts.messages import mail_text, slack_text, summary
from storage.deliveries import Delivery

_STEPS = {
    "regressed": "issue, opened; if there is a closed issue of this key, it is reopened by a comment",
    "lasting": "issue, changed",
    "recovered": "issue, closed by a comment if there is an open issue of this key",
}
"""Kinds of posts about an issue, by the step of the message."""


class PreviewedMessage(NamedTuple):
    """A message that is not sent: alert, channel with receiver, and its text."""

    alert: str
    receiver: str
    text: str


def previewed_message(message: Delivery) -> PreviewedMessage:
    """Format a message of the outbox."""
    kind = ""
    if message.channel in CODE_HOSTS:
        kind, text = _post_text(message.payload)
    elif message.channel == "mail":
        text = f"{summary(message.payload)}\n\n{mail_text(message.payload)}"
    elif message.channel == "slack":
        text = slack_text(message.payload)
    else:
        text = json.dumps({"id": message.delivery_id} | dict(message.payload), indent=2)
    receiver = f"{message.channel} {message.receiver}"
    return PreviewedMessage(message.alert, f"{receiver}: {kind}" if kind else receiver, text)


def _post_text(payload: Mapping[str, Any]) -> tuple[str, str]:
    """Return (kind, text) of a post; a test of a code host has no `post`."""
    if "post" not in payload:
        return "test", "reads the repository, and posts nothing"
    if payload["post"] != ISSUE:
        kind = f"comment on each pull request of commit {payload['commit']}"
        return kind, pull_request_body(payload)
    step = str(payload["step"])
    text = f"{issue_title(payload)}\n\n{issue_body(payload)}"
    if step == "lasting":
        return _STEPS[step], text
    return _STEPS[step], f"{text}\n\nComment:\n\n{step_comment(payload)}"
