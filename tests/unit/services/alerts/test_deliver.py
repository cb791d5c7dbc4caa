"""Messages on their way to a receiver on this machine: signed, tried again, never lost."""

import hashlib
import hmac
import json
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from services.alerts.attempts import next_pause_s
from services.alerts.config import AlertConfig
from services.alerts.deliver import deliver_due, new_deliveries, send_test
from services.alerts.messages import check_payload
from storage.alerts import Alert, Alerts, KeyState
from storage.deliveries import DEAD, SENT, Deliveries
from tests.support.receivers import receiving
from tests.support.waiting import wait_until

SECRET = "0123456789abcdef"  # noqa: S105 - of this test alone
SENDER = """
import sys
from services.alerts.config import AlertConfig
from services.alerts.deliver import deliver_due
from storage.catalogue import Catalogue
url, hosts, secret = sys.argv[1:]
deliver_due(Catalogue(url), AlertConfig(hosts, secret, timeout_s=1.0))
"""


@pytest.fixture
def receiver():
    with receiving() as server:
        yield server


def config_of(receiver):
    hosts = f"127.0.0.1:{receiver.server_port}"
    return AlertConfig(hosts, SECRET, timeout_s=60.0, retry_s=0.01, attempts=3)


def put_message(store, receiver, config):
    alert = Alert(
        "team", "nightly", f"http://127.0.0.1:{receiver.server_port}/hidden", has_begun=True
    )
    Alerts(store).set(alert)
    alert = Alerts(store).get("team")
    Alerts(store).begin(alert)
    messages = new_deliveries(alert, "test", check_payload(alert, "now", ""), config)
    assert Alerts(store).change_state(
        alert, KeyState("s", "well"), KeyState("s", "regressed"), messages
    )
    return messages[0]


def test_a_webhook_is_signed_and_names_its_message(store, receiver):
    config = config_of(receiver)
    message = put_message(store, receiver, config)
    assert deliver_due(store, config) == (1, 0)
    [(path, headers, body)] = receiver.got
    at, _, digest = headers["Tilescope-Signature"].removeprefix("t=").partition(",v1=")
    assert (
        digest == hmac.new(SECRET.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()
    )
    assert path == "/hidden"
    assert json.loads(body)["id"] == headers["Tilescope-Delivery"] == message.delivery_id
    assert deliver_due(store, config) == (0, 0)


@pytest.mark.parametrize("status", [302, 404, 500])
def test_any_other_status_is_tried_again_with_the_same_id_until_it_is_given_up(
    store, receiver, status
):
    config = config_of(receiver)
    put_message(store, receiver, config)
    receiver.plan = [status] * 9
    wait_until(
        lambda: (
            deliver_due(store, config) and [one.state for one in Deliveries(store).log()] == [DEAD]
        )
    )
    assert deliver_due(store, config) == (0, 0)
    assert len({headers["Tilescope-Delivery"] for _, headers, _ in receiver.got}) == 1
    assert [path for path, _, _ in receiver.got] == ["/hidden"] * config.attempts
    [logged] = Deliveries(store).log()
    assert (logged.state, logged.attempts) == (DEAD, config.attempts)
    assert "hidden" not in logged.error


def test_a_host_that_is_not_listed_any_more_is_not_asked(store, receiver):
    config = config_of(receiver)
    put_message(store, receiver, config)
    assert deliver_due(store, replace(config, hosts="hooks.example.org")) == (0, 1)
    assert receiver.got == []


def test_a_test_is_tried_once(store, receiver):
    config = config_of(receiver)
    put_message(store, receiver, config)
    receiver.plan = [500]
    assert [one.state for one in send_test(store, config, "team")] == [DEAD]
    assert [one.state for one in send_test(store, config, "team")] == [SENT]


def test_pauses_double_up_to_an_hour():
    config = AlertConfig(retry_s=30.0, attempts=100)
    assert [next_pause_s(config, attempts) for attempts in (1, 2, 3, 99)] == [
        30.0,
        60.0,
        120.0,
        3_600.0,
    ]
    assert next_pause_s(config, 100) is None


@pytest.mark.slow
def test_a_message_of_a_killed_process_is_sent_again_with_its_id(store, receiver, tmp_path):
    config = replace(config_of(receiver), timeout_s=1.0)
    put_message(store, receiver, config)
    receiver.delay = 0.8
    url = f"sqlite:///{tmp_path / 'catalogue.db'}"
    process = subprocess.Popen([sys.executable, "-c", SENDER, url, config.hosts, SECRET])
    receiver.wait_for_message()
    process.send_signal(signal.SIGKILL)
    process.wait()
    receiver.delay = 0.0
    assert deliver_due(store, config) == (0, 0)
    wait_until(lambda: deliver_due(store, config) == (1, 0))
    assert len(receiver.got) == 2
    assert len({headers["Tilescope-Delivery"] for _, headers, _ in receiver.got}) == 1
    assert [one.state for one in Deliveries(store).log()] == [SENT]
