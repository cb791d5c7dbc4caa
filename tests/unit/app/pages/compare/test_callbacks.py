"""The callbacks of the page of a comparison without a browser: clicks, keys, choices, and what no browser sends."""

import json

import pytest

from app.views.comparison.memory import shown_attempt
from app.views.comparison.registry import COMPARE, parse
from services.comparison.compared_maps import map_pairs


def step(page, trigger, query, value):
    """Return the view state after a property of a component was set."""
    answer = page.callback(
        trigger, **{trigger: value, "compare-view.data": query, "compare-id.data": ""}
    )
    return answer["compare-view"]["data"]


@pytest.mark.slow
def test_a_click_selects_and_the_next_takes_it_back(page, pairs):
    query = parse(pairs.query("aie slow")).query()
    click = {"points": [{"customdata": ["core 3,0"]}]}
    selected = step(page, "compare-tiles.clickData", query, click)
    assert parse(selected).selection.track == "core 3,0"
    assert step(page, "compare-tiles.clickData", selected, click) == query


def press(page, query, key):
    spec = next(
        d
        for d in page.http.get("/_dash-dependencies").json
        if [i["id"] for i in d["inputs"]] == ["compare-key"]
    )
    body = {
        "output": spec["output"],
        "outputs": {"id": "compare-view", "property": "data"},
        "inputs": [{"id": "compare-key", "property": "data", "value": {"key": key}}],
        "state": [
            {"id": "compare-view", "property": "data", "value": query},
            {"id": "compare-id", "property": "data", "value": ""},
        ],
        "changedPropIds": ["compare-key.data"],
    }
    answer = page.http.post("/_dash-update-component", json=body)
    return answer.json["response"]["compare-view"]["data"] if answer.status_code == 200 else query


def test_escape_clears_what_is_selected_and_nothing_else(page, pairs):
    query = parse(pairs.query("aie slow", "setup=all&together=1")).query()
    assert press(page, f"{query}&track=core+3,0&iteration=2&window=5-900", "Escape") == query


def test_a_run_that_was_deleted_meanwhile_is_no_traceback(page, pairs):
    answer = page.post(
        "compare-changes.data", **{"compare-view.data": "base=gone&new=gone", "compare-id.data": ""}
    )
    assert "Traceback" not in answer.text


@pytest.mark.slow
def test_what_is_drawn_follows_the_view_state(page, pairs):
    values = {"theme.data": "dark", "compare-id.data": "", "compare-shown.data": None}
    query = pairs.query("problem larger", "block=0&attempt=0")
    drawn = page.callback("compare-changes.data", **{"compare-view.data": query} | values)[
        "compare-changes"
    ]["data"]["changes"]
    assert drawn["compare-maps"]["figure"]["data"]
    assert json.dumps({"type": COMPARE.id("clear"), "part": "block"})[1:-1] in json.dumps(
        drawn["compare-selection"]
    )


def choose(page, query, **shown):
    """Return the view state after the choices of a page hold these values."""
    ids = [{"type": COMPARE.choice, "name": name} for name in shown]
    spec = next(
        d
        for d in page.http.get("/_dash-dependencies").json
        if COMPARE.choice in d["inputs"][0]["id"]
        and len(d["inputs"]) == 1
        and "compare-view" in d["output"]
    )
    parts = [
        {"id": one, "property": "value", "value": value}
        for one, value in zip(ids, shown.values(), strict=True)
    ]
    body = {
        "output": spec["output"],
        "outputs": {"id": "compare-view", "property": "data"},
        "inputs": [parts],
        "state": [
            [{"id": one, "property": "id", "value": one} for one in ids],
            {"id": "compare-view", "property": "data", "value": query},
            {"id": "compare-id", "property": "data", "value": ""},
        ],
        "changedPropIds": [f"{json.dumps(ids[0], separators=(',', ':'))}.value"],
    }
    answer = page.http.post("/_dash-update-component", json=body)
    return parse(
        answer.json["response"]["compare-view"]["data"] if answer.status_code == 200 else query
    )


@pytest.mark.slow
def test_what_controls_show_without_a_choice_is_not_chosen(page, pairs):
    for pair, shown in (("deeploy grown", {"attempt": "L2"}), ("profile slow", {"iteration": "0"})):
        query = parse(pairs.query(pair)).query()
        (first,) = [shown_attempt(pairs.data(pair), parse(query))] if "attempt" in shown else ["0"]
        state = choose(page, query, setup="all", **dict.fromkeys(shown, first))
        assert state.chosen == {"setup": "all"}
        assert state.selects_nothing


@pytest.mark.slow
def test_another_attempt_leaves_the_block_of_the_one_before(page, pairs):
    data = pairs.data("deeploy grown")
    key = str(data.blocks["attempt"].iloc[0])
    other = next(pair[0] for pair in map_pairs(data) if pair[0] != key)
    state = choose(page, parse(pairs.query("deeploy grown", "block=0")).query(), attempt=other)
    assert (state.selection.attempt, state.selection.block) == (other, None)
    assert shown_attempt(data, parse("block=0")) == key


@pytest.mark.slow
def test_keys_lead_through_iterations_markers_causes_and_time(page, pairs):
    query = parse(pairs.query("aie slow")).query()
    first = parse(press(page, query, "j"))
    assert (
        parse(press(page, first.query(), "j")).selection.iteration
        == (first.selection.iteration or 0) + 1
    )
    assert parse(press(page, query, "n")).selection.track.startswith("core")
    near = parse(press(page, query, "w")).selection.window
    right = parse(
        press(page, parse(pairs.query("aie slow", "window=0-1000")).query(), "d")
    ).selection.window
    assert near is not None
    assert right == (250, 1250)
    assert (
        parse(press(page, parse(pairs.query("profile slow")).query(), "j")).selection.iteration == 1
    )


@pytest.mark.parametrize(
    ("trigger", "value"),
    [
        ("compare-tiles.clickData", {"points": [{"customdata": ["nobody"]}]}),
        ("compare-tiles.clickData", {"points": "x"}),
        ("compare-attribution.clickData", {"points": [{"customdata": ["x"]}]}),
        ("compare-iterations.clickData", {"points": [{"customdata": [10**400]}]}),
        ("compare-attribution.clickData", "x"),
    ],
)
def test_what_no_browser_sends_leads_nowhere(page, pairs, caplog, trigger, value):
    query = parse(pairs.query("aie slow")).query()
    page.post(trigger, **{trigger: value, "compare-view.data": query, "compare-id.data": ""})
    assert "Traceback" not in caplog.text
