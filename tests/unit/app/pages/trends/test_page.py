import csv
import io
import json
import re

import pytest

from services.status.rules import set_rule
from services.status.status import StatusCache
from storage.rules import Rule
from tests.support.paced_trace import ingest_nights
from tests.support.runs import catalogue_of
from tests.support.trends import levels, nights

STEP = nights(levels((100, 22), (82, 18)), hwid="npu2", M=256)
STEADY = nights(levels((50, 12)), hwid="npu1")
HOSTILE = nights(levels((50, 4)), hwid="<b>%{x}$", name="=1+1</script>\u202e")


@pytest.fixture
def filled(dashboard, settings):
    """A dashboard on a store with a step, a steady series and hostile names."""
    catalogue_of(f"sqlite:///{settings.data}/catalogue.db", *STEP, *STEADY, *HOSTILE).close()
    return dashboard


def shown(dashboard, query, theme="light", drawn=None):
    values = {"trends-view.data": query, "theme.data": theme, "trends-drawn.data": drawn}
    return dashboard.callback("trends-body.children", **values)


def test_the_page_comes_drawn_with_a_link_to_what_changed(filled):
    text = filled.open("/trends")
    ids = [row["run_id"] for row in STEP]
    wanted = "/compare?" + "&".join(
        [*(f"base={run}" for run in ids[17:22]), *(f"new={run}" for run in ids[22:27])]
    )
    assert text.count(wanted) == 2  # the mark and the table
    assert f"/run/{ids[21]}" in text
    assert "trends-plot-summary" in text
    assert "copy-link" in text


def test_the_address_decides_what_is_shown(filled):
    assert '"npu1 night 3' not in filled.open("/trends", "?hwid=npu2")
    body = json.dumps(shown(filled, "hwid=npu1")["trends-body"]["children"])
    assert "npu1 night 3" in body
    assert "/compare?" not in body
    none = shown(filled, "hwid=no such")
    assert "trends-plot" not in json.dumps(none)
    assert none["trends-export"]["href"] == "/trends.csv?hwid=no+such"


def test_what_is_drawn_is_not_drawn_again(filled):
    first = shown(filled, "by=order", "dark")
    assert first["trends-drawn"]["data"] == ["by=order", "dark"]
    assert "trends-body" not in shown(filled, "by=order", "dark", first["trends-drawn"]["data"])
    assert "trends-body" in shown(filled, "by=order", "light", first["trends-drawn"]["data"])


def controls(dashboard, query):
    spec = next(
        d
        for d in dashboard.http.get("/_dash-dependencies").json
        if "trends-view-from-url" in str(d["inputs"])
    )
    names = ("metric", "by", "source", "hwid", "M", "K", "N", "tag")
    body = {
        "output": spec["output"],
        "outputs": [
            [
                {"id": {"type": "trends-choice", "name": name}, "property": "value"}
                for name in names
            ],
            *({"id": name, "property": "value"} for name in ("trends-search", "trends-rule")),
        ],
        "inputs": [{"id": "trends-view-from-url", "property": "data", "value": query}],
        "changedPropIds": ["trends-view-from-url.data"],
    }
    answer = dashboard.http.post("/_dash-update-component", json=body).json["response"]
    return {
        json.loads(key)["name"] if "{" in key else key: part["value"]
        for key, part in answer.items()
    }


def test_controls_follow_the_address_and_the_address_follows_them(filled):
    state = controls(filled, "by=commit&hwid=npu2&q=32x64x32&rule=nightly")
    assert (state.pop("trends-search"), state.pop("trends-rule")) == ("32x64x32", "nightly")
    assert state == {"metric": "gmacs_mean", "by": "commit", "hwid": "npu2"} | dict.fromkeys(
        ("source", "M", "K", "N", "tag"), "*"
    )
    parts = [({"type": "trends-choice", "name": name}, value) for name, value in state.items()]
    body = {
        "output": "trends-view.data",
        "outputs": {"id": "trends-view", "property": "data"},
        "inputs": [
            [{"id": key, "property": "value", "value": value} for key, value in parts],
            {"id": "trends-search", "property": "value", "value": " 4x4  main "},
            {"id": "trends-rule", "property": "value", "value": "nightly"},
        ],
        "state": [[{"id": key, "property": "id", "value": key} for key, _ in parts]],
        "changedPropIds": [],
    }
    answer = filled.http.post("/_dash-update-component", json=body)
    assert (
        answer.json["response"]["trends-view"]["data"]
        == "by=commit&hwid=npu2&q=4x4+main&rule=nightly"
    )


@pytest.mark.slow
def test_all_words_of_a_search_fit_the_runs(filled):
    body = json.dumps(shown(filled, "q=NPU2+night")["trends-body"])
    assert STEP[0]["run_id"] in body
    assert "npu1" not in body
    assert "trends-plot" not in json.dumps(shown(filled, "q=npu2+nothing")["trends-body"])
    rows = list(csv.DictReader(io.StringIO(filled.get("/trends.csv?q=npu1").text)))
    assert {row["hwid"] for row in rows} == {"npu1"}


@pytest.mark.slow
def test_verdicts_of_a_rule_are_drawn_on_the_points_and_are_those_of_the_status(
    signed_in, tmp_path
):
    client = signed_in("victor")
    repository = client.repository
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    runs = ingest_nights(repository, tmp_path, 4, 6)
    answer = shown(client, "rule=nightly")
    for _ in range(60):  # as the browser asks again for what a busy machine did not reach
        if answer["trends-left"]["data"][0] == 0:
            break
        answer = shown(client, "rule=nightly")
    assert "circle-x-open" in json.dumps(answer["trends-body"])
    assert answer["trends-left"]["data"][0] == 0
    verdicts = {
        at.run_id: verdict for at, verdict in StatusCache(repository).verdicts("nightly").items()
    }
    assert verdicts[runs[-1]] == "regressed"
    rows = list(csv.DictReader(io.StringIO(client.get("/trends.csv?rule=nightly").text)))
    assert {row["run_id"]: row["rule_verdict"] for row in rows} == verdicts
    assert "circle-x-open" not in json.dumps(shown(client, "")["trends-body"])
    assert "no baseline rule" in json.dumps(shown(client, "rule=none")["trends-body"])


def test_an_empty_store_says_how_runs_with_dates_get_in(dashboard):
    text = dashboard.open("/trends")
    assert re.search(r"ingest .*taken_at=", text)
    assert "trends-plot" not in text


@pytest.mark.slow
def test_the_points_are_a_file(filled):
    answer = filled.get("/trends.csv?hwid=npu2")
    assert answer.status_code == 200
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["run_id"] for row in rows] == [row["run_id"] for row in STEP]
    assert [row["number"] for row in rows if row["verdict"]] == ["23"]
    every = list(csv.DictReader(io.StringIO(filled.get("/trends.csv").text)))
    assert {row["name"][0] for row in every if row["hwid"].startswith("<b>")} == {"'"}


def test_names_are_data(filled):
    assert "\u202e" not in filled.open("/trends")


def numbers_about_dates(dashboard, query):
    body = json.dumps(shown(dashboard, query)["trends-body"]["children"], ensure_ascii=False)
    found = re.search(r"(\d+) of (\d+) drawn captures? (?:has|have) no date", body)
    return found and tuple(map(int, found.groups()))


@pytest.mark.slow
def test_guessed_dates_are_counted_among_the_drawn_captures(dashboard, settings):
    guessed = {3: "modified", 5: "ingest"}
    runs = [
        *(row | {"taken_from": guessed.get(at, "setting")} for at, row in enumerate(STEADY)),
        *(row | {"taken_from": "modified"} for row in STEP),
        # Without the number, so that it is in no series of it.
        *(row | {"taken_from": "ingest", "gmacs_mean": None} for row in HOSTILE),
    ]
    catalogue_of(f"sqlite:///{settings.data}/catalogue.db", *runs).close()
    assert numbers_about_dates(dashboard, "hwid=npu1") == (len(guessed), len(STEADY))
    assert numbers_about_dates(dashboard, "hwid=npu2") == (len(STEP), len(STEP))
    assert numbers_about_dates(dashboard, "") == (
        len(guessed) + len(STEP),
        len(STEADY) + len(STEP),
    )


def test_without_guessed_dates_nothing_is_counted(filled):
    assert numbers_about_dates(filled, "hwid=npu1") is None
