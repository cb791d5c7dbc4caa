"""Messages of an alert as they would be sent now, for a person who sets the alert up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.comparison.status_row import RunStanding, StatusRow
from schema.code_hosts import ISSUE, PULL_REQUEST
from services.alerts.code_hosts.payloads import (
    is_commit,
    issue_payload,
    pull_request_payload,
)
from services.alerts.config import AlertConfig
from services.alerts.deliver import new_deliveries
from services.alerts.messages import check_payload
from services.alerts.origin import MessageOrigin
from services.alerts.previewed_messages import PreviewedMessage, previewed_message
from services.bisection.links import bisection_address
from services.status.run_standing import run_standings
from services.status.status import StatusCache
from storage.alerts import Alert
from storage.clock import timestamp
from storage.deliveries import Delivery
from storage.installation import find_installation_id
from storage.repository import Repository


def preview_messages(
    status_cache: StatusCache, alert: Alert, config: AlertConfig, within_s: float
) -> list[PreviewedMessage]:
    """Format a message for each channel of an alert; no request is sent and nothing is stored.

    Webhook, Slack and mail have the test message. A code host has its posts about the worst row of
    the status of the alert's rule, with all keys that were measured at its commit; no posts if the
    status is empty. Raises RuleError.
    """
    payload = check_payload(alert, timestamp(), config.public_url)
    tests = new_deliveries(alert, "test", payload, config)
    messages = [test for test in tests if test.channel not in alert.repositories]
    if alert.repositories:
        rows = status_cache.status(alert.rule, within_s=within_s).rows
        posts = _payloads(status_cache.repository, alert, rows, config) if rows else []
        messages += [
            Delivery("", alert.name, "test", channel, repository, post)
            for channel, repository in alert.repositories.items()
            for post in posts
        ]
    return [*map(previewed_message, messages)]


def _payloads(
    repository: Repository, alert: Alert, rows: Sequence[StatusRow], config: AlertConfig
) -> list[dict[str, Any]]:
    """Build the posts about the first row; no comment if its run has no hash of a commit."""
    first = rows[0]
    site = find_installation_id(repository.catalogue)
    origin = MessageOrigin(site, config.public_url, lambda row: bisection_address(repository, row))
    now = timestamp()
    posts = []
    if PULL_REQUEST in alert.posts and is_commit(first.run.commit):
        standings = [
            _standing(repository, alert.rule, row)
            for row in rows
            if row.run.commit == first.run.commit
        ]
        posts.append(pull_request_payload(alert, standings, now, now, origin))
    if ISSUE in alert.posts:
        posts.append(issue_payload("regressed", alert, first, now, origin))
    return posts


def _standing(repository: Repository, rule: str, row: StatusRow) -> RunStanding:
    """Return the run of a row with the runs that it is compared with, if these are known."""
    found = run_standings(repository, row.run.run_id)
    return next((each for each in found if each.rule == rule), RunStanding(rule, row, None))
