"""Runs of a store, evaluated and sent to a stand-in of a code host: what is posted, and once."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from shutil import copytree

import pytest

from services.alerts import posts
from services.alerts.deliver import deliver_due, send_test
from services.alerts.evaluate import evaluate_alerts
from services.status.acknowledge import acknowledge, withdraw_acknowledgement
from services.status.rules import set_rule
from services.status.status import StatusCache
from storage.alerts import Alert, Alerts
from storage.clock import timestamp
from storage.deliveries import DEAD, SENT, Deliveries
from storage.delivery_leases import WAITING
from storage.repository import Repository
from storage.rules import Rule
from tests.support.code_host_server import CUT, PASS, RefusalError
from tests.support.solved_runs import put_run
from tests.support.waiting import wait_until

GOOD, BAD, WORSE = 64, 96, 128
"""Sizes of the last block: the height of the map is the number that decides."""


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """The folder of a store with a rule and a key that is well, judged once for all tests."""
    folder = tmp_path_factory.mktemp("judged")
    with closing_repository(folder) as opened:
        set_rule(opened, Rule("nightly", 3, "main"), "me")
        for day in (1, 2, 3):
            put_measured(opened, folder, day, GOOD)
        StatusCache(opened).status()
    return folder


@pytest.fixture
def repository(judged, tmp_path):
    """A copy of the judged store."""
    with closing_repository(copytree(judged, tmp_path / "store")) as opened:
        yield opened


@pytest.fixture
def run_of(repository, tmp_path):
    """Ingest a solved problem of a day whose last block has a size, see `put_measured`."""
    return partial(put_measured, repository, tmp_path)


@pytest.fixture
def rounds(repository, side):
    """Set an alert on a key that is well, and return a function that evaluates and delivers."""
    named = {side.kind: side.repository.name, "posts": ("pull_request", "issue")}
    Alerts(repository.catalogue).set(Alert("team", "nightly", **named))
    side.repository.pulls = {day: ("open", [commit_of(day)]) for day in range(1, 20)}

    def take_round():
        made = evaluate_alerts(StatusCache(repository), side.config)
        deliver_due(repository.catalogue, side.config)
        return made

    take_round()
    return take_round


@contextmanager
def closing_repository(folder):
    opened = Repository(f"sqlite:///{folder}/catalogue.db", str(folder / "frames"))
    yield opened
    opened.catalogue.close()


def put_measured(repository, folder, day, size, **settings):
    """Ingest a solved problem of a day's commit on the main branch, see `put_run`."""
    given = {"branch": "main", "commit": commit_of(day)} | settings
    return put_run(repository, folder, day, size, **given)


def commit_of(day):
    return f"{day:02x}" * 20


def log(repository):
    return [message.state for message in Deliveries(repository.catalogue).log()]


def test_the_present_state_posts_nothing(side, rounds):
    assert rounds() == 0
    assert side.server.writes == []


@pytest.mark.quick_every(2)
def test_a_regression_has_one_issue_and_its_pull_request_one_comment(
    repository, side, run_of, rounds
):
    run_of(4, BAD)
    assert rounds() == 2
    assert rounds() == 0
    [made] = side.repository.issues
    assert made["is_open"]
    [comment] = side.repository.bodies(4)
    assert "regressed" in comment
    run_of(5, WORSE)
    rounds()
    run_of(6, GOOD)
    rounds()
    run_of(7, BAD)
    rounds()
    assert (len(side.repository.issues), made["is_open"]) == (1, True)
    assert len(side.repository.bodies(made["number"])) == 2
    assert {*log(repository)} == {SENT}


@pytest.mark.quick_every(2)
def test_a_run_off_the_branch_is_commented_and_opens_no_issue(side, run_of, rounds):
    run_of(4, BAD, branch="feature")
    assert rounds() == 1
    assert "regressed" in side.repository.bodies(4)[0]
    assert side.repository.issues == []


@pytest.mark.quick_every(2)
def test_all_keys_of_a_commit_are_in_one_comment(side, run_of, rounds):
    run_of(4, BAD)
    run_of(4, GOOD, name="other")
    rounds()
    [body] = side.repository.bodies(4)
    assert sum(line.startswith("| `") for line in body.splitlines()) == 2


@pytest.mark.slow
def test_a_regression_that_began_before_the_alert_has_no_issue(repository, side, run_of, rounds):
    run_of(4, BAD)
    Alerts(repository.catalogue).delete("team")
    named = {side.kind: side.repository.name, "posts": ("issue",)}
    Alerts(repository.catalogue).set(Alert("late", "nightly", **named))
    rounds()
    run_of(5, BAD)
    rounds()
    assert side.repository.issues == []
    run_of(6, GOOD)
    rounds()
    run_of(7, BAD)
    rounds()
    assert len(side.repository.issues) == 1


@pytest.mark.quick_every(2)
def test_an_alert_posts_only_the_kinds_that_it_names(repository, side, run_of, rounds):
    alerts = Alerts(repository.catalogue)
    alerts.set(replace(alerts.get("team"), posts=("issue",)))
    run_of(4, BAD)
    rounds()
    assert (len(side.repository.issues), side.repository.bodies(4)) == (1, [])


@pytest.mark.slow
@pytest.mark.parametrize("passed", range(5))
def test_a_lost_response_posts_nothing_twice(repository, side, run_of, rounds, passed):
    run_of(4, BAD)
    side.server.plan = [PASS] * passed + [CUT]
    rounds()
    wait_until(
        lambda: deliver_due(repository.catalogue, side.config) and {*log(repository)} == {SENT}
    )
    assert (len(side.repository.issues), len(side.repository.bodies(4))) == (1, 1)


@pytest.mark.quick_every(2)
def test_a_rate_limit_sets_the_time_of_all_messages_and_uses_up_no_attempt(
    repository, side, run_of, rounds
):
    run_of(4, BAD)
    limit = RefusalError(403, "API rate limit exceeded", {"Retry-After": "600"})
    side.server.plan = [limit] * 9
    before = len(side.server.log)
    rounds()
    assert len(side.server.log) == before + 1
    messages = Deliveries(repository.catalogue).log()
    assert {(one.state, one.attempts) for one in messages} == {(WAITING, 0)}
    assert Deliveries(repository.catalogue).due(9) == []


@pytest.mark.quick_every(2)
def test_a_message_that_is_limited_for_days_is_given_up(repository, side, run_of, rounds):
    run_of(4, BAD, branch="feature")
    evaluate_alerts(StatusCache(repository), side.config)
    outbox = Deliveries(repository.catalogue)
    [message] = outbox.log()
    outbox.record(replace(message, created_at=timestamp(-timedelta(days=8)), attempts=2))
    side.server.plan = [RefusalError(429, "limited", {"Retry-After": "600"})]
    deliver_due(repository.catalogue, side.config)
    assert [(one.state, one.attempts) for one in outbox.log()] == [(DEAD, 3)]


@pytest.mark.quick_every(2)
def test_a_message_of_a_repository_that_is_no_longer_named_is_not_posted(
    repository, side, run_of, rounds
):
    run_of(4, BAD)
    evaluate_alerts(StatusCache(repository), side.config)
    alerts = Alerts(repository.catalogue)
    alerts.set(replace(alerts.get("team"), **{side.kind: "team/other"}))
    requests = len(side.server.log)
    wait_until(
        lambda: deliver_due(repository.catalogue, side.config) and {*log(repository)} == {DEAD}
    )
    assert len(side.server.log) == requests


def test_a_test_reads_the_repository_and_posts_nothing(repository, side, rounds):
    assert [one.state for one in send_test(repository.catalogue, side.config, "team")] == [SENT]
    assert side.server.writes == []
    side.repository.archived = True
    [tried] = send_test(repository.catalogue, side.config, "team")
    assert (tried.state, "archived" in tried.error) == (DEAD, True)


@pytest.mark.quick_every(2)
def test_later_runs_are_left_out_as_of_a_moment(repository, side, run_of, rounds):
    run_of(4, BAD)
    before = datetime(2026, 11, 3, 12, tzinfo=UTC)
    assert evaluate_alerts(StatusCache(repository), side.config, before) == 0
    assert rounds() == 2


@pytest.mark.slow
def test_a_further_regression_waits_while_too_many_issues_are_open(
    side, run_of, rounds, monkeypatch
):
    monkeypatch.setattr(posts, "MAX_OPEN_ISSUES", 1)
    for day in (1, 2, 3):
        run_of(day, GOOD, name="other")
    rounds()
    run_of(4, BAD)
    run_of(4, WORSE, name="other")
    rounds()
    [first] = side.repository.issues
    assert "other" in first["title"]
    run_of(5, GOOD, name="other")
    rounds()
    rounds()
    assert [issue["is_open"] for issue in side.repository.issues] == [False, True]


@pytest.mark.quick_every(2)
def test_a_regression_whose_acknowledgement_is_withdrawn_opens_an_issue(
    repository, side, run_of, rounds
):
    run_of(4, BAD)
    status_cache = StatusCache(repository)
    [row] = status_cache.status("nightly").rows
    acknowledge(status_cache, row.run.run_id, rule="nightly", note="known", user="me")
    rounds()
    assert side.repository.issues == []
    withdraw_acknowledgement(status_cache, row.run.run_id, rule="nightly", user="me")
    rounds()
    assert len(side.repository.issues) == 1
