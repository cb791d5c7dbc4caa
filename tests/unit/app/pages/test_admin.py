"""The operator's page: what it says, who may open it, and what its buttons do."""

import pytest

from storage.audit import Audit
from storage.jobs import Jobs

pytestmark = pytest.mark.usefixtures("nothing_runs")

KEYS = ["source", "hwid", "M", "K", "N"]


def catalogue_of(client):
    return client.repository.catalogue


@pytest.mark.parametrize("name", ["edgar", "victor"])
def test_others_are_refused_by_page_and_buttons(signed_in, name):
    other = signed_in(name)
    Audit(catalogue_of(other)).add("carol", "upload.fail", "secret.json", "no trace")
    page = other.open("/admin")
    assert "role admin" in page
    assert "secret.json" not in page
    assert other.get("/admin").status_code == 403
    other.post(
        "admin-orphans-state.children",
        changed="admin-orphans-confirm.n_clicks",
        **{"admin-orphans-confirm.n_clicks": 1},
    )
    chosen = {
        "admin-retention-chosen.data": {"keep_last": 1, "by": []},
        "admin-retention-confirm.n_clicks": 1,
    }
    other.post("admin-retention-begun.children", **chosen)
    assert Jobs(catalogue_of(other)).all() == []


def test_an_admin_reads_what_needs_attention_first(signed_in):
    admin = signed_in("ada")
    # no place for backups is set
    page = admin.open("/admin")
    assert "admin-attention" not in page
    assert "backups are off" in page
    assert "nothing needs attention" not in page
    Audit(catalogue_of(admin)).add("<b>eve</b>", "upload.fail", "<i>x</i>\u202e.json", "no trace")
    page = admin.open("/admin")
    assert page.index("admin-attention") < page.index("admin-size")
    assert "<b>eve</b>" in page
    assert "\u202e" not in page


@pytest.mark.parametrize(("button", "remove"), [("look", False), ("confirm", True)])
def test_a_button_begins_a_look_as_a_job(signed_in, button, remove):
    admin = signed_in("ada")
    pressed = f"admin-orphans-{button}.n_clicks"
    shown = admin.post("admin-orphans-state.children", changed=pressed, **{pressed: 1}).json[
        "response"
    ]
    assert shown["admin-orphans-clock"]["disabled"] is False
    (job,) = Jobs(catalogue_of(admin)).all()
    assert (job.kind, dict(job.arguments), job.created_by) == ("orphans", {"remove": remove}, "ada")
    assert [entry.action for entry in Audit(catalogue_of(admin)).entries()] == ["job.start"]


def test_the_clock_begins_nothing(signed_in):
    admin = signed_in("ada")
    changed = "admin-orphans-clock.n_intervals"
    admin.post(
        "admin-orphans-state.children",
        changed=changed,
        **{changed: 3, "admin-orphans-confirm.n_clicks": 1},
    )
    assert Jobs(catalogue_of(admin)).all() == []


@pytest.mark.parametrize("keep", ["", "0", "-1", "x", "²", "99999999", None, [], {}])
def test_what_is_no_number_of_runs_is_said(dashboard, keep):
    given = {
        "admin-retention-keep.value": keep,
        "admin-retention-by.value": KEYS,
        "admin-retention-show.n_clicks": 1,
    }
    shown = dashboard.callback("admin-retention-preview.children", **given)
    assert shown["admin-retention-delete"]["disabled"] is True
    assert shown["admin-retention-chosen"]["data"] is None


def test_runs_of_no_key_are_neither_previewed_nor_deleted(dashboard):
    given = {
        "admin-retention-keep.value": "1",
        "admin-retention-by.value": [],
        "admin-retention-show.n_clicks": 1,
    }
    shown = dashboard.callback("admin-retention-preview.children", **given)
    assert shown["admin-retention-delete"]["disabled"] is True
    assert shown["admin-retention-chosen"]["data"] is None
    chosen = {"admin-retention-chosen.data": {"keep_last": 1, "by": [], "runs": 1}}
    dashboard.callback(
        "admin-retention-begun.children", **chosen, **{"admin-retention-confirm.n_clicks": 1}
    )
    assert Jobs(catalogue_of(dashboard)).all() == []


@pytest.mark.slow
def test_old_runs_are_previewed_then_deleted_as_a_job(dashboard, upload):
    for name in ("a", "b"):
        body = f"id,lower,upper,size\n{name},0,3,100\n".encode()
        upload(f"{name}.200.csv", body)
    given = {"admin-retention-keep.value": "1", "admin-retention-by.value": [*KEYS, "run_id"]}
    shown = dashboard.callback(
        "admin-retention-preview.children", **given, **{"admin-retention-show.n_clicks": 1}
    )
    chosen = shown["admin-retention-chosen"]["data"]
    assert (chosen, shown["admin-retention-delete"]["disabled"]) == (
        {"keep_last": 1, "by": KEYS, "runs": 1},
        False,
    )
    press = {"admin-retention-confirm.n_clicks": 1, "admin-retention-chosen.data": chosen}
    dashboard.callback("admin-retention-begun.children", **press)
    (job,) = Jobs(catalogue_of(dashboard)).all()
    assert (job.kind, job.total, dict(job.arguments)) == (
        "retention",
        1,
        {"keep_last": 1, "by": KEYS},
    )
