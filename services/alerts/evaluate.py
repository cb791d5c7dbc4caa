"""Detection of changes since the last evaluation of an alert: each change of a key gives its
messages once.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Literal

from analysis.comparison.status_row import StatusRow
from services.alerts.commit_posts import add_commit_messages
from services.alerts.config import AlertConfig
from services.alerts.deliver import new_deliveries
from services.alerts.messages import status_payload
from services.alerts.origin import MessageOrigin
from services.alerts.posts import add_issue_messages, begin_round
from services.baselines.members import BaselineError
from services.bisection.links import bisection_address
from services.status.regressions import series_id
from services.status.status import StatusCache
from storage.alerts import Alert, Alerts, KeyState
from storage.deliveries import Delivery

_LOG = logging.getLogger(__name__)
Event = Literal["regressed", "recovered", "no_data"]
"""Kinds of changes that an alert can report."""
WELL, REGRESSED, ACKNOWLEDGED = "well", "regressed", "acknowledged"
"""States of a key. An acknowledged regression is known: it gives no further message."""
_SAYS_NOTHING = ("undecided", "incomparable")
"""Verdicts that leave the state of a key as it is."""


def evaluate_alerts(
    status_cache: StatusCache,
    config: AlertConfig,
    as_of: datetime | None = None,
    *,
    within_s: float = math.inf,
    store: Alerts | None = None,
) -> int:
    """Compare the status with the stored state of every alert; return how many messages were added
    to the outbox.

    The first evaluation of an alert only stores the state. An alert whose rule does not exist is
    skipped with a line in the log. All alerts share `within_s` seconds for comparisons; an alert
    whose status is still incomplete then is evaluated the next time, and the comparisons made so
    far are cached. `store` reads and writes the alerts, by default those of the catalogue.
    """
    message_count = 0
    until = time.monotonic() + within_s
    repository = status_cache.repository
    alerts = store or Alerts(repository.catalogue)
    for alert in alerts.all():
        site = alerts.site() if alert.repositories else ""
        origin = MessageOrigin(site, config.public_url, partial(bisection_address, repository))
        evaluation = _Evaluation(status_cache, alerts, alert, config, origin)
        try:
            message_count += evaluation.run(as_of, until - time.monotonic())
        except BaselineError as error:
            _LOG.warning("alert %r was not evaluated: %s", alert.name, error)
    return message_count


@dataclass(frozen=True)
class _Evaluation:
    """An evaluation of an alert, with what it reads and writes."""

    status_cache: StatusCache
    store: Alerts
    alert: Alert
    config: AlertConfig
    origin: MessageOrigin

    def run(self, as_of: datetime | None, within_s: float) -> int:
        """Store new states with their messages, and return the number of messages."""
        alert = self.alert
        # The stored states are read before the status is computed: `change_state` rejects a change
        # that is based on an outdated state.
        states = self.store.states(alert.name)
        message_count = 0
        until = time.monotonic() + within_s
        status = self.status_cache.status(alert.rule, None, as_of, within_s=within_s)
        if status.missing:
            return 0
        post_round = begin_round(self.store, alert, states, self.origin)
        for row in status.rows:
            message_count += add_issue_messages(post_round, row)
            series = series_id(row.key)
            before = states.get(series, KeyState(series, WELL))
            now, events = next_state(before, row, alert.no_data_days)
            wanted = [event for event in events if event in alert.events] if alert.has_begun else []
            # a state without version is not stored yet, even if it equals the default
            if now == before and before.version:
                continue
            messages = self._messages(wanted, row, status.as_of)
            if self.store.change_state(alert, before, now, messages):
                message_count += len(messages)
        if not alert.has_begun:
            self.store.begin(alert)
        left_s = until - time.monotonic()
        return message_count + add_commit_messages(post_round, self.status_cache, as_of, left_s)

    def _messages(self, events: Sequence[Event], row: StatusRow, at: str) -> list[Delivery]:
        messages: list[Delivery] = []
        for event in events:
            payload = status_payload(event, self.alert, row, at, self.origin)
            messages += new_deliveries(self.alert, event, payload, self.config)
        return messages


def next_state(
    before: KeyState, row: StatusRow, no_data_days: float
) -> tuple[KeyState, list[Event]]:
    """Compute the new state of a key and the events since the old state (maybe empty), such as
    `regressed`.

    An undecided or incomparable run changes only `no_data`. Withdrawing the acknowledgement of the
    same run is no event.
    """
    no_data = row.age_days >= no_data_days
    events: list[Event] = ["no_data"] if no_data and not before.no_data else []
    now = replace(before, no_data=no_data)
    if row.verdict in _SAYS_NOTHING:
        return now, events
    state = (
        WELL
        if row.verdict != "regressed"
        else REGRESSED
        if row.acknowledged is None
        else ACKNOWLEDGED
    )
    if state == before.state:
        return now, events
    # Withdrawing an acknowledgement is not reported again; a further regression, with another run,
    # is.
    if state == REGRESSED and not (
        before.state == ACKNOWLEDGED and before.run_id == row.run.run_id
    ):
        events.append("regressed")
    if state == WELL:
        events.append("recovered")
    return replace(now, state=state, run_id=row.run.run_id), events
