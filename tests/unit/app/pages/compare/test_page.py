"""The page of a comparison without a browser: what it lays out, refuses, and answers."""

import json
from urllib.parse import quote, urlencode

import pytest

from app.views.comparison.registry import COMPARE, parse
from components.runs.list_address import list_address
from ingest.files import ingest
from services.baselines.baselines import set_baseline
from services.comparison.data import MAX_SIDE_BY_SIDE
from services.status.rules import set_rule
from storage.rules import Rule
from tests.support.comparisons import HOSTILE
from tests.support.solved_runs import put_run

ALWAYS = (
    "compare-attribution",
    "verdict",
    "setup",
    "metrics",
)


def opened(page, query):
    return page.open("/compare", f"?{query}")


def graphs(text):
    """Return the ids of the plots that a page has."""
    found = {}

    def walk(part):
        if isinstance(part, dict):
            props = part.get("props", {})
            if part.get("type") == "Graph":
                found[props["id"]] = props["figure"]
            walk(list(props.values()))
        elif isinstance(part, list):
            for one in part:
                walk(one)

    walk(json.loads(text))
    return found


@pytest.mark.quick_every(5)
@pytest.mark.parametrize(
    ("pair", "parts"),
    [
        (
            "aie slow",
            (
                "compare-iterations",
                "compare-tiles",
                "compare-durations",
                "compare-parts",
                "compare-timeline-new",
            ),
        ),
        (
            "compile larger",
            ("compare-maps", "compare-live", "compare-banks", "compare-blocks-grid"),
        ),
        ("problem larger", ("compare-maps", "compare-live", "compare-blocks-grid")),
        ("deeploy grown", ("compare-maps", "compare-live", "compare-blocks-grid")),
        (
            "profile slow",
            (
                "compare-kernels-grid",
                "compare-durations",
                "buffers",
                "compare-timeline-base",
            ),
        ),
    ],
)
def test_a_page_comes_drawn_with_the_views_of_its_kind(page, pairs, pair, parts):
    text = opened(page, pairs.query(pair))
    assert all(part in text for part in (*ALWAYS, *parts))
    assert pairs.data(pair).result.verdict in text
    assert graphs(text)["compare-attribution"]["data"]
    base, new = pairs.runs(pair)
    assert all(f"/run/{run}" in text for run in (*base, *new))


def test_runs_may_be_named_by_the_beginning_of_their_ids(page, pairs):
    (base,), (new,) = pairs.runs("aie slow")
    text = opened(page, f"base={base[:7]}&new={new[:7]}")
    assert f"base={base}&new={new}" in text


@pytest.mark.slow
def test_the_page_turns_round(page, pairs):
    (base,), (new,) = pairs.runs("aie slow")
    text = opened(page, f"base={base}&new={new}&new.clock_hz=1GHz&together=1")
    assert f"/compare?base={new}&new={base}&together=1&base.clock_hz=1GHz" in text


def test_the_page_is_a_function_of_its_address(page, pairs):
    text = opened(page, pairs.query("aie slow", "track=core+3,0&iteration=2"))
    assert all(
        json.dumps({"type": COMPARE.id("clear"), "part": part})[1:-1] in text
        for part in ("track", "iteration", "all")
    )
    bars = graphs(text)["compare-tiles"]["data"][0]
    assert bars["customdata"]


@pytest.mark.quick_every(3)
@pytest.mark.quick_every(7)
@pytest.mark.parametrize(
    "part", ["block=1", "block=999999999", "kernel=none&attempt=none", "iteration=4", "track=none"]
)
@pytest.mark.parametrize("pair", ["aie slow", "problem larger", "compile larger", "profile slow"])
def test_a_selection_of_another_kind_of_run_costs_nothing(page, pairs, pair, part):
    assert all(part in opened(page, pairs.query(pair, part)) for part in ALWAYS)


@pytest.mark.slow
def test_settings_and_thresholds_of_the_address_hold(page, pairs):
    same = pairs.query("aie itself")
    assert (
        pairs.data("aie itself", "new.clock_hz=1GHz&base.clock_hz=2GHz").result.setup[0]["key"]
        == "clock_hz"
    )
    text = opened(page, f"{same}&base.clock_hz=2GHz&new.clock_hz=1GHz")
    assert "clock_hz=2GHz" in text
    assert "incomparable" in text
    assert pairs.data("aie slow", "threshold=gmacs_mean:90").result.verdict == "unchanged"


def sides(pairs, base, new, more=""):
    ids = [
        *(("base", pairs.run(name)) for name in base),
        *(("new", pairs.run(name)) for name in new),
    ]
    return f"{urlencode(ids)}&{more}" if more else urlencode(ids)


@pytest.mark.slow
def test_several_new_runs_stand_side_by_side_and_one_is_shown(page, pairs):
    new = ("aie again", "aie slow", "aie faster")
    query = sides(pairs, ("aie",), new)
    text = opened(page, query)
    assert all(
        json.dumps({"type": "compare-show", "run": pairs.run(name)})[1:-1] in text for name in new
    )
    chosen = pairs.run("aie slow")
    body = click_link(page, query, {"type": "compare-show", "run": chosen})
    assert parse(body).shown == chosen
    data = pairs.asked(body)
    assert (data.result.verdict, [run.stored.run_id for run in data.new]) == ("regressed", [chosen])
    assert {run: answer.verdict for run, answer in data.each.items()} == {
        pairs.run("aie again"): "unchanged",
        chosen: "regressed",
        pairs.run("aie faster"): "improved",
    }


def click_link(page, query, link):
    """Return the view state after a click on a link of the page."""
    spec = next(
        d
        for d in page.http.get("/_dash-dependencies").json
        if "compare-show" in str(d["inputs"]) and not d["clientside_function"]
    )
    body = {
        "output": spec["output"],
        "outputs": {"id": "compare-view", "property": "data"},
        "inputs": [
            [{"id": link, "property": "n_clicks", "value": 1}]
            if link["type"] in str(kind["id"])
            else []
            for kind in spec["inputs"]
        ],
        "state": [
            {"id": "compare-view", "property": "data", "value": query},
            {"id": "compare-id", "property": "data", "value": ""},
        ],
        "changedPropIds": [f"{json.dumps(link, separators=(',', ':'), sort_keys=True)}.n_clicks"],
    }
    answer = page.http.post("/_dash-update-component", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json["response"]["compare-view"]["data"]


@pytest.mark.slow
def test_groups_are_one_question(page, pairs):
    base, new = ("aie", "aie again", "aie third"), ("aie slow", "aie slow again", "aie slow third")
    query = sides(pairs, base, new, "together=1")
    data = pairs.asked(query)
    assert (len(data.base), len(data.new), data.each, data.result.verdict) == (
        3,
        3,
        {},
        "regressed",
    )
    text = opened(page, query)
    assert '"compare-show"' not in text
    assert "compare-iterations" in text


@pytest.mark.slow
def test_a_name_stands_for_the_runs_of_a_baseline(page, pairs):
    set_baseline(
        pairs.repository, "main <b>", [pairs.run("aie"), pairs.run("aie again")], user="me"
    )
    query = f"baseline={quote('main <b>')}&new={pairs.run('aie slow')}"
    text = opened(page, query)
    assert "main <b>" in text
    assert all(f"/run/{pairs.run(name)}" in text for name in ("aie", "aie again", "aie slow"))
    assert "Swap" not in text


@pytest.mark.slow
def test_the_name_of_a_rule_stands_for_the_runs_that_it_compares_a_run_with(
    dashboard, settings, tmp_path
):
    repository = settings.repository()
    sizes = enumerate((64, 96, 64, 65), 1)
    ids = [put_run(repository, tmp_path, day, size, hwid="of rules") for day, size in sizes]
    set_rule(repository, Rule("nightly <b>", 5, hwid="of rules"), "me")
    text = opened(dashboard, f"baseline={quote('nightly <b>')}&new={ids[3]}")
    assert "nightly <b>" in text
    assert [f"/run/{run_id}" in text for run_id in ids] == [True, False, True, True]
    assert is_refused(opened(dashboard, f"baseline={quote('nightly <b>')}&new={ids[0]}"))


@pytest.mark.slow
def test_deleted_runs_of_a_baseline_are_said(dashboard, settings, tmp_path):
    repository = settings.repository()
    ids = []
    for size in (64, 65, 66):
        path = tmp_path / f"{size}.1024.csv"
        path.write_text(f"id,lower,upper,size,offset\na,0,3,100,0\nb,1,4,{size},100\n")
        ids.append(ingest(repository, [path], {}).runs[0].run_id)
    set_baseline(repository, "main", ids[:2], user="me")
    repository.delete(ids[0])
    text = opened(dashboard, f"baseline=main&new={ids[2]}")
    assert ids[0] in text
    assert '"data-view": "metrics"' in text
    repository.delete(ids[1])
    assert is_refused(opened(dashboard, f"baseline=main&new={ids[2]}"))


def is_refused(text):
    """Whether a page is one sentence and the way back."""
    (section,) = [part for part in [json.loads(text)["props"]["children"]] if part]
    head, link = section["props"]["children"]
    sentence = head["props"]["children"]
    assert sentence.count(". ") == 0
    assert sentence.endswith(".")
    assert link["props"]["href"] == list_address()
    return "compare-metrics" not in text and "Traceback" not in text


@pytest.mark.parametrize(
    "query",
    [
        "",
        "base={aie}",
        "new={aie}",
        "base={aie}&new=nobody",
        "base=nobody&new={aie}",
        "base={aie}&new={problem}",
        "baseline=nobody&new={aie}",
        "base={aie}&new={aie}&base.rows=1000&base.cols=1000",
        "base={aie}&new={aie}/../x",
    ],
)
def test_what_cannot_be_compared_is_one_sentence(page, pairs, query):
    assert is_refused(
        opened(page, query.format(aie=pairs.run("aie"), problem=pairs.run("problem")))
    )


@pytest.mark.slow
def test_too_many_runs_stand_side_by_side_only_as_a_group(page, pairs):
    names = [
        "aie again",
        "aie third",
        "aie slow",
        "aie slow again",
        "aie slow third",
        "aie larger",
        "aie faster",
        "array",
    ]
    assert len(names) == MAX_SIDE_BY_SIDE
    query = sides(pairs, ("aie",), names)
    assert is_refused(opened(page, query))
    assert '"data-view": "metrics"' in opened(page, f"{query}&together=1")


def test_hostile_names_are_text(page, pairs):
    name = f"{HOSTILE} run"
    path = pairs.place.parent / "hostile" / "h.8192.csv"
    path.parent.mkdir(exist_ok=True)
    path.write_text("id,lower,upper,size,offset\na,0,3,1024,0\nb,1,4,515,1024\n")
    run = ingest(pairs.repository, [path], {"name": name}).runs[0].run_id
    text = opened(page, f"base={run}&new={pairs.run('problem hostile')}")
    assert '"data-view": "metrics"' in text
    assert "\u202e" not in text
    words = [one for figure in graphs(text).values() for one in strings(figure)]
    assert not any("</script>" in one or "%{x}" in one for one in words)


def strings(value):
    if isinstance(value, dict):
        return [one for part in value.values() for one in strings(part)]
    if isinstance(value, list):
        return [one for part in value for one in strings(part)]
    return [value] if isinstance(value, str) else []


@pytest.mark.slow
def test_the_other_question_has_other_blocks(page, pairs):
    text = opened(page, pairs.query("deeploy grown", "block=0&attempt=L2"))
    (base,), (new,) = pairs.runs("deeploy grown")
    assert f"/compare?base={new}&new={base}&attempt=L2" in text
    assert f"/compare?base={new}&new={base}&attempt=L2&block" not in text


def test_what_asks_for_another_question_and_is_none_is_said(page, pairs):
    query = pairs.query("aie slow", "threshold=nix:1&new.clock_hz=abc&base=zz%20zz")
    text = opened(page, query)
    assert all(part in text for part in ("threshold=nix:1", "new.clock_hz=abc", "base=zz zz"))
    for path in ("/comparison/all.json", "/comparison/numbers.csv", "/snapshot/compare"):
        assert page.get(f"{path}?{query}").status_code == 400


def test_a_run_on_both_sides_counts_as_new(page, pairs):
    (base,), (new,) = pairs.runs("aie slow")
    alone, both = (
        page.get(f"/comparison/all.json?{query}").json
        for query in (f"base={base}&new={new}", f"base={base}&base={new}&new={new}")
    )
    assert both["metrics"] == alone["metrics"]
    assert new in both["notes"][0]
