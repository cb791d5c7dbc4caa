"""The counts of the page's sentence against the states of the messages, and those of a run of the alerts."""

import json
import re

import pytest

from app.pages.alerts.page import _SHOWN, alerts_sentence
from services.status.rules import set_rule
from storage.alerts import Alert, Alerts
from storage.deliveries import DEAD, SENT, WAITING
from storage.rules import Rule
from tests.support.command_line import good, run
from tests.support.sentences import COUNT, number_faults, plain

STATES = [
    [],
    [SENT],
    [DEAD],
    [WAITING, DEAD],
    [SENT, SENT, WAITING, DEAD],
    [SENT] * _SHOWN,
]


@pytest.mark.parametrize("alerts", [1, 2])
@pytest.mark.parametrize("states", STATES, ids=len)
def test_messages_are_counted_by_their_states(alerts, states):
    sentence = plain(alerts_sentence(alerts, states))
    assert not number_faults(sentence)
    assert re.match(rf"{COUNT} alert", sentence)[1] == str(alerts)
    if not states:
        assert not re.search(r"\d (sent|waiting|given up)", sentence)
        return
    counts = {SENT: "sent", WAITING: "waiting", DEAD: "given up"}
    for state, words in counts.items():
        assert re.search(rf"{COUNT} {words}", sentence)[1] == str(states.count(state))
    assert re.search(rf"{COUNT} messages?:", sentence)[1] == str(len(states))
    assert ("newest" in sentence) == (len(states) == _SHOWN)


def test_the_command_counts_as_its_json(settings, tmp_path):
    repository = settings.repository()
    set_rule(repository, Rule("nightly", 3), "tests")
    Alerts(repository.catalogue).set(Alert("team", "nightly", "https://hooks.example.org/x"))
    answers = [
        good(run("alert", "run", *more, "--data", settings.data)) for more in ([], ["--json"])
    ]
    counts = json.loads(answers[1])
    assert re.findall(r"\d+", answers[0]) == [
        str(counts[name]) for name in ("made", "sent", "failed")
    ]
    assert not number_faults(answers[0])
