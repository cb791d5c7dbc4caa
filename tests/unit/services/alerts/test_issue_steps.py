"""What becomes of the issue of a key when an alert looks at it."""

from dataclasses import replace

import pytest

from analysis.comparison.status_row import Acknowledged
from services.alerts.issue_steps import KNOWN, NO_ISSUE, OPEN, issue_series, next_issue_state
from storage.alerts import KeyState
from tests.support.code_host_messages import row

NEW = row().run.run_id


def state(name, run_id=""):
    return KeyState("issue s", name, run_id, version=1)


@pytest.mark.parametrize(
    ("before", "verdict", "after", "step"),
    [
        (state(NO_ISSUE), "unchanged", state(NO_ISSUE), None),
        (state(NO_ISSUE), "regressed", state(OPEN, NEW), "regressed"),
        (state(OPEN, "old"), "regressed", state(OPEN, NEW), "lasting"),
        (state(OPEN, NEW), "regressed", state(OPEN, NEW), None),
        (state(OPEN, NEW), "undecided", state(OPEN, NEW), None),
        (state(OPEN, NEW), "incomparable", state(OPEN, NEW), None),
        (state(OPEN, NEW), "improved", state(NO_ISSUE), "recovered"),
        (state(KNOWN), "regressed", state(KNOWN), None),
        (state(KNOWN), "unchanged", state(NO_ISSUE), None),
    ],
)
def test_each_change_is_a_step(before, verdict, after, step):
    assert next_issue_state(before, row(verdict=verdict), is_known=False) == (after, step)


def test_a_regression_from_before_the_alert_is_known():
    first = KeyState("issue s", NO_ISSUE)
    now, step = next_issue_state(first, row(), is_known=True)
    assert (now.state, step) == (KNOWN, None)
    # a state that is stored was well after the alert was set
    assert next_issue_state(state(NO_ISSUE), row(), is_known=True)[1] == "regressed"


def test_an_acknowledged_regression_opens_no_issue_until_that_is_withdrawn():
    known = replace(row(), acknowledged=Acknowledged("me", "", "2026-11-01"))
    assert next_issue_state(state(NO_ISSUE), known, is_known=False) == (state(NO_ISSUE), None)
    assert next_issue_state(state(NO_ISSUE), row(), is_known=False)[1] == "regressed"
    assert next_issue_state(state(OPEN, "old"), known, is_known=False)[1] == "lasting"


def test_issues_of_keys_have_states_of_their_own():
    assert issue_series(row("a")) != issue_series(row("b"))
    assert len(issue_series(row())) <= 64
