"""Steps of the issue of a key: opened, changed while the regression lasts, closed."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from analysis.comparison.status_row import StatusRow
from services.status.regressions import series_id
from storage.alerts import KeyState

Step = Literal["regressed", "lasting", "recovered"]
"""Kinds of messages about an issue."""
NO_ISSUE, KNOWN, OPEN = "well", "known", "open"
"""States of the issue of a key. A known regression began before the alert was set: it has no issue."""
UNDECIDED = ("undecided", "incomparable")
"""Verdicts that change nothing."""
_PREFIX = "issue "


def issue_series(row: StatusRow) -> str:
    """Return the `series` of the state of a key's issue in table `alert_states`."""
    return f"{_PREFIX}{series_id(row.key)}"


def is_open_issue(state: KeyState) -> bool:
    """Whether a state is that of an open issue; False for the states of keys and commits."""
    return state.series.startswith(_PREFIX) and state.state == OPEN


def next_issue_state(
    before: KeyState, row: StatusRow, *, is_known: bool
) -> tuple[KeyState, Step | None]:
    """Compute the new state of a key's issue and the message about it; `None` without a message.

    `is_known`: the key was regressed already when the alert was set. A regression whose
    acknowledgement is withdrawn opens an issue.
    """
    if row.verdict in UNDECIDED:
        return before, None
    if row.verdict != "regressed":
        step: Step | None = "recovered" if before.state == OPEN else None
        return replace(before, state=NO_ISSUE, run_id=""), step
    if before.state == OPEN:
        is_changed = before.run_id != row.run.run_id
        return replace(before, run_id=row.run.run_id), "lasting" if is_changed else None
    if before.state == KNOWN or (is_known and not before.version):
        return replace(before, state=KNOWN), None
    if row.acknowledged is not None:
        return before, None
    return replace(before, state=OPEN, run_id=row.run.run_id), "regressed"
