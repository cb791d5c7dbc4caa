"""A server that ends while it sends alerts."""

import threading
import time

import pytest

from app.config.settings import Settings
from services.alerts.deliver import new_deliveries
from services.alerts.messages import check_payload
from storage.alerts import Alert, Alerts, KeyState
from storage.deliveries import SENT, WAITING, Deliveries
from tests.support.live_server import PATIENCE_S, running
from tests.support.receivers import holding, receiving

SECRET = "0123456789abcdef"  # noqa: S105 - of this test alone


@pytest.fixture
def catalogue(tmp_path):
    opened = Settings(data=tmp_path / "data").catalogue()
    opened.create()
    yield opened
    opened.close()


def put_message(catalogue, place):
    settings = Settings(alert_hosts=place, alert_secret=SECRET)
    alert = Alert("team", "nightly", f"http://{place}/")
    Alerts(catalogue).set(alert)
    messages = new_deliveries(
        alert, "test", check_payload(alert, "now", ""), settings.alert_config()
    )
    assert Alerts(catalogue).change_state(
        alert, KeyState("s", "well"), KeyState("s", "regressed"), messages
    )


def serving(folder, place):
    return running(
        folder,
        workers=1,
        alert_hosts=place,
        alert_secret=SECRET,
        alert_every_s=1,
        alert_timeout_s=300,
    )


def states(catalogue):
    return [(one.state, one.attempts) for one in Deliveries(catalogue).log()]


def test_a_server_that_is_stopped_lets_a_message_that_it_sends_arrive(tmp_path, catalogue):
    with receiving() as receiver:
        receiver.gate = threading.Event()
        put_message(catalogue, receiver.host)
        with serving(tmp_path, receiver.host) as server:
            receiver.wait_for_message()
            server.process.terminate()
            time.sleep(1.0)  # long enough that a server that does not wait is gone
            receiver.gate.set()
            assert server.process.wait(timeout=PATIENCE_S) == 0
    assert states(catalogue) == [(SENT, 1)]


def test_a_server_that_is_stopped_waits_not_for_a_receiver_that_hangs(tmp_path, catalogue):
    with holding() as silent:
        put_message(catalogue, silent.host)
        with serving(tmp_path, silent.host) as server:
            silent.wait_for(1)
            server.process.terminate()
            assert server.process.wait(timeout=PATIENCE_S) == 0
    assert states(catalogue) == [(WAITING, 0)]
