"""Messages of an alert as they would be sent now, for a person who sets the alert up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from analysis.comparison.status_row import RunStanding, StatusRow
from schema.code_hosts import ISSUE, PULL_REQUEST
from services.alerts.addresses import shown_place
from services.alerts.code_hosts.content import issue_body, issue_title, pull_request_body
from services.alerts.code_hosts.payloads import is_commit, issue_payload, pull_request_payload
from services.alerts.config import AlertConfig
from services.alerts.messages import check_payload, mail_text, slack_text, summary
from services.status.status import StatusCache
from storage.alerts import Alert
from storage.clock import timestamp


class PreviewedMessage(NamedTuple):
    """A message that is not sent: channel with receiver, and its text."""

    receiver: str
    text: str


def preview_messages(
    status_cache: StatusCache, alert: Alert, config: AlertConfig, within_s: float
) -> list[PreviewedMessage]:
    """Format a message for each channel of an alert; no request is sent and nothing is stored.

    Webhook, Slack and mail have the test message. A code host has its posts about the worst row of
    the status of the alert's rule; no posts if the status is empty. Raises RuleError.
    """
    payload = check_payload(alert, timestamp(), config.public_url)
    messages = []
    if alert.webhook:
        place = shown_place(alert.webhook, config.hosts)
        messages.append(PreviewedMessage(f"webhook {place}", json.dumps(payload, indent=2)))
    if alert.slack:
        place = shown_place(alert.slack, config.hosts)
        messages.append(PreviewedMessage(f"slack {place}", slack_text(payload)))
    for address in alert.mail:
        text = f"{summary(payload)}\n\n{mail_text(payload)}"
        messages.append(PreviewedMessage(f"mail {address}", text))
    if alert.repositories:
        rows = status_cache.status(alert.rule, within_s=within_s).rows
        posts = _posts(alert, rows, config) if rows else []
        for channel, repository in alert.repositories.items():
            named = f"{channel} {repository}"
            messages += [PreviewedMessage(f"{named}: {post}", text) for post, text in posts]
    return messages


def _posts(alert: Alert, rows: Sequence[StatusRow], config: AlertConfig) -> list[tuple[str, str]]:
    """Return (kind, text) of the posts about the first row, with all rows of its commit in the
    comment; no comment if that is no commit.
    """
    first = rows[0]
    posts = []
    if PULL_REQUEST in alert.posts and is_commit(first.run.commit):
        payload = _commit_payload(alert, rows, config)
        kind = f"comment on each pull request of commit {first.run.commit}"
        posts.append((kind, pull_request_body(payload)))
    if ISSUE in alert.posts:
        when = "" if first.verdict == "regressed" else ", when the key regresses"
        issue = issue_payload("regressed", alert, first, timestamp(), config.public_url)
        posts.append((f"issue{when}", f"{issue_title(issue)}\n\n{issue_body(issue)}"))
    return posts


def _commit_payload(alert: Alert, rows: Sequence[StatusRow], config: AlertConfig) -> dict[str, Any]:
    standings = [
        RunStanding(alert.rule, row, None) for row in rows if row.run.commit == rows[0].run.commit
    ]
    now = timestamp()
    return pull_request_payload(alert, standings, now, now, config.public_url)
