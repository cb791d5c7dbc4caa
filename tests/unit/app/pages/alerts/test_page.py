"""The page of alerts through Dash's own client: for admins alone, without secrets."""

import json

import pytest

from storage.alerts import Alert, Alerts, KeyState
from storage.audit import Audit
from storage.deliveries import DEAD, WAITING, Deliveries, Delivery, new_delivery_id
from storage.rules import Rule, Rules

HIDDEN = "hidden-part"


@pytest.fixture
def catalogue(signed_in):
    return signed_in("ada").repository.catalogue


@pytest.fixture
def message(catalogue):
    """A message that was given up, of an alert to a host that is not listed."""
    alert = Alert("team", "nightly", f"http://hooks.example.org/{HIDDEN}")
    Alerts(catalogue).set(alert)
    given = Delivery(
        new_delivery_id(), "team", "regressed", "webhook", "hooks.example.org", {"key": {}}
    )
    assert Alerts(catalogue).change_state(
        alert, KeyState("s", "well"), KeyState("s", "regressed"), [given]
    )
    outbox = Deliveries(catalogue)
    outbox.finish(outbox.claim(given.delivery_id, "tests", 60.0), "tests", "status 500", None)
    return given


def press(client, button, key, clicks=1):
    changed = (
        json.dumps({"key": key, "type": f"alert-{button}"}, separators=(",", ":")) + ".n_clicks"
    )
    return client.post(
        "alerts-body.children", changed=changed, **{f"alert-{button}": {key: clicks}}
    )


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


@pytest.fixture
def rule(catalogue):
    Rules(catalogue).set(Rule("nightly", 3, "main"))


FIELDS = {
    "name": "team",
    "rule": "nightly",
    "webhook": "",
    "slack": "",
    "mail": "",
    "github": "",
    "gitlab": "",
    "posts": ["pull_request", "issue"],
    "events": ["regressed"],
    "days": "3",
}


def submit(client, **fields):
    """Press the button of the form; return the answer of the server."""
    values = {f"alerts-field-{name}.value": value for name, value in (FIELDS | fields).items()}
    return client.post("alerts-field-webhook.value", **{"alerts-set.n_clicks": 1}, **values)


@pytest.fixture
def may_be_sent(settings):
    """Let the settings list a host, before a client is made from them."""
    # Settings are frozen, and all fixtures share this object.
    vars(settings).update(alert_hosts="127.0.0.1:9", alert_secret="0123456789abcdef")  # noqa: S106


def test_an_admin_sets_an_alert_whose_address_is_not_shown_again_and_deletes_it(
    may_be_sent, signed_in, catalogue, rule
):
    client = signed_in("ada")
    answer = submit(client, webhook=f"http://127.0.0.1:9/{HIDDEN}", events=["no_data"])
    (alert,) = Alerts(catalogue).all()
    assert (alert.rule, alert.webhook, alert.events, alert.no_data_days) == (
        "nightly",
        f"http://127.0.0.1:9/{HIDDEN}",
        ["no_data"],
        3,
    )
    assert HIDDEN not in answer.text
    assert answer.json["response"]["alerts-field-webhook"]["value"] == ""
    assert ("ada", "alert.set", "team") in actions(catalogue)
    confirmed = {"alerts-delete-confirm.n_clicks": 1, "alerts-chosen.data": "team"}
    client.post("alerts-delete-dialog.is_open@", **confirmed)
    assert Alerts(catalogue).all() == []
    assert ("ada", "alert.delete", "team") in actions(catalogue)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"webhook": f"http://10.0.0.1/{HIDDEN}"},
        {"webhook": "http://127.0.0.1:9/", "rule": "none"},
        {"webhook": "http://127.0.0.1:9/", "rule": None},
        {"webhook": "http://127.0.0.1:9/", "name": " "},
        {"webhook": "http://127.0.0.1:9/", "days": "soon"},
        {"webhook": "http://127.0.0.1:9/", "events": []},
        {"mail": "team"},
    ],
    ids=str,
)
def test_what_cannot_be_set_is_a_sentence_and_the_fields_stay(
    may_be_sent, signed_in, catalogue, rule, fields
):
    answer = submit(signed_in("ada"), **fields).json["response"]
    assert answer["alerts-result"]["children"]
    assert "alerts-field-webhook" not in answer
    assert HIDDEN not in json.dumps(answer)
    assert Alerts(catalogue).all() == []


@pytest.mark.usefixtures("may_be_sent", "rule", "message")
@pytest.mark.parametrize("name", ["edgar", "victor"])
def test_who_is_no_admin_neither_sets_nor_deletes(signed_in, catalogue, name):
    client = signed_in(name)
    submit(client, name="mine", webhook="http://127.0.0.1:9/")
    client.post(
        "alerts-delete-dialog.is_open@",
        **{"alerts-delete-confirm.n_clicks": 1, "alerts-chosen.data": "team"},
    )
    assert [alert.name for alert in Alerts(catalogue).all()] == ["team"]


TOKEN = "token-of-an-installation"  # noqa: S105 - of this test alone


@pytest.fixture
def may_be_posted(settings):
    """Let the settings have a code host, whose address is not reached when an alert is set."""
    api = "http://127.0.0.1:9/api/v3"
    vars(settings).update(alert_hosts="127.0.0.1:9", github_token=TOKEN, github_api=api)


def test_an_alert_names_a_repository_and_the_token_is_not_shown(
    may_be_posted, signed_in, catalogue, rule
):
    client = signed_in("ada")
    answer = submit(client, github=" team/kernels ", posts=["issue"])
    (alert,) = Alerts(catalogue).all()
    assert (alert.repositories, alert.posts) == ({"github": "team/kernels"}, ["issue"])
    page = client.open("/alerts")
    assert "github team/kernels (issue)" in page
    assert TOKEN not in page + answer.text
    assert not any(TOKEN in str(entry) for entry in Audit(catalogue).entries())


@pytest.mark.parametrize(
    "fields",
    [{"github": "team"}, {"github": "team/kernels", "posts": []}, {"gitlab": "team/kernels"}],
    ids=["no path", "no posts", "no token"],
)
def test_a_repository_that_cannot_be_posted_to_is_refused(
    may_be_posted, signed_in, catalogue, rule, fields
):
    answer = submit(signed_in("ada"), **fields)
    assert answer.json["response"]["alerts-result"]["children"]
    assert Alerts(catalogue).all() == []
