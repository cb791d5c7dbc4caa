"""Baselines on the page of runs: set, shown against, deleted."""

import json

import pytest

from components.runs.list_address import LIST_PATH
from ingest.files import ingest
from services.gate.gate import check
from storage.baselines import Baselines
from tests.support.dash_client import find

HOSTILE = '</script><script>alert(1)</script>|a.b{"x"}'


@pytest.fixture
def repository(dashboard):
    return dashboard.repository


@pytest.fixture
def runs(repository, tmp_path):
    """Three solved problems of one key: two alike, and one with a larger block."""
    found = []
    for name, size in (("a", 64), ("b", 63), ("c", 96)):
        path = tmp_path / f"{name}.1024.csv"
        path.write_text(f"id,lower,upper,size,offset\na,0,3,100,0\nb,1,4,{size},100\n")
        found.append(ingest(repository, [path], {"name": name}).runs[0].run_id)
    return found


def press_set(dashboard, name, picked, kind="fixed", last="10"):
    form = {
        "runs-baseline-name.value": name,
        "runs-baseline-kind.value": kind,
        "runs-baseline-last.value": last,
    }
    values = {
        "runs-baseline-set.n_clicks": 1,
        "runs-picked.data": dict.fromkeys(picked, "x"),
    } | form
    return dashboard.callback("runs-baseline-name.value", **values)


def rows(dashboard):
    page = json.loads(dashboard.open(LIST_PATH))
    return {row["run_id"]: row for row in find(page, "runs-grid")["rowData"]}


def told_of(dashboard, asked):
    """Ask for cells as the browser does: again, while comparisons that a busy machine did not reach are left."""
    for _ in range(60):
        answer = dashboard.callback("runs-against-told.data", **{"runs-against-asked.data": asked})
        told = answer["runs-against-told"]["data"]
        if all(cell["against"] != "…" for cell in told.values()):
            break
    return told


def test_without_baselines_there_is_no_column(dashboard, runs):
    page = json.loads(dashboard.open(LIST_PATH))
    assert "against" not in [column["field"] for column in find(page, "runs-grid")["columnDefs"]]
    assert "against" not in [option["value"] for option in find(page, "runs-columns")["options"]]
    assert all("against" not in row for row in rows(dashboard).values())


@pytest.mark.slow
def test_a_baseline_is_set_and_the_column_filled_as_check_says(dashboard, repository, runs):
    answer = press_set(dashboard, "main", runs[:1])
    assert answer["runs-baseline-error"]["children"] == ""
    assert answer["runs-changed"]["data"]
    shown = rows(dashboard)
    assert shown[runs[0]]["against"] == "in baseline main"
    assert {shown[run]["against_look"] for run in runs[1:]} == {"missing"}
    told = told_of(dashboard, runs)
    for run in runs[1:]:
        assert check(repository, [run], "main", {}).comparison.verdict in told[run]["against"]
        assert rows(dashboard)[run] | told[run] == rows(dashboard)[run]


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("asked", [None, "x", {"a": 1}, [1, None, ["x"]], ["gone"]])
def test_what_is_no_run_has_an_empty_cell(dashboard, runs, asked):
    press_set(dashboard, "main", runs[:1])
    told = told_of(dashboard, asked)
    assert all(cell["against"] == "" for cell in told.values())


@pytest.mark.quick_every(5)
@pytest.mark.parametrize(
    ("count", "form"),
    [
        (1, ("",)),
        (1, (None,)),
        (1, ("a\nb",)),
        (0, ("x",)),
        (2, ("x", "rolling", "3")),
        (1, ("x", "rolling", None)),
        (1, ("x", "rolling", "-1")),
        (1, ("x", "rolling", "²")),
        (1, ("x", "rolling", "٣")),
        (1, ("x", "rolling", "1000")),
    ],
)
def test_what_cannot_be_is_a_sentence_in_the_dialog(dashboard, repository, runs, count, form):
    answer = press_set(dashboard, form[0], runs[:count], *form[1:])
    assert answer["runs-baseline-error"]["children"].endswith(".")
    assert "runs-changed" not in answer
    assert Baselines(repository.catalogue).all() == []


def test_runs_that_differ_or_are_gone_are_refused(dashboard, repository, runs):
    repository.delete(runs[0])
    assert runs[0] in press_set(dashboard, "x", runs)["runs-baseline-error"]["children"]


def test_the_dialog_lists_members_and_deleted_runs_and_takes_a_baseline_out(
    dashboard, repository, runs
):
    press_set(dashboard, HOSTILE, runs[:2])
    press_set(dashboard, "roll", runs[:1], "rolling", "5")
    repository.delete(runs[0])
    opened = dashboard.callback(
        "runs-baseline-dialog.is_open",
        **{"runs-baseline.n_clicks": 1, "runs-picked.data": {runs[1]: "b"}},
    )
    told = json.dumps(opened["runs-baselines"]["children"], ensure_ascii=False)
    assert opened["runs-baseline-dialog"]["is_open"]
    assert [
        part in told
        for part in ("rolling, the last 5", "1 deleted run", runs[0], f"/run/{runs[1]}")
    ] == [True] * 4
    assert [option.get("disabled") for option in opened["runs-baseline-kind"]["options"]] == [
        None,
        False,
    ]
    pressed = {"type": "runs-baseline-delete", "name": HOSTILE}
    body = delete_request(dashboard, pressed, [HOSTILE, "roll"])
    assert dashboard.http.post("/_dash-update-component", json=body).json["response"][
        "runs-changed"
    ]["data"]
    assert [one.name for one in Baselines(repository.catalogue).all()] == ["roll"]


def delete_request(dashboard, pressed, listed):
    """Return what a browser sends when a button of the list is pressed."""
    spec = next(
        d
        for d in dashboard.http.get("/_dash-dependencies").json
        if "runs-baseline-name.value" in d["output"]
    )
    outputs = [part.rpartition(".") for part in spec["output"].strip(".").split("...")]
    key = json.dumps(pressed, sort_keys=True, separators=(",", ":"))
    buttons = [
        {
            "id": pressed | {"name": name},
            "property": "n_clicks",
            "value": 1 if name == pressed["name"] else None,
        }
        for name in listed
    ]
    inputs = [{"id": part["id"], "property": part["property"]} for part in spec["inputs"][:2]]
    state = [{"id": part["id"], "property": part["property"]} for part in spec["state"]]
    return {
        "output": spec["output"],
        "outputs": [{"id": name, "property": prop} for name, _, prop in outputs],
        "inputs": [*inputs, buttons],
        "state": state,
        "changedPropIds": [f"{key}.n_clicks"],
    }
