"""Dry runs: the messages of the next evaluation, while nothing is stored."""

import pytest

from services.alerts.config import AlertConfig
from services.alerts.dry_run import dry_run
from services.alerts.evaluate import evaluate_alerts
from services.status.rules import set_rule
from services.status.status import StatusCache
from storage.alerts import Alert, Alerts
from storage.deliveries import Deliveries
from storage.installation import find_installation_id
from storage.rules import Rule
from tests.support.solved_runs import put_run

CONFIG = AlertConfig("127.0.0.1:9", public_url="https://t.example.org")
GOOD, BAD = 64, 96


def alert_of(repository):
    return Alert(
        "team",
        "nightly",
        slack="http://127.0.0.1:9/x",
        events=("regressed", "recovered"),
        github=repository,
        posts=("pull_request", "issue"),
    )


@pytest.fixture
def run_of(repository, tmp_path):
    """Ingest a solved problem of a day, whose height is the number that decides."""

    def run(day, size):
        put_run(repository, tmp_path, day, size, branch="main", commit=f"{day:02x}" * 20)

    return run


@pytest.fixture
def alerted(repository, run_of):
    """A store with an alert whose first evaluation has been."""
    set_rule(repository, Rule("nightly", 3, "main"), "me")
    for day in (1, 2, 3):
        run_of(day, GOOD)
    Alerts(repository.catalogue).set(alert_of("team/kernels"))
    evaluate_alerts(StatusCache(repository), CONFIG)
    return repository


def states_of(repository):
    return Alerts(repository.catalogue).states("team")


def channels(messages):
    return sorted((message.channel, message.event) for message in messages)


@pytest.mark.slow
def test_a_dry_run_lists_what_the_evaluation_adds(alerted, run_of):
    assert dry_run(StatusCache(alerted), CONFIG) == []
    run_of(4, BAD)
    before = states_of(alerted)
    expected = [("github", "commit"), ("github", "regressed"), ("slack", "regressed")]
    for _ in range(2):
        assert channels(dry_run(StatusCache(alerted), CONFIG)) == expected
    assert states_of(alerted) == before
    assert Deliveries(alerted.catalogue).log() == []
    assert evaluate_alerts(StatusCache(alerted), CONFIG) == len(expected)


@pytest.mark.slow
def test_messages_that_wait_are_listed_once(alerted, run_of):
    run_of(4, BAD)
    evaluate_alerts(StatusCache(alerted), CONFIG)
    waiting = Deliveries(alerted.catalogue).log()
    assert channels(dry_run(StatusCache(alerted), CONFIG)) == channels(waiting)
    Alerts(alerted.catalogue).set(alert_of("team/other"))
    assert channels(dry_run(StatusCache(alerted), CONFIG)) == [("slack", "regressed")]


def test_a_dry_run_before_the_first_evaluation_stores_nothing(repository, run_of):
    set_rule(repository, Rule("nightly", 3, "main"), "me")
    run_of(1, GOOD)
    Alerts(repository.catalogue).set(Alert("team", "nightly", github="team/kernels"))
    assert dry_run(StatusCache(repository), CONFIG) == []
    assert not Alerts(repository.catalogue).get("team").has_begun
    assert find_installation_id(repository.catalogue) == ""
