"""Alerts: setting, display and deletion."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, get_args

from schema.code_hosts import CODE_HOSTS, POSTS, repository_texts
from services.alerts.addresses import parse_target, permitted_addresses, shown_place
from services.alerts.code_hosts.hosts import code_host_settings, is_repository
from services.alerts.config import AlertConfig
from services.alerts.errors import AlertError
from services.alerts.evaluate import Event
from services.alerts.mail import is_mail_address
from services.baselines.members import MAX_NAME, has_dot_part
from services.status.rules import choose_rule
from storage.alerts import Alert, Alerts
from storage.audit import Audit
from storage.catalogue import Catalogue

EVENTS: tuple[str, ...] = get_args(Event)
"""Events that an alert can report."""
DEFAULT_EVENTS = ("regressed", "recovered")
"""Events of an alert if none are given."""
MAX_MAILBOXES = 20
"""Maximum number of mailboxes of an alert."""


def parse_events(text: str) -> tuple[str, ...]:
    """Parse a list of events separated by commas and drop repeats, in their order.

    Raises AlertError if an event is unknown or the list is empty.
    """
    return _parse_words(text, EVENTS, f"an alert must be on {', '.join(EVENTS)}, not on")


def parse_posts(text: str) -> tuple[str, ...]:
    """Parse a list of kinds of posts separated by commas and drop repeats, in their order.

    Raises AlertError if a kind is unknown or the list is empty.
    """
    return _parse_words(text, POSTS, f"posts must be {' or '.join(POSTS)}, not")


def _parse_words(text: str, allowed: Collection[str], refusal: str) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    other = next((word for word in words if word not in allowed), None)
    if other is not None or not words:
        raise AlertError(f"{refusal} {(other or '')[:80]!r}")
    return words


def set_alert(catalogue: Catalogue, alert: Alert, config: AlertConfig, user: str) -> None:
    """Store an alert and replace the alert of the same name. Raises AlertError if a part is
    invalid, RuleError if its rule does not exist.

    The audit log has only the hosts of addresses, since the rest can be a secret.
    """
    if not alert.name.strip() or len(alert.name) > MAX_NAME or not alert.name.isprintable():
        raise AlertError(f"an alert's name must have 1 to {MAX_NAME} printable characters")
    if has_dot_part(alert.name) and Alerts(catalogue).find(alert.name) is None:
        raise AlertError("an alert's name must not have a part '.' or '..' between slashes")
    if not (alert.webhook or alert.slack or alert.mail or alert.repositories):
        raise AlertError("an alert needs a channel: webhook, slack, mail, github or gitlab")
    if not (math.isfinite(alert.no_data_days) and 0 < alert.no_data_days <= 3650):
        raise AlertError("the days without data must be more than 0 and at most 3650")
    alert = replace(alert, rule=choose_rule(catalogue, alert.rule).name)
    _check_channels(alert, config)
    Alerts(catalogue).set(alert)
    Audit(catalogue).add(
        user, "alert.set", alert.name, f"{alert.rule}: {', '.join(_channels(alert, config))}"
    )


def delete_alert(catalogue: Catalogue, name: str, user: str) -> None:
    """Delete an alert and log it. Raises AlertNotFound."""
    Alerts(catalogue).delete(name)
    Audit(catalogue).add(user, "alert.delete", name)


def alert_record(alert: Alert, config: AlertConfig) -> dict[str, Any]:
    """Convert an alert to JSON types: name, rule, webhook, slack, mail, github, gitlab, posts, on
    (its events), no_data_days, changed_at.

    `webhook` and `slack` have only host and port of the address, `None` if the alert has no such
    address. `github` and `gitlab` are names of repositories or `None`.
    """
    shown = {
        name: shown_place(url, config.hosts) if url else None
        for name, url in (("webhook", alert.webhook), ("slack", alert.slack))
    }
    own: dict[str, Any] = {"name": alert.name, "rule": alert.rule, **shown, "mail": [*alert.mail]}
    own |= {channel: alert.repositories.get(channel) for channel in CODE_HOSTS}
    return own | {
        "posts": [*alert.posts],
        "on": [*alert.events],
        "no_data_days": alert.no_data_days,
        "changed_at": alert.changed_at,
    }


def _check_channels(alert: Alert, config: AlertConfig) -> None:
    for url in (alert.webhook, alert.slack):
        if url:
            permitted_addresses(parse_target(url, config.hosts), config.hosts, config.timeout_s)
    if alert.webhook and not config.secret:
        raise AlertError("messages to a webhook are signed: set setting alert_secret")
    if len(alert.mail) > MAX_MAILBOXES or not all(map(is_mail_address, alert.mail)):
        raise AlertError(f"mail must have 1 to {MAX_MAILBOXES} addresses, such as team@example.org")
    if alert.mail and not (config.smtp_url and config.smtp_from):
        raise AlertError("mail needs the settings smtp_url and smtp_from")
    for channel, repository in alert.repositories.items():
        _check_repository(channel, repository, config)
    if alert.repositories and not alert.posts:
        raise AlertError(f"a repository needs a kind of posts: {' or '.join(POSTS)}")


def _check_repository(channel: str, repository: str, config: AlertConfig) -> None:
    """Check the name of a repository and the settings of its code host; no request is sent."""
    if not is_repository(channel, repository):
        form = "owner/name" if channel == "github" else "group/project"
        raise AlertError(f"{channel} must be the path of a repository, such as {form}")
    token, base = code_host_settings(config, channel)
    if not token:
        raise AlertError(f"posts on {channel} need setting {channel}_token")
    permitted_addresses(parse_target(base, config.hosts), config.hosts, config.timeout_s)


def _channels(alert: Alert, config: AlertConfig) -> Sequence[str]:
    posted = [
        (name, url) for name, url in (("webhook", alert.webhook), ("slack", alert.slack)) if url
    ]
    texts = [f"{name} {shown_place(url, config.hosts)}" for name, url in posted]
    texts += [f"mail {address}" for address in alert.mail]
    return texts + repository_texts(alert_record(alert, config))
