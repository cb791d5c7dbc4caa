"""What changed since an alert looked last: once per key and change, with the messages about it."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import replace
from datetime import datetime
from typing import Literal

from analysis.comparison.status_row import StatusRow
from services.alerts.config import AlertConfig
from services.alerts.deliver import new_deliveries
from services.alerts.messages import status_payload
from services.baselines.members import BaselineError
from services.status.regressions import series_id
from services.status.status import StatusAnswers
from storage.alerts import Alert, Alerts, KeyState

_LOG = logging.getLogger(__name__)
Event = Literal["regressed", "recovered", "no_data"]
WELL, REGRESSED, ACKNOWLEDGED = "well", "regressed", "acknowledged"
"""What a key is at: an acknowledged regression is known."""
_SAYS_NOTHING = ("undecided", "incomparable")


def evaluate_alerts(
    answers: StatusAnswers, config: AlertConfig, as_of: datetime | None = None, *, within_s: float = math.inf
) -> int:
    """Compare the status with what every alert knows; return how many messages were put in the outbox.

    The first time an alert only records. An alert whose rule is gone is passed over, with a line in the log, and until
    the next time one whose status is not known after `within_s`, which all of them share: what was compared is kept.
    """
    made, until = 0, time.monotonic() + within_s
    for alert in Alerts(answers.repository.catalogue).all():
        try:
            made += _evaluate(answers, alert, config, as_of, until - time.monotonic())
        except BaselineError as error:
            _LOG.warning("alert %r was not evaluated: %s", alert.name, error)
    return made


def _evaluate(
    answers: StatusAnswers, alert: Alert, config: AlertConfig, as_of: datetime | None, within_s: float
) -> int:
    store = Alerts(answers.repository.catalogue)
    # What is known is read before the status: a change that is worked out from an older status is refused.
    known, made = store.states(alert.name), 0
    status = answers.status(alert.rule, None, as_of, within_s=within_s)
    if status.missing:
        return 0
    for row in status.rows:
        series = series_id(row.key)
        before = known.get(series, KeyState(series, WELL))
        now, events = next_state(before, row, alert.no_data_days)
        wanted = [event for event in events if event in alert.events] if alert.has_begun else []
        if now == before and before.version:
            continue
        messages = [
            message
            for event in wanted
            for message in new_deliveries(
                alert, event, status_payload(event, alert, row, status.as_of, config.public_url), config
            )
        ]
        if store.change_state(alert, before, now, messages):
            made += len(messages)
    if not alert.has_begun:
        store.begin(alert)
    return made


def next_state(before: KeyState, row: StatusRow, no_data_days: float) -> tuple[KeyState, list[Event]]:
    """Return what a key is at now, and what happened to it since; a run that nothing is said of changes nothing."""
    no_data = row.age_days >= no_data_days
    events: list[Event] = ["no_data"] if no_data and not before.no_data else []
    now = replace(before, no_data=no_data)
    if row.verdict in _SAYS_NOTHING:
        return now, events
    state = WELL if row.verdict != "regressed" else REGRESSED if row.acknowledged is None else ACKNOWLEDGED
    if state == before.state:
        return now, events
    # An acknowledgement that is taken back is no news; a further drop, with another run, is.
    if state == REGRESSED and not (before.state == ACKNOWLEDGED and before.run_id == row.run.run_id):
        events.append("regressed")
    if state == WELL:
        events.append("recovered")
    return replace(now, state=state, run_id=row.run.run_id), events
