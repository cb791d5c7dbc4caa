"""The page of alerts through Dash's own client: for admins alone, without secrets."""

import json

import pytest

from storage.alerts import Alert, Alerts, KeyState
from storage.audit import Audit
from storage.deliveries import DEAD, WAITING, Deliveries, Delivery, new_delivery_id

HIDDEN = "hidden-part"


@pytest.fixture
def catalogue(signed_in):
    return signed_in("ada").app.server.extensions["tilescope"].repository.catalogue


@pytest.fixture
def message(catalogue):
    """A message that was given up, of an alert to a host that is not listed."""
    alert = Alert("team", "nightly", f"http://hooks.example.org/{HIDDEN}")
    Alerts(catalogue).set(alert)
    given = Delivery(new_delivery_id(), "team", "regressed", "webhook", "hooks.example.org", {"key": {}})
    assert Alerts(catalogue).change_state(alert, KeyState("s", "well"), KeyState("s", "regressed"), [given])
    outbox = Deliveries(catalogue)
    outbox.finish(outbox.claim(given.delivery_id, "tests", 60.0), "tests", "status 500", None)
    return given


def press(client, button, key, clicks=1):
    changed = json.dumps({"key": key, "type": f"alert-{button}"}, separators=(",", ":")) + ".n_clicks"
    return client.post("alerts-body.children", changed=changed, **{f"alert-{button}": {key: clicks}})


def actions(catalogue):
    return [(entry.user, entry.action, entry.object) for entry in Audit(catalogue).entries()]


def test_an_admin_sees_alerts_and_messages_without_their_addresses(signed_in, message):
    page = signed_in("ada").open("/alerts")
    assert "hooks.example.org" in page and "status 500" in page
    assert HIDDEN not in page


def test_a_message_that_was_given_up_waits_again(signed_in, catalogue, message):
    press(signed_in("ada"), "retry", message.delivery_id, clicks=None)
    assert Deliveries(catalogue).log()[0].state == DEAD
    press(signed_in("ada"), "retry", message.delivery_id)
    assert Deliveries(catalogue).log()[0].state == WAITING
    assert ("ada", "alert.retry", message.delivery_id) in actions(catalogue)


def test_a_test_that_is_not_delivered_says_so_without_the_address(signed_in, catalogue, message):
    answer = press(signed_in("ada"), "test", "team")
    assert answer.json["response"]["alerts-result"]["children"]
    assert HIDDEN not in answer.text
    assert Deliveries(catalogue).log()[0].event == "test"


def test_what_is_gone_is_a_sentence(signed_in, catalogue):
    for button in ("test", "retry"):
        assert press(signed_in("ada"), button, "none").json["response"]["alerts-result"]["children"]


@pytest.mark.parametrize("name", ["edgar", "victor"])
def test_who_is_no_admin_neither_sees_nor_sends(signed_in, catalogue, message, name):
    client = signed_in(name)
    assert client.get("/alerts").status_code == 403
    assert "hooks.example.org" not in client.open("/alerts")
    before = actions(catalogue)
    for button, key in (("retry", message.delivery_id), ("test", "team")):
        assert "hooks.example.org" not in press(client, button, key).text
    assert actions(catalogue) == before
    assert [one.state for one in Deliveries(catalogue).log()] == [DEAD]
