"""The page of the status through Dash's own client: rows, filters, acknowledgements, and who may make them."""

import json

import pytest

from app.pages.status import page
from services.status.rules import set_rule
from storage.rules import Rule
from tests.support.paced_trace import ingest_nights

CHOICES = {"rule": "nightly", "verdict": "*", "since": "", "as_of": "", "search": "", "week": False}


@pytest.fixture
def runs(signed_in, tmp_path):
    """The runs of a key that regressed, oldest first."""
    repository = signed_in("edgar").repository
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    return ingest_nights(repository, tmp_path, 4, 6)


def press(client, button, run_id, note="", clicks=1):
    """Press a button of a row; return the answer of the server."""
    changed = (
        json.dumps({"run": run_id, "type": f"status-{button}"}, separators=(",", ":")) + ".n_clicks"
    )
    values = {
        "status-view.data": "",
        f"status-{button}": {run_id: clicks},
        "status-note": {run_id: note},
    }
    return client.post("status-body.children", changed=changed, **values)


def rows(client, query=""):
    """Return the page's rows as JSON text."""
    return json.dumps(
        client.callback("status-body.children", **{"status-view.data": query})["status-body"]
    )


def test_without_a_rule_the_page_names_the_command(signed_in):
    assert "baseline rule set" in signed_in("victor").open("/status")


@pytest.mark.slow
def test_the_page_follows_its_state_and_so_does_its_file(signed_in, runs):
    client = signed_in("victor")
    assert runs[-1] in rows(client, "verdict=regressed")
    assert runs[-1] not in rows(client, "verdict=improved")
    assert runs[-1] not in rows(client, "search=npu7")
    export = client.callback("status-export.href", **{"status-view.data": "search=npu7"})[
        "status-export"
    ]["href"]
    assert export == "/status.csv?search=npu7"
    assert len(client.get(export).text.splitlines()) == 1
    assert len(client.get("/status.csv").text.splitlines()) == 2


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("query", ["rule=none", "since=soon", "as_of=yesterday"])
def test_what_cannot_be_answered_is_a_sentence_and_no_row(signed_in, runs, query):
    client = signed_in("victor")
    shown = rows(client, query)
    assert "ts-trouble" in shown and runs[-1] not in shown
    assert client.get(f"/status.csv?{query}").status_code == 400


@pytest.mark.slow
def test_without_a_rule_in_the_address_it_is_that_of_most_keys(signed_in, runs):
    client = signed_in("edgar")
    rule = Rule("a-narrow", 3, hwid="npu9")
    set_rule(client.repository, rule, "tests")
    assert runs[-1] in rows(client)
    assert runs[-1] not in rows(client, "rule=a-narrow")
    press(client, "acknowledge", runs[-1], "known")
    assert "known" in rows(client, "rule=nightly")


def test_controls_and_address_say_the_same(signed_in, runs):
    client = signed_in("victor")
    given = CHOICES | {"verdict": "regressed", "search": "npu2", "week": True}
    query = client.callback("status-view.data", **{"status-choice": given})["status-view"]["data"]
    assert set(query.split("&")) == {"rule=nightly", "verdict=regressed", "search=npu2", "week=1"}
    outputs = [
        {"id": {"name": name, "type": "status-choice"}, "property": "value"} for name in CHOICES
    ]
    values = {"status-view-from-url.data": "verdict=regressed&search=npu2&week=1"}
    followed = client.post("status-choice", outputs, **values).json["response"]
    assert {json.loads(key)["name"]: part["value"] for key, part in followed.items()} == {
        "verdict": "regressed",
        "search": "npu2",
        "since": "",
        "as_of": "",
        "week": True,
    }


@pytest.mark.slow
def test_this_week_has_what_regressed_within_seven_days(signed_in, runs):
    client = signed_in("victor")
    # the regression began on 5 November
    assert runs[-1] in rows(client, "week=1&as_of=2026-11-12T01:00")
    assert runs[-1] not in rows(client, "week=1&as_of=2026-11-12T03:00")
    assert runs[-1] in rows(client, "as_of=2026-11-12T03:00")
    files = [
        client.get(f"/status.csv?week=1&as_of=2026-11-12T0{hour}:00").text.splitlines()
        for hour in (1, 3)
    ]
    assert [len(lines) for lines in files] == [2, 1]


def test_an_editor_acknowledges_with_a_note_and_takes_it_back(signed_in, runs):
    client, note = signed_in("edgar"), "known <b>#12</b>"
    shown = press(client, "acknowledge", runs[-1], note).json["response"]
    assert note in json.dumps(shown["status-body"])
    assert note in rows(signed_in("victor"))
    press(client, "withdraw", runs[-1])
    assert note not in rows(client)
    shown = press(client, "withdraw", runs[-1]).json["response"]
    assert shown["status-error"]["children"]
    assert "status-body" not in shown


@pytest.mark.slow
def test_a_button_that_came_with_the_rows_does_nothing(signed_in, runs):
    press(signed_in("edgar"), "acknowledge", runs[-1], "known", clicks=None)
    assert "known" not in rows(signed_in("edgar"))


def test_a_viewer_is_offered_no_acknowledgement_and_refused_one(signed_in, runs):
    offered = {
        name: "status-acknowledge" in signed_in(name).open("/status")
        for name in ("victor", "edgar", "ada")
    }
    assert offered == {"victor": False, "edgar": True, "ada": True}
    answer = press(signed_in("victor"), "acknowledge", runs[-1], "known")
    assert "role editor" in answer.text
    assert "known" not in rows(signed_in("edgar"))


@pytest.mark.slow
def test_while_comparisons_are_made_the_page_says_how_many_are_left_and_goes_on(
    signed_in, runs, monkeypatch
):
    client = signed_in("victor")
    monkeypatch.setattr(page, "SHOWN_WITHIN_S", -1)
    shown = client.callback("status-body.children", **{"status-view.data": ""})
    assert shown["status-left"]["data"] == [6, 1]
    assert "6" in shown["status-body"]["children"][0]["props"]["children"][0]["props"]["children"]
    monkeypatch.setattr(page, "SHOWN_WITHIN_S", 60)
    shown = client.callback(
        "status-body.children", **{"status-view.data": "", "status-left.data": [6, 1]}
    )
    assert shown["status-left"]["data"] == [0, 2]
