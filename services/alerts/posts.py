"""Messages for code hosts: each is created once, together with the state that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from analysis.comparison.status_row import StatusRow
from schema.code_hosts import ISSUE
from services.alerts.code_hosts.payloads import issue_payload
from services.alerts.issue_steps import NO_ISSUE, is_open_issue, issue_series, next_issue_state
from services.alerts.origin import MessageOrigin
from services.status.regressions import series_id
from storage.alerts import Alert, Alerts, KeyState
from storage.deliveries import Deliveries, Delivery, new_delivery_id

MAX_OPEN_ISSUES = 50
"""Maximum number of issues of an alert that are open at the same time."""


@dataclass
class PostRound:
    """An evaluation of an alert: the states before it, the time that orders its messages, and the
    number of its open issues.
    """

    store: Alerts
    alert: Alert
    states: Mapping[str, KeyState]
    at: str
    origin: MessageOrigin
    open_issues: int = 0

    def wants(self, post: str) -> bool:
        """Whether the alert names a repository and this kind of posts."""
        return bool(self.alert.repositories) and post in self.alert.posts

    def before(self, series: str) -> KeyState:
        """Return the state of a key, issue or commit, by its `series`, before the evaluation."""
        return self.states.get(series, KeyState(series, NO_ISSUE))

    def change(
        self, before: KeyState, now: KeyState, event: str, payload: dict[str, Any] | None
    ) -> int:
        """Store a state with a message for each code host (no message if `payload` is `None`);
        return the number of messages, 0 if another process has changed the state.
        """
        messages = [
            Delivery(new_delivery_id(), self.alert.name, event, channel, repository, payload)
            for channel, repository in self.alert.repositories.items()
            if payload is not None
        ]
        return len(messages) * self.store.change_state(self.alert, before, now, messages)


def begin_round(
    store: Alerts, alert: Alert, states: Mapping[str, KeyState], origin: MessageOrigin
) -> PostRound:
    """Begin the evaluation of an alert, after its states and its status were read."""
    # The database's time, since the clocks of the servers that evaluate in turn may differ.
    now = datetime.fromtimestamp(Deliveries(store.catalogue).now(), UTC)
    at = now.isoformat(timespec="milliseconds")
    open_issues = sum(is_open_issue(state) for state in states.values())
    return PostRound(store, alert, states, at, origin, open_issues)


def add_issue_messages(post_round: PostRound, row: StatusRow) -> int:
    """Store the new state of a key's issue with the messages about it; return their number.

    The state of the key itself must not be changed before: it decides whether the regression is
    known, and a process that is killed in between would lose the message. If MAX_OPEN_ISSUES (50)
    are open, a further regression waits until an issue is closed.
    """
    if not post_round.wants(ISSUE):
        return 0
    alert = post_round.alert
    before = post_round.before(issue_series(row))
    key_state = post_round.before(series_id(row.key))
    is_known = not alert.has_begun or key_state.state != NO_ISSUE
    now, step = next_issue_state(before, row, is_known=is_known)
    # A bad commit can make hundreds of keys worse; the rows come in order, the worst first.
    if step == "regressed" and post_round.open_issues >= MAX_OPEN_ISSUES:
        now, step = before, None
    # A regressed key without a stored state would count as known in the next evaluation.
    if now == before and (before.version or row.verdict != "regressed"):
        return 0
    payload = None
    if step is not None:
        payload = issue_payload(step, alert, row, post_round.at, post_round.origin)
    message_count = post_round.change(before, now, step or "", payload)
    if message_count:
        post_round.open_issues += is_open_issue(now) - is_open_issue(before)
    return message_count
