"""Saved views and tags in the list of runs."""

import json

import pytest

from app.pages.runs.filters import used_facets
from components.runs.list_address import LIST_PATH, list_address
from services.store.runs_list import RunsList
from storage.annotations import Annotations
from storage.audit import Audit
from storage.saved_texts import SavedViews


def save(client, name, query="q=x"):
    values = {"runs-view-save.n_clicks": 1, "runs-view-name.value": name, "runs-view.data": query}
    return client.post("runs-views.children", **values)


def delete(client, view_id):
    """Press the button that deletes a view."""
    spec = next(
        d
        for d in client.http.get("/_dash-dependencies").json
        if "runs-views.children" in d["output"]
    )
    own = {"type": "runs-view-delete", "name": view_id}
    outputs = [part.rpartition(".") for part in spec["output"].strip(".").split("...")]
    body = {
        "output": spec["output"],
        "outputs": [{"id": name, "property": prop} for name, _, prop in outputs],
        "inputs": [
            *({"id": part["id"], "property": part["property"]} for part in spec["inputs"][:2]),
            [{"id": own, "property": "n_clicks", "value": 1}],
        ],
        "state": [{"id": part["id"], "property": part["property"]} for part in spec["state"]],
        "changedPropIds": [f"{json.dumps(own, sort_keys=True, separators=(',', ':'))}.n_clicks"],
    }
    return client.http.post("/_dash-update-component", json=body)


def test_an_editor_saves_what_the_list_shows_and_everybody_can_apply_it(signed_in, run, catalogue):
    editor = signed_in("edgar")
    answer = save(editor, " fast <b>ones</b> ", "hwid=npu2&sort=-gmacs_mean").json["response"]
    assert answer["runs-view-name"]["value"] == ""
    (view,) = SavedViews(catalogue).all()
    assert (view.name, view.query, view.created_by) == (
        "fast <b>ones</b>",
        "hwid=npu2&sort=-gmacs_mean",
        "edgar",
    )
    page = signed_in("victor").open(LIST_PATH)
    assert f'"{list_address("hwid=npu2&sort=-gmacs_mean")}"' in page
    assert "runs-view-save" not in page
    assert "runs-view-delete" not in page
    assert [one.action for one in Audit(catalogue).entries(1)] == ["view.save"]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("name", ["", "  ", None, "a\nb", "x" * 101])
def test_what_is_no_name_is_a_sentence_in_the_menu(signed_in, run, catalogue, name):
    answer = save(signed_in("edgar"), name).json["response"]
    assert answer["runs-view-error"]["children"].endswith(".")
    assert SavedViews(catalogue).all() == []


def test_views_are_deleted_by_who_saved_them_and_admins_are_offered_all(signed_in, run, catalogue):
    save(signed_in("ada"), "of ada")
    assert "runs-view-delete" not in signed_in("edgar").open(LIST_PATH)
    save(signed_in("edgar"), "of edgar")
    assert signed_in("edgar").open(LIST_PATH).count("runs-view-delete") == 1
    assert signed_in("ada").open(LIST_PATH).count("runs-view-delete") == 2
    view = next(one for one in SavedViews(catalogue).all() if one.name == "of edgar")
    assert "runs-views" in delete(signed_in("edgar"), view.view_id).json["response"]
    assert [one.name for one in SavedViews(catalogue).all()] == ["of ada"]


def test_a_viewer_saves_and_deletes_nothing(signed_in, run, catalogue):
    save(signed_in("edgar"), "mine")
    (view,) = SavedViews(catalogue).all()
    for answer in (save(signed_in("victor"), "theirs"), delete(signed_in("victor"), view.view_id)):
        assert "role editor" in answer.json["sideUpdate"]["toast"]["children"]
    assert [one.name for one in SavedViews(catalogue).all()] == ["mine"]


def tag(client, words, picked):
    values = {"runs-tag-add.n_clicks": 1, "runs-tag-words.value": words, "runs-picked.data": picked}
    return client.post("runs-tag-error.children@", **values)


def test_selected_runs_are_tagged(signed_in, run, catalogue):
    editor = signed_in("edgar")
    answer = tag(editor, "nightly  golden nightly", {run: "a", "gone": "b"}).json["response"]
    assert answer["runs-tag-dialog"]["is_open"] is False
    assert answer["runs-changed"]["data"]
    assert Annotations(catalogue).one(catalogue.get(run)).tags == ("nightly", "golden")
    assert '"nightly golden"' in editor.open(LIST_PATH)


@pytest.mark.parametrize("words", ["", "a,b", "x" * 61])
def test_what_is_no_tag_is_a_sentence_in_the_dialog(signed_in, run, catalogue, words):
    answer = tag(signed_in("edgar"), words, {run: "a"}).json["response"]
    assert answer["runs-tag-error"]["children"].endswith(".")
    assert "runs-changed" not in answer


def test_a_viewer_tags_nothing(signed_in, run, catalogue):
    assert (
        "role editor"
        in tag(signed_in("victor"), "x", {run: "a"}).json["sideUpdate"]["toast"]["children"]
    )
    assert Annotations(catalogue).one(catalogue.get(run)).tags == ()


def test_the_first_tag_brings_its_filter(signed_in, run, catalogue):
    editor = signed_in("edgar")
    names = {name: {"name": name} for name in used_facets(RunsList(catalogue).now())}
    values = {"runs-changed.data": 1, "runs-empty.data": False, "facets": names}
    assert editor.callback("runs-empty.data", **values) == {}
    tag(editor, "golden", {run: "a"})
    answer = editor.callback("runs-empty.data", **values)
    assert '"name": "tag"' in json.dumps(answer["runs-body"])
