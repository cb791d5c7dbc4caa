"""The page of the lab keeps an answer with its run and takes it off: for editors, and never as the file's."""

import json
import re

import pytest

from app.views.lab.state import LabState
from schema.memory import SAVED_RANK_BASE
from storage.audit import Audit
from storage.saved_placements import SavedPlacements
from tests.support.dash_client import find
from tests.support.kept import found, keep

FIRST = SAVED_RANK_BASE + 1


@pytest.fixture
def run(problem_run):
    return problem_run


@pytest.fixture
def answered(context, run):
    """Put an answer by best fit into the lab; return the query of its question."""
    one = found(context, run)
    task = context.lab.get(run, LabState().lab_problem, None, "ann").task(
        "best_fit", 0, one.answer.asked_effort
    )
    record = {
        name: getattr(one.answer, name)
        for name in ("status", "proof", "stopped", "extent", "bound", "gap")
    }
    record |= {
        "seconds": 0.5,
        "effort": 40,
        "trace": [],
        "note": "",
        "address": one.answer.address.tolist(),
    }
    context.lab.searches.placements.keep(task.question, record)
    return "strategy=best_fit"


def pressed(client, run, query, title=""):
    values = {
        "lab-keep.n_clicks": 1,
        "lab-keep-title.value": title,
        "lab-view.data": query,
        "lab-id.data": run,
    }
    return client.post("lab-keep-title.value", **values)


def removed(client, run, number):
    """Press Remove of a kept answer."""
    spec = next(
        d
        for d in client.http.get("/_dash-dependencies").json
        if any("lab-kept-remove" in part["id"] for part in d["inputs"])
    )
    button = {"number": number, "type": "lab-kept-remove"}
    owner, _, prop = spec["output"].rpartition(".")
    body = {
        "output": spec["output"],
        "outputs": {"id": owner, "property": prop.split("@")[0]},
        "inputs": [[{"id": button, "property": "n_clicks", "value": 1}]],
        "state": [
            {**part, "value": {"lab-view": "", "lab-id": run}[part["id"]]} for part in spec["state"]
        ],
        "changedPropIds": [f"{json.dumps(button, separators=(',', ':'))}.n_clicks"],
    }
    return client.http.post("/_dash-update-component", json=body)


def kept(context, run):
    return SavedPlacements(context.repository.catalogue).of(run)


def test_an_editor_keeps_the_answer_on_display(signed_in, context, run, answered):
    editor = signed_in("edgar")
    page = json.loads(editor.open(f"/run/{run}/lab", f"?{answered}"))
    assert find(page, "lab-keep-form")["hidden"] is False
    told = pressed(editor, run, answered, " by  size ").json["response"]
    (row,) = kept(context, run)
    assert told["lab-told"]["data"], "so that all is drawn anew"
    assert "lab-view" not in told, "which may be another by now"
    assert (row.title, row.kept_by, row.query) == (
        "by size",
        "edgar",
        "attempt=0&strategy=best_fit",
    )
    page = editor.open(f"/run/{run}/lab", f"?{answered}")
    assert find(json.loads(page), "lab-keep-form")["hidden"] is True
    assert "kept 1 “by size”" in page
    assert f"/run/{run}?attempt={FIRST}&against=0" in page
    again = pressed(editor, run, answered).json["response"]
    assert "kept 1" in again["lab-keep-said"]["children"]
    assert len(kept(context, run)) == 1
    newest = Audit(context.repository.catalogue).entries(1)
    assert [(one.user, one.action) for one in newest] == [("edgar", "answer.keep")]


def test_what_was_not_solved_is_not_kept(signed_in, context, run):
    said = pressed(signed_in("edgar"), run, "strategy=greedy_by_size").json["response"][
        "lab-keep-said"
    ]["children"]
    assert said
    assert kept(context, run) == []


def test_a_viewer_sees_what_is_kept_and_changes_nothing(signed_in, context, run, answered):
    keep(context, run, title="golden")
    viewer = signed_in("victor")
    page = viewer.open(f"/run/{run}/lab", f"?{answered}")
    assert "golden" in page
    assert find(json.loads(page), "lab-keep-form") is None
    assert "Remove kept" not in page
    assert "role editor" in pressed(viewer, run, answered).text
    assert "role editor" in removed(viewer, run, 1).text
    assert len(kept(context, run)) == 1


@pytest.mark.slow
def test_remove_takes_it_off(signed_in, context, run):
    keep(context, run)
    assert "Remove kept 1" in signed_in("edgar").open(f"/run/{run}/lab")
    assert removed(signed_in("edgar"), run, 1).status_code == 200
    assert kept(context, run) == []


@pytest.mark.slow
def test_the_runs_page_shows_it_as_what_it_is(signed_in, context, run):
    viewer = signed_in("victor")
    before = viewer.open(f"/run/{run}")
    assert "kept" not in before
    keep(context, run, title="golden", user="王芳")
    page = viewer.open(f"/run/{run}", f"?attempt={FIRST}&against=0")
    assert re.search("Kept 1 “golden” .* best fit, .* 王芳", page)
    assert re.search(r"\b1 \w+ of the lab\b", page)
    assert f"/minimalloc/{run}/{FIRST}-solution.csv" in page
    assert viewer.get(f"/minimalloc/{run}/{FIRST}-solution.csv").text.startswith(
        "id,lower,upper,size,offset"
    )
    assert "kept 1" in viewer.get(f"/snapshot?run={run}&attempt={FIRST}&against=0").text
    table = viewer.get(f"/table/{run}.csv?attempt={FIRST}&table=allocations").text
    assert f"{FIRST}," in table
    assert str(FIRST) not in viewer.get(f"/export/{run}/attempts.csv").text


@pytest.mark.slow
def test_pages_that_were_kept_are_made_anew(signed_in, context, run):
    viewer, query = signed_in("victor"), f"attempt={FIRST}"
    keep(context, run)
    assert "Kept 1" in json.dumps(viewer.drawn(run, query), ensure_ascii=False)
    SavedPlacements(context.repository.catalogue).delete(run, 1)
    assert "Kept 1" not in json.dumps(viewer.drawn(run, query), ensure_ascii=False)


def test_what_is_found_while_the_page_is_read_is_told(signed_in, context, run, monkeypatch):
    edgar, query = signed_in("edgar"), "strategy=search"
    asked = {"lab-view.data": query, "lab-id.data": run, "theme.data": "light", "lab-turn.data": 1}
    edgar.callback("lab-live.data", **asked)  # answers that take no time are there now
    told = edgar.callback("lab-live.data", **asked)["lab-told"]["data"]
    task = context.lab.get(run, LabState().lab_problem, None, "ann").task(
        "search", 0, LabState().effort
    )
    one = found(context, run).answer
    record = {
        "status": "found",
        "proof": "",
        "stopped": "",
        "extent": one.extent,
        "bound": one.bound,
        "gap": one.gap,
    }
    record |= {
        "seconds": 0.5,
        "effort": 40,
        "trace": [],
        "note": "",
        "address": one.address.tolist(),
    }
    read = context.lab.get

    def read_and_find(*given):
        data = read(*given)
        context.lab.searches.placements.keep(task.question, record)
        return data

    monkeypatch.setattr(type(context.lab), "get", lambda _lab, *given: read_and_find(*given))
    drawn = edgar.callback("lab-live.data", **asked, **{"lab-told.data": told})
    assert drawn.get("lab-told", {}).get("data") not in (None, told)
