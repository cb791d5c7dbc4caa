"""What becomes of a key when an alert looks at it."""

from types import SimpleNamespace

import pytest

from ingest.files import ingest
from services.alerts.config import AlertConfig
from services.alerts.evaluate import ACKNOWLEDGED, REGRESSED, WELL, evaluate_alerts, next_state
from services.status.rules import set_rule
from services.status.status import StatusCache
from storage.alerts import Alert, Alerts, KeyState
from storage.rules import Rule


def row(verdict, run_id="new", *, acknowledged=None, age_days=0.0):
    run = SimpleNamespace(run_id=run_id)
    return SimpleNamespace(verdict=verdict, run=run, acknowledged=acknowledged, age_days=age_days)


@pytest.mark.parametrize(
    ("before", "verdict", "after", "events"),
    [
        (WELL, "unchanged", WELL, []),
        (WELL, "regressed", REGRESSED, ["regressed"]),
        (REGRESSED, "regressed", REGRESSED, []),
        (REGRESSED, "undecided", REGRESSED, []),
        (REGRESSED, "incomparable", REGRESSED, []),
        (REGRESSED, "unchanged", WELL, ["recovered"]),
        (REGRESSED, "improved", WELL, ["recovered"]),
        (ACKNOWLEDGED, "unchanged", WELL, ["recovered"]),
    ],
)
def test_a_change_is_told_once_and_what_is_undecided_changes_nothing(
    before, verdict, after, events
):
    now, found = next_state(KeyState("s", before, "old", version=1), row(verdict), 7)
    assert (now.state, found) == (after, events)


def test_an_acknowledged_regression_sends_nothing():
    for before in (WELL, REGRESSED):
        now, events = next_state(
            KeyState("s", before, version=1), row("regressed", acknowledged="known"), 7
        )
        assert (now.state, events) == (ACKNOWLEDGED, [])


def test_a_further_drop_of_an_acknowledged_key_is_news_and_taking_it_back_is_not():
    before = KeyState("s", ACKNOWLEDGED, "old", version=1)
    assert next_state(before, row("regressed", "old"), 7)[1] == []
    assert next_state(before, row("regressed", "new"), 7)[1] == ["regressed"]


def test_no_data_is_told_once_until_a_run_comes():
    before = KeyState("s", WELL, version=1)
    silent, events = next_state(before, row("unchanged", age_days=8.0), 7)
    assert (silent.no_data, events) == (True, ["no_data"])
    assert next_state(silent, row("unchanged", age_days=9.0), 7) == (silent, [])
    assert next_state(silent, row("unchanged", age_days=1.0), 7) == (before, [])


@pytest.mark.slow
def test_an_alert_waits_until_all_runs_of_its_rule_are_compared(repository, samples):
    ingest(repository, [samples / "minimalloc"], {})
    set_rule(repository, Rule("nightly", 3), "me")
    alerts = Alerts(repository.catalogue)
    alerts.set(Alert("team", "nightly", "http://hooks.example.org/hidden", events=("regressed",)))
    answers = StatusCache(repository)
    assert evaluate_alerts(answers, AlertConfig(), within_s=-1.0) == 0
    assert (alerts.get("team").has_begun, alerts.states("team")) == (False, {})
    evaluate_alerts(answers, AlertConfig())
    assert alerts.get("team").has_begun
    assert alerts.states("team")


@pytest.mark.slow
def test_alerts_share_the_time_of_a_round(repository, samples):
    ingest(repository, [samples / "minimalloc"], {})
    set_rule(repository, Rule("nightly", 3), "me")
    alerts = Alerts(repository.catalogue)
    for name in ("first", "second"):
        alerts.set(Alert(name, "nightly", "http://hooks.example.org/hidden", events=("regressed",)))
    given = []

    class Slow(StatusCache):
        def status(self, *arguments, within_s):
            given.append(within_s)
            return super().status(*arguments, within_s=within_s)

    evaluate_alerts(Slow(repository), AlertConfig(), within_s=60.0)
    assert 60 >= given[0] > given[1]
