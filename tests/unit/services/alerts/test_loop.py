"""The loops of a server: rules are evaluated and messages sent while a receiver hangs."""

import pytest

from ingest.files import ingest
from services.alerts.config import AlertConfig
from services.alerts.deliver import new_deliveries
from services.alerts.loop import AlertLoops
from services.alerts.messages import check_payload
from services.status.rules import set_rule
from services.status.status import StatusCache
from storage.alerts import Alert, Alerts, KeyState
from storage.deliveries import SENT, Deliveries
from storage.rules import Rule
from tests.support.receivers import holding, receiving
from tests.support.waiting import wait_until

CONFIG = AlertConfig("127.0.0.1", "0123456789abcdef", timeout_s=300.0)


def put_message(alerts, name, server):
    alerts.set(Alert(name, "nightly", webhook=f"http://{server.host}/", events=("regressed",)))
    alert = alerts.get(name)
    messages = new_deliveries(alert, "test", check_payload(alert, "now", ""), CONFIG)
    assert alerts.change_state(alert, KeyState("s", "well"), KeyState("s", "regressed"), messages)


@pytest.fixture
def loops(repository):
    made = AlertLoops(StatusCache(repository), CONFIG, 0.02)
    made.start()
    yield made
    made.close(0.0)


@pytest.mark.slow
def test_alerts_are_evaluated_and_others_told_while_a_receiver_hangs(repository, samples, loops):
    ingest(repository, [samples / "minimalloc"], {})
    set_rule(repository, Rule("nightly", 3), "me")
    alerts, outbox = Alerts(repository.catalogue), Deliveries(repository.catalogue)
    with holding() as silent, receiving() as receiver:
        put_message(alerts, "hangs", silent)
        silent.wait_for(1)
        alerts.set(
            Alert("new", "nightly", webhook=f"http://{receiver.host}/", events=("regressed",))
        )
        wait_until(lambda: alerts.get("new").has_begun)
        put_message(alerts, "team", receiver)
        wait_until(lambda: SENT in [one.state for one in outbox.log() if one.alert == "team"])
        assert [one.attempts for one in outbox.log() if one.alert == "hangs"] == [0]
        assert not loops.close(0.0)
