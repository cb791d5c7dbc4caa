"""Notes, tags and pin on a run's page."""

import json

import pytest

from services.store.annotate import MAX_TAGS, annotate
from storage.annotations import Annotations, Change
from storage.audit import Audit
from tests.support.dash_client import DashClient, find

SAVE, PIN, TAG = "run-notes-save.n_clicks", "run-pin.n_clicks", "run-tag-new.n_submit"
FORM = "run-notes-form.hidden..."


@pytest.fixture
def editor(signed_in):
    return signed_in("edgar")


def stored(client, run):
    repository = client.repository
    return Annotations(repository.catalogue).one(repository.find_run(run))


def press(client: DashClient, run, button, text=None, *, saved="", tag=None, pin="on", remove=None):
    """Press a button of the panel as the browser does; `remove` is the tag whose button it is."""
    spec = next(d for d in client.http.get("/_dash-dependencies").json if FORM in d["output"])
    values = {
        "run-notes-text": text,
        "run-pin": pin,
        "run-tag-new": tag,
        "run-notes-saved": saved,
        "run-notes-run": run,
    }
    inputs = [
        {
            "id": part["id"],
            "property": part["property"],
            "value": 1 if button == f"{part['id']}.n_clicks" else None,
        }
        for part in spec["inputs"][:2]
    ]
    inputs.append(
        {"id": "run-tag-new", "property": "n_submit", "value": 1 if button == TAG else None}
    )
    own = {"type": "run-tag-remove", "name": remove}
    inputs.append([{"id": own, "property": "n_clicks", "value": 1}] if remove else [])
    key = json.dumps(own, sort_keys=True, separators=(",", ":"))
    body = {
        "output": spec["output"],
        "outputs": [
            {"id": part.rpartition(".")[0], "property": part.rpartition(".")[2]}
            for part in spec["output"].strip(".").split("...")
        ],
        "inputs": inputs,
        "state": [part | {"value": values[part["id"]]} for part in spec["state"]],
        "changedPropIds": [f"{key}.n_clicks" if remove else button],
    }
    answer = client.http.post("/_dash-update-component", json=body)
    assert answer.status_code in (200, 204), answer.text
    return answer.json if answer.status_code == 200 else {}


def error_of(answer):
    return answer["response"].get("run-notes-error", {}).get("children")


def panel(client, run):
    return find(json.loads(client.open(f"/run/{run}")), "run-notes")


def test_without_anything_added_a_viewer_has_no_panel_and_an_editor_a_quiet_line(
    signed_in, run, editor
):
    assert panel(signed_in("victor"), run)["hidden"] is True
    own = panel(editor, run)
    assert own["hidden"] is False
    assert "ts-quiet" in own["className"]
    assert find([own["children"]], "run-notes-form")["hidden"] is True


@pytest.mark.slow
def test_notes_are_saved_and_everybody_reads_them_at_once(signed_in, run, editor):
    for who in ("victor", "edgar"):
        panel(signed_in(who), run)  # the answers are kept now
    answer = press(editor, run, SAVE, "because of **this**")
    assert answer["response"]["run-notes-form"]["hidden"] is True
    assert stored(editor, run).notes == "because of **this**"
    for who in ("victor", "edgar"):
        told = json.dumps(panel(signed_in(who), run))
        assert "because of " in told
        assert "edgar, " in told
    assert press(editor, run, SAVE, "", saved="because of **this**")
    assert panel(signed_in("victor"), run)["hidden"] is True


def test_a_viewer_sees_nothing_that_changes(signed_in, run, catalogue):
    annotate(catalogue, run, Change(notes="x", tags=("golden",), pinned=True), "edgar")
    own = panel(signed_in("victor"), run)
    for part in ("run-pin", "run-notes-edit", "run-tag-new", "run-notes-form"):
        assert find([own["children"]], part) is None
    told = json.dumps(own)
    assert "run-tag-remove" not in told
    assert "?tag=golden" in told
    assert "pinned" in told


@pytest.mark.parametrize("button", [SAVE, PIN, TAG])
def test_a_viewer_changes_nothing(signed_in, run, button):
    answer = press(signed_in("victor"), run, button, "x", tag="x")
    assert "role editor" in answer["sideUpdate"]["toast"]["children"]
    assert stored(signed_in("victor"), run).changed_at == ""


def test_the_same_change_twice_is_made_twice(editor, run):
    """An answer that was kept would change nothing the second time."""
    for pin in ("on", "off", "on", "off"):
        press(editor, run, PIN, pin=pin)
        assert stored(editor, run).pinned == (pin == "on")


def test_tags_are_added_and_removed_one_by_one(editor, run, catalogue):
    press(editor, run, TAG, tag="golden")
    Annotations(catalogue).change(run, Change(more_tags=("other",)), "somebody else")
    answer = press(editor, run, TAG, tag=" keep  golden ")
    assert answer["response"]["run-tag-new"]["value"] == ""
    assert stored(editor, run).tags == ("golden", "other", "keep")
    press(editor, run, TAG, remove="golden")
    assert stored(editor, run).tags == ("other", "keep")
    assert [(one.user, one.detail) for one in Audit(catalogue).entries(limit=1)] == [
        ("edgar", "tag golden removed")
    ]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("tag", ["", " ", "a,b", "x" * 61, "a\x00b"])
def test_what_is_no_tag_is_a_sentence_beside(editor, run, tag):
    assert error_of(press(editor, run, TAG, tag=tag)).endswith(".")
    assert stored(editor, run).tags == ()


def test_a_run_has_room_for_so_many_tags(editor, run, catalogue):
    annotate(catalogue, run, Change(tags=tuple(f"t{rank}" for rank in range(MAX_TAGS))), "me")
    assert error_of(press(editor, run, TAG, tag="one-more"))
    assert error_of(press(editor, run, TAG, tag="t0")) == ""


def test_notes_that_somebody_else_changed_meanwhile_are_not_overwritten(editor, run, catalogue):
    annotate(catalogue, run, Change(notes="theirs"), "carol")
    assert "Carol changed" in error_of(press(editor, run, SAVE, "mine", saved=""))
    assert stored(editor, run).notes == "theirs"
    assert error_of(press(editor, run, SAVE, "both", saved="theirs")) == ""


def test_notes_that_are_too_long_and_runs_that_are_gone_are_sentences(editor, run):
    assert error_of(press(editor, run, SAVE, "x" * 20_001)).endswith(".")
    editor.repository.delete(run)
    assert run in error_of(press(editor, run, SAVE, "x"))


def test_a_button_that_comes_with_the_panel_changes_nothing(editor, run):
    press(editor, run, "nothing.n_clicks")
    assert stored(editor, run).changed_at == ""
