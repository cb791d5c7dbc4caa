"""Names that people choose, in addresses of the API of a server that runs."""

import json
from urllib.parse import quote

import pytest

from app.config.settings import Settings
from services.alerts.errors import AlertError
from services.alerts.manage import set_alert
from services.status.rules import RuleError, set_rule
from storage.alerts import Alert, Alerts
from storage.rules import Rule, Rules
from tests.support.live_server import running
from tests.support.receivers import receiving

SECRET = "0123456789abcdef"  # noqa: S105 - of this test alone
NAMES = (
    *(
        "team",
        "a/b",
        "a%2Fb",
        "two words",
        "Größe 王芳",
        "test",
        "a/test",
        "test/test",
        "alerts/test/test",
    ),
    *("/", "/lead", "trail/", "a//b", "?q=1#x", "a;b=c", "100%", "...", "a\\b", "+"),
)
DOTS = ("..", ".", "a/../b", "../rules/nightly", "./a")
"""Names that only an older release made: such parts of an address are taken out by clients unless encoded."""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    with receiving() as receiver:
        place = {"alert_hosts": receiver.host, "alert_secret": SECRET}
        with running(folder, **place) as server:
            settings = Settings(data=folder / "data", **place)
            set_rule(settings.repository(), Rule("nightly", 3), "tests")
            yield server, settings, f"http://{receiver.host}/"


def encoded(name):
    return quote(name, safe="").replace(".", "%2E")


def ask(server, method, path, body=None):
    headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
    status, _, text = server.request(
        f"/api/v1{path}", method, json.dumps(body) if body else None, headers
    )
    return status, json.loads(text) if text else None


@pytest.mark.parametrize("name", NAMES)
def test_an_alert_of_any_name_is_set_tested_and_deleted(served, name):
    server, settings, webhook = served
    alerts = Alerts(settings.catalogue())
    place = f"/alerts/{encoded(name)}"
    assert ask(server, "PUT", place, {"rule": "nightly", "webhook": webhook}) == (204, None)
    assert [one.name for one in alerts.all()] == [name]
    status, answer = ask(server, "POST", f"{place}/test")
    assert (status, [(one["alert"], one["state"]) for one in answer["deliveries"]]) == (
        200,
        [(name, "sent")],
    )
    assert ask(server, "DELETE", place) == (204, None)
    assert alerts.all() == []


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_of_any_name_is_set_and_deleted(served, name):
    server, settings, _ = served
    rules = Rules(settings.catalogue())
    place = f"/rules/{encoded(name)}"
    assert ask(server, "PUT", place, {"last": 3}) == (204, None)
    assert rules.find(name) is not None
    assert ask(server, "DELETE", place) == (204, None)
    assert rules.find(name) is None


@pytest.mark.parametrize("name", DOTS)
def test_a_new_name_that_clients_would_change_is_refused(served, name):
    server, settings, webhook = served
    assert (
        ask(server, "PUT", f"/alerts/{encoded(name)}", {"rule": "nightly", "webhook": webhook})[0]
        == 422
    )
    assert ask(server, "PUT", f"/rules/{encoded(name)}", {"last": 3})[0] == 422
    with pytest.raises(AlertError):
        set_alert(
            settings.catalogue(), Alert(name, "nightly", webhook), settings.alert_config(), "tests"
        )
    with pytest.raises(RuleError):
        set_rule(settings.repository(), Rule(name, 3), "tests")


@pytest.mark.parametrize("name", DOTS)
def test_a_stored_name_that_clients_would_change_is_still_reached(served, name):
    server, settings, webhook = served
    Alerts(settings.catalogue()).set(Alert(name, "nightly", webhook))
    Rules(settings.catalogue()).set(Rule(name, 3))
    place = f"/alerts/{encoded(name)}"
    assert ask(server, "PUT", place, {"rule": "nightly", "webhook": webhook})[0] == 204
    assert ask(server, "POST", f"{place}/test")[1]["deliveries"][0]["alert"] == name
    assert ask(server, "DELETE", place)[0] == 204
    assert ask(server, "PUT", f"/rules/{encoded(name)}", {"last": 4})[0] == 204
    assert ask(server, "DELETE", f"/rules/{encoded(name)}")[0] == 204


def test_slashes_need_no_encoding(served):
    server, _, webhook = served
    assert (
        ask(server, "PUT", "/alerts/ci/main/test", {"rule": "nightly", "webhook": webhook})[0]
        == 204
    )
    assert ask(server, "POST", "/alerts/ci/main/test/test")[0] == 200
    assert ask(server, "POST", "/alerts/ci/main/test")[0] == 404
    assert ask(server, "DELETE", "/alerts/ci/main/test")[0] == 204


def test_an_address_without_a_name_is_not_found(served):
    server, _, webhook = served
    assert ask(server, "PUT", "/alerts/", {"rule": "nightly", "webhook": webhook})[0] in (404, 405)
    assert ask(server, "DELETE", "/rules/")[0] in (404, 405)
