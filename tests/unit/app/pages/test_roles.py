"""Pages show what a role may do, and callbacks that write ask for it."""

import json

import pytest

from app.config.settings import OPEN_TO_ALL, Settings
from app.pages import shell
from app.pages.registry import PAGES
from components.runs.list_address import LIST_PATH
from schema.roles import Role
from storage.annotations import Annotations, Change
from storage.audit import Audit
from tests.support.aie_trace import trace_text
from tests.support.dash_client import find

NAME = "outputs/npu2-gemm_64_64_64-2_row_1_col/traces/trace_mm_64_64_64.json"
CHANGING = ("runs-delete", "runs-delete-dialog", "runs-baseline", "runs-baseline-dialog")


@pytest.fixture
def run(signed_in):
    return uploaded(signed_in)


def uploaded(signed_in, **settings):
    query = {"name": NAME} | settings
    answer = signed_in("edgar").http.post(
        "/api/upload", query_string=query, data=trace_text().encode()
    )
    return answer.json["runs"][0]["run_id"]


def repository(client):
    return client.repository


def entries(client):
    return [
        (one.user, one.action, one.object) for one in Audit(repository(client).catalogue).entries()
    ]


def told(client, output, **values):
    """Return the answer of a callback and what its toast says."""
    answer = client.post(output, **values)
    side = answer.json.get("sideUpdate", {}) if answer.status_code == 200 else {}
    return answer, side.get("toast", {}).get("children")


@pytest.mark.parametrize(("name", "shown"), [("edgar", True), ("ada", True), ("victor", False)])
def test_who_may_not_change_runs_is_offered_nothing_of_the_kind(signed_in, run, name, shown):
    page = signed_in(name).open(LIST_PATH)
    assert [f'"id": "{part}"' in page for part in CHANGING] == [shown] * len(CHANGING)
    frame = signed_in(name).get("/_dash-layout").text
    assert [part in frame for part in ("upload-open", "upload-zone", "ingest files")] == [shown] * 3


@pytest.mark.parametrize(("name", "shown"), [("edgar", True), ("victor", False)])
def test_an_empty_store_takes_files_of_editors(signed_in, name, shown):
    page = signed_in(name).open("/")
    assert "No runs yet" in page
    assert ("landing-drop" in page) == ("landing-samples" in page) == shown


@pytest.mark.parametrize("name", ["edgar", "victor"])
def test_the_frame_is_that_of_who_asks(signed_in, name):
    frames = {who: signed_in(who).get("/_dash-layout") for who in ("ada", name)}
    assert f'"{name}"' in frames[name].text
    assert f'"{name}"' not in frames["ada"].text
    assert ("Audit log" in frames["ada"].text, "Audit log" in frames[name].text) == (True, False)
    assert "private" in frames[name].headers["Cache-Control"]
    tag = frames["ada"].headers["ETag"]
    assert signed_in(name).get("/_dash-layout", headers={"If-None-Match": tag}).status_code == 200


def test_where_nobody_signs_in_a_menu_leads_to_the_pages_of_admins(dashboard):
    menu = find(dashboard.get("/_dash-layout").json, "server-pages")
    wanted = [page.path for page in PAGES if page.navigation and page.role > Role.VIEWER]
    assert [item["props"]["href"] for item in menu["children"]] == [*wanted, "/rights"]


def test_a_viewer_deletes_nothing(signed_in, run):
    viewer = signed_in("victor")
    values = {"runs-picked.data": {run: "mine"}, "runs-delete-confirm.n_clicks": 1}
    _, said = told(viewer, "runs-changed.data", **values)
    assert "role editor" in said
    assert repository(viewer).exists(run)


def test_a_viewer_sets_no_baseline(signed_in, run):
    form = {
        "runs-baseline-name.value": "main",
        "runs-baseline-kind.value": "fixed",
        "runs-picked.data": {run: "x"},
    }
    _, said = told(
        signed_in("victor"), "runs-baseline-name.value", **form, **{"runs-baseline-set.n_clicks": 1}
    )
    assert "role editor" in said
    answer, said = told(
        signed_in("edgar"), "runs-baseline-name.value", **form, **{"runs-baseline-set.n_clicks": 1}
    )
    assert answer.json["response"]["runs-changed"]["data"]
    assert ("edgar", "baseline.set", "main") in entries(signed_in("edgar"))


@pytest.mark.slow
def test_pinned_runs_stay_and_are_named_while_others_go(signed_in):
    editor = signed_in("edgar")
    run, other = uploaded(signed_in, name="a.json"), uploaded(signed_in, name="a.json", hwid="npu1")
    assert run == other  # one content is one run
    second = editor.http.post(
        "/api/upload", query_string={"name": "b.json"}, data=trace_text(kernels=5).encode()
    )
    second = second.json["runs"][0]["run_id"]
    Annotations(repository(editor).catalogue).change(run, Change(pinned=True), "edgar")
    values = {
        "runs-picked.data": {run: "the pinned one", second: "b"},
        "runs-delete-confirm.n_clicks": 1,
    }
    answer, said = told(editor, "runs-changed.data", **values)
    assert "the pinned one" in json.dumps(said)
    assert "pinned" in json.dumps(said)
    assert answer.json["response"]["runs-picked"]["data"] == {run: "the pinned one"}
    assert (repository(editor).exists(run), repository(editor).exists(second)) == (True, False)
    assert ("edgar", "delete", second) in entries(editor)


@pytest.mark.parametrize(
    ("host", "auth", "noticed"),
    [("10.0.0.2", "none", True), ("127.0.0.1", "none", False), ("10.0.0.2", "proxy", False)],
)
def test_a_server_that_is_open_to_all_says_so(tmp_path, host, auth, noticed):
    settings = Settings(data=tmp_path, host=host, auth=auth, trusted_proxies="10.0.0.1")
    assert (OPEN_TO_ALL in str(shell.layout(settings, PAGES))) == noticed


def test_without_sign_in_the_top_bar_names_nobody(dashboard):
    assert '"id":"user"' not in dashboard.get("/_dash-layout").text.replace(" ", "")
