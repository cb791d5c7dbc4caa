"""The dialog of baseline rules: who sees it, what a form becomes, and where it leads."""

import json

import pytest

from app.pages.status.rules_dialog import ANY_SOURCE, rule_of_form, rules_dialog
from services.status.rules import RuleError, set_rule
from storage.rules import Rule, Rules
from tests.support.components import every

FORM = {
    "name": "nightly",
    "last": "10",
    "branch": "main",
    "source": ANY_SOURCE,
    "hwid": "",
    "M": "",
    "K": "",
    "N": "",
}


def rules_of(client):
    return Rules(client.repository.catalogue).all()


def press(client, changed, **values):
    return client.post("status-goto.href", changed=changed, **values).json


def test_a_form_becomes_a_rule_of_any_source_unless_one_is_chosen():
    assert rule_of_form(FORM) == Rule("nightly", 10, "main")
    chosen = rule_of_form(FORM | {"source": "aie", "hwid": "npu2", "M": "256"})
    assert (chosen.source, chosen.hwid, chosen.M, chosen.K) == ("aie", "npu2", 256, None)


@pytest.mark.parametrize(
    "field", [{"last": ""}, {"last": "ten"}, {"last": "-1"}, {"M": "1e3"}, {"N": "٣"}]
)
def test_what_is_no_number_is_a_sentence(field):
    with pytest.raises(RuleError):
        rule_of_form(FORM | field)


def test_a_new_rule_begins_without_a_name():
    fields = {field.id["name"]: field.value for field in every(rules_dialog(), "Input")}
    assert fields["name"] == ""
    assert fields["last"] == "10"


def test_an_editor_sets_a_rule_and_is_led_to_its_status(signed_in):
    client = signed_in("edgar")
    answer = press(
        client,
        "status-rule-set.n_clicks",
        **{"status-rule-set.n_clicks": 1, "status-rule-field": FORM},
    )
    assert answer["response"]["status-goto"]["href"] == "/status?rule=nightly"
    assert [rule.name for rule in rules_of(client)] == ["nightly"]


def test_what_speaks_against_a_rule_is_said_and_the_page_stays(signed_in):
    client = signed_in("edgar")
    given = {"status-rule-set.n_clicks": 1, "status-rule-field": FORM | {"name": ""}}
    response = press(client, "status-rule-set.n_clicks", **given)["response"]
    assert response["status-rule-error"]["children"] and "status-goto" not in response


def test_a_rule_is_listed_and_deleted(signed_in):
    client = signed_in("edgar")
    set_rule(client.repository, Rule("nightly", 5), "tests")
    opened = client.callback("status-rules-dialog.is_open", **{"status-rules.n_clicks": 1})
    assert opened["status-rules-dialog"]["is_open"] is True
    assert "status-rule-delete" in json.dumps(opened["status-rules-list"])
    changed = (
        json.dumps({"name": "nightly", "type": "status-rule-delete"}, separators=(",", ":"))
        + ".n_clicks"
    )
    press(client, changed, **{"status-rule-delete": {"nightly": 1}, "status-rule-field": FORM})
    assert rules_of(client) == []


def test_only_editors_are_offered_the_dialog_and_nobody_else_changes_rules(signed_in):
    assert 'status-rules"' not in signed_in("victor").open("/status")
    assert 'status-rules"' in signed_in("edgar").open("/status")
    client = signed_in("victor")
    press(
        client,
        "status-rule-set.n_clicks",
        **{"status-rule-set.n_clicks": 1, "status-rule-field": FORM},
    )
    assert rules_of(client) == []
