"""Alerts over the API: what is not there, and what cannot be set."""

import pytest

from services.status.rules import set_rule
from storage.audit import Audit
from storage.rules import Rule
from tests.support.access import Team
from tests.support.code_host_server import TOKEN, serving
from tests.support.receivers import receiving

OPERATIONS = (
    ("GET", "/alerts", None),
    ("PUT", "/alerts/team", {"rule": "nightly", "mail": ["team@example.org"]}),
    ("DELETE", "/alerts/team", None),
    ("POST", "/alerts/team/test", None),
    ("GET", "/deliveries", None),
    ("POST", "/deliveries/none/retry", None),
)


def test_there_are_none_before_the_first(team):
    assert team("GET", "/alerts").json == {"alerts": []}
    assert team("GET", "/deliveries").json == {"deliveries": []}


@pytest.mark.parametrize(
    ("method", "path"),
    [("DELETE", "/alerts/none"), ("POST", "/alerts/none/test"), ("POST", "/deliveries/none/retry")],
)
def test_what_is_not_there_is_not_found(team, method, path):
    assert team(method, path).status_code == 404


def test_an_alert_of_no_rule_or_to_an_unlisted_host_is_refused_without_its_address(team):
    answer = team(
        "PUT", "/alerts/team", {"rule": "nightly", "webhook": "http://127.0.0.1:9/hidden"}
    )
    assert answer.status_code == 422
    assert "hidden" not in answer.text
    assert team("GET", "/alerts").json == {"alerts": []}


@pytest.mark.parametrize("scope", ["read", "write"])
@pytest.mark.parametrize(("method", "path", "body"), OPERATIONS)
def test_who_is_no_admin_neither_sees_nor_changes_alerts(shared, method, path, body, scope):
    assert shared(method, path, body, scope=scope).status_code == 403


@pytest.mark.slow
def test_an_alert_is_set_tested_shown_by_its_host_and_deleted(tmp_path):
    with receiving() as receiver:
        hosts = {"alert_hosts": receiver.host, "alert_secret": "0123456789abcdef"}
        team = Team(tmp_path / "data", **hosts)
        set_rule(team.served.repository, Rule("nightly", 3), "tests")
        given = {
            "rule": "nightly",
            "webhook": f"http://{receiver.host}/hidden",
            "on": ["regressed"],
        }
        assert team("PUT", "/alerts/team", given).status_code == 204
        (shown,) = team("GET", "/alerts").json["alerts"]
        assert (shown["webhook"], shown["on"]) == (receiver.host, ["regressed"])
        (sent,) = team("POST", "/alerts/team/test").json["deliveries"]
        assert (sent["event"], sent["state"], len(receiver.got)) == ("test", "sent", 1)
        texts = [team("GET", path).text for path in ("/alerts", "/deliveries", "/audit")]
        assert not any("hidden" in text for text in texts)
        assert team("DELETE", "/alerts/team").status_code == 204
        assert team("GET", "/alerts").json == {"alerts": []}
    actions = [entry.action for entry in Audit(team.served.catalogue).entries()]
    assert {"alert.set", "alert.test", "alert.delete"} <= set(actions)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_an_alert_names_a_repository_whose_test_posts_nothing(tmp_path, kind):
    with serving(kind) as server:
        hosts = {"alert_hosts": f"127.0.0.1:{server.server_port}", f"{kind}_api": server.base}
        team = Team(tmp_path / "data", **hosts, **{f"{kind}_token": TOKEN})
        set_rule(team.served.repository, Rule("nightly", 3), "tests")
        given = {"rule": "nightly", kind: "team/kernels", "posts": ["issue"]}
        assert team("PUT", "/alerts/team", given).status_code == 204
        (shown,) = team("GET", "/alerts").json["alerts"]
        assert (shown[kind], shown["posts"]) == ("team/kernels", ["issue"])
        (sent,) = team("POST", "/alerts/team/test").json["deliveries"]
        assert (sent["channel"], sent["receiver"], sent["state"]) == (kind, "team/kernels", "sent")
        assert server.writes == []
        for bad in ({kind: "team"}, {kind: "team/../x"}, {"posts": ["release"]}, {"posts": []}):
            assert team("PUT", "/alerts/bad", given | bad).status_code == 422
        texts = [team("GET", path).text for path in ("/alerts", "/deliveries", "/audit")]
        assert not any(TOKEN in text for text in texts)
