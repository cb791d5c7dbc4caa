"""A repeated request is answered from what was kept; another prefix, setting, theme or release is not."""

import gzip
import json
from dataclasses import replace

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from app.server import cached_responses, response_folder
from app.server.factory import create_app
from app.views.registry import RUN
from ingest.files import ingest
from services.status.acknowledge import acknowledge
from services.status.rules import set_rule
from services.status.status import StatusCache
from storage.annotations import Annotations, Change
from storage.errors import StorageError
from storage.rules import Rule
from tests.support.aie_trace import trace_text
from tests.support.dash_client import DashClient, find

# Views of other runs leave out rates above the peak, which kernels of 100 cycles would have.
SETTINGS = {"m": "32", "k": "32", "n": "32", "body": trace_text(duration=600).encode()}
LONGER = {"body": trace_text(duration=660).encode()}


@pytest.fixture
def run(upload):
    return upload(**SETTINGS).json["runs"][0]["run_id"]


@pytest.fixture
def drawings(monkeypatch):
    """Count how often the stall shares are drawn."""
    counted = []

    def counting(view):
        def draw(*given):
            counted.append(view.id)
            return view.draw(*given)

        return replace(view, draw=draw) if view.id == "stalls" else view

    monkeypatch.setitem(vars(RUN), "views", tuple(map(counting, RUN.views)))
    return counted


@pytest.fixture
def statements():
    """The statements that read a run's row, or whether any run has changed, in their order."""
    seen = []

    def note(_connection, _cursor, statement, *_more):
        if "listing_state" in statement or "runs.run_id = " in statement:
            seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    yield seen
    event.remove(Engine, "before_cursor_execute", note)


@pytest.mark.slow
def test_a_page_reads_a_row_once(dashboard, run, statements):
    dashboard.open(f"/run/{run}")
    statements.clear()
    dashboard.open(f"/run/{run}", "?iteration=1")
    assert len(statements) == len(set(statements)) == 2
    statements.clear()
    dashboard.drawn(run, "iteration=2")
    assert len(statements) == len(set(statements)) == 2


def test_a_page_is_made_once(dashboard, run, drawings):
    first, again = (dashboard.open(f"/run/{run}", "?iteration=1") for _ in range(2))
    assert first == again
    assert len(drawings) == 1


def test_a_selection_is_drawn_once(dashboard, run, drawings):
    first, again = (dashboard.drawn(run, "iteration=1") for _ in range(2))
    assert first == again
    assert len(drawings) == 1


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "search", ["?method=reference", "?peak_macs_per_cycle=99", "?track=core+2,0"]
)
def test_another_view_state_is_another_page(dashboard, run, drawings, search):
    for asked in ("", search):
        dashboard.open(f"/run/{run}", asked)
    assert len(drawings) == 2


@pytest.mark.slow
def test_another_theme_is_another_page(dashboard, run, drawings):
    light = dashboard.open(f"/run/{run}")
    dashboard.http.set_cookie("tilescope-theme", "dark")
    assert dashboard.open(f"/run/{run}") != light
    assert len(drawings) == 2


@pytest.mark.slow
def test_other_content_of_a_run_is_another_page(dashboard, run, drawings, upload):
    before = dashboard.open(f"/run/{run}")
    assert upload(**SETTINGS | {"clock_hz": "2e9"}).json["runs"][0]["run_id"] == run
    assert dashboard.open(f"/run/{run}") != before
    assert len(drawings) == 2


@pytest.mark.slow
def test_another_run_of_the_gemm_reaches_a_cached_page_with_its_first_drawing(
    dashboard, run, drawings, upload
):
    def first_drawing():
        page = json.loads(dashboard.open(f"/run/{run}"))
        return dashboard.drawn(run, shown=find(page, "run-shown")["data"])

    before = first_drawing()
    assert not {"run-sizes-body", "run-choices"} & {*before}
    alone = dashboard.drawn(run)
    other = upload(**SETTINGS | LONGER).json["runs"][0]["run_id"]
    assert other != run
    after = first_drawing()
    named = {name for name in after if name.startswith(("run-sizes", "run-choices"))}
    assert {"run-sizes-body", "run-choices"} <= named
    # All other views stay as they are.
    assert {*after} - named == {*before, "sizes", "choices"}
    assert len(drawings) == 2
    fresh = dashboard.drawn(run)
    assert after["run-sizes-body"] == fresh["run-sizes-body"] != alone["run-sizes-body"]


@pytest.mark.slow
def test_an_answer_that_tells_of_a_failure_is_not_kept(dashboard, run, drawings, monkeypatch):
    cache = dashboard.context.data
    with monkeypatch.context() as broken:
        broken.setattr(
            type(cache),
            "get",
            lambda *_: (_ for _ in ()).throw(StorageError("at /data", "the disk is gone")),
        )
        assert "he disk is gone" in dashboard.open(f"/run/{run}")
        dashboard.post("run-changes.data", **{"run-view.data": "", "run-id.data": run})
    assert "he disk is gone" not in dashboard.open(f"/run/{run}")
    assert "run-stalls" in dashboard.drawn(run)


def test_a_run_that_is_gone_is_not_answered_for(dashboard, run):
    dashboard.open(f"/run/{run}")
    dashboard.repository.delete(run)
    assert "here is no run" in dashboard.open(f"/run/{run}")


def test_answers_are_compressed_where_that_is_accepted(dashboard, run):
    path = "/_dash-dependencies"
    plain = dashboard.get(path)
    packed = dashboard.get(path, headers={"Accept-Encoding": "gzip, br"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert "Accept-Encoding" in packed.headers["Vary"]


@pytest.mark.slow
def test_what_is_only_stored_is_compressed_quickly(dashboard, settings, run):
    packed = {"Accept-Encoding": "gzip"}
    place = {"_pages_location.pathname": f"/run/{run}", "_pages_location.search": ""}
    values = {"run-view.data": "", "theme.data": "light", "run-id.data": run}
    bodies = [
        dashboard.body("_pages_content.children", **place),
        dashboard.body("run-changes.data", **values),
    ]
    sent = [
        dashboard.http.post("/_dash-update-component", json=body, headers=packed).data
        for body in bodies
    ]
    files = (settings.data / "pages").glob("?/*")
    stored = [file.read_bytes().partition(b"\n")[2] for file in files]
    # Byte 8 of a gzip file: 4 if the quickest method made it, else 0 or 2 (RFC 1952).
    assert [body[8] for body in sent] == [0, 0]
    assert {body[8] for body in stored} == {4}


@pytest.mark.parametrize("path", ["/_dash-layout", "/_dash-dependencies"])
def test_what_a_browser_has_already_is_not_sent_again(dashboard, path):
    first = dashboard.get(path)
    again = dashboard.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (first.status_code, again.status_code, again.data) == (200, 304, b"")
    assert "no-cache" in first.headers["Cache-Control"]


@pytest.mark.slow
def test_servers_share_pages_by_default(settings, run, drawings):
    pages = {DashClient(create_app(settings)).open(f"/run/{run}") for _ in range(2)}
    assert len(pages) == len(drawings) == 1


@pytest.mark.slow
def test_servers_share_the_drawing_of_a_selection(settings, run, drawings):
    drawn = [DashClient(create_app(settings)).drawn(run, "iteration=1") for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len(drawings) == 1


@pytest.mark.slow
def test_servers_share_a_comparison(settings, run, upload):
    other = upload(**SETTINGS | LONGER).json["runs"][0]["run_id"]
    first = DashClient(create_app(settings))
    page = first.open("/compare", f"?base={run}&new={other}")
    second = DashClient(create_app(settings))
    second.context.comparisons.get = None  # a call would fail
    assert second.open("/compare", f"?base={run}&new={other}") == page


def drawn_after(dashboard, run, shown, query="iteration=1"):
    """Return (changes, state) of a drawing of a page that shows `shown`."""
    values = {
        "run-view.data": query,
        "theme.data": "light",
        "run-id.data": run,
        "run-shown.data": shown,
    }
    drawn = dashboard.callback("run-changes.data", **values)["run-changes"]["data"]
    return drawn["changes"], drawn["shown"]


@pytest.mark.slow
def test_other_runs_draw_their_views_again_and_no_others(dashboard, run, upload, drawings):
    _, shown = drawn_after(dashboard, run, None)
    assert set(shown["other_runs"]) == {"choices", "sizes"}
    before, after = drawn_after(dashboard, run, shown, "iteration=2")
    assert len(drawings) == 2
    upload(**SETTINGS | LONGER | {"m": "16"})
    again, newer = drawn_after(dashboard, run, shown, "iteration=2")
    assert len(drawings) == 2
    assert newer["other_runs"]["choices"] != after["other_runs"]["choices"]
    assert "choices" in set(again) - set(before)
    assert {name: again[name] for name in before} == before
    assert newer == after | {"other_runs": newer["other_runs"]}


@pytest.mark.slow
def test_a_joined_drawing_has_all_that_one_drawing_has(dashboard, run, monkeypatch):
    joined = drawn_after(dashboard, run, None)
    monkeypatch.setattr(cached_responses, "_find_request", lambda _pages, _body: None)
    assert drawn_after(dashboard, run, None) == joined


@pytest.mark.slow
def test_no_pages_are_shared_if_the_setting_is_0(settings, run, drawings, tmp_path):
    own = settings.model_copy(update={"pages_mb": 0, "answers_folder": tmp_path / "answers"})
    for _ in range(2):
        DashClient(create_app(own)).open(f"/run/{run}")
    assert len(drawings) == 2
    assert not (tmp_path / "answers" / "pages").exists()


def open_anew(settings, run):
    """Return the page of a run as a server that has just been started gives it."""
    return DashClient(create_app(settings)).open(f"/run/{run}")


@pytest.mark.slow
def test_a_shared_page_shows_a_new_note(settings, run):
    before = open_anew(settings, run)
    Annotations(settings.catalogue()).change(run, Change(notes="look at core 2,0"), "ada")
    after = open_anew(settings, run)
    assert "look at core 2,0" in after and "look at core 2,0" not in before
    assert ":notes-" not in after + before


@pytest.mark.slow
def test_a_shared_page_follows_the_setting_of_perfetto(settings, run):
    link = f'"/perfetto/{run}"'
    assert link in open_anew(settings, run)
    assert link not in open_anew(settings.model_copy(update={"perfetto_url": ""}), run)


@pytest.mark.slow
def test_a_new_note_draws_no_page_again(settings, run, drawings):
    open_anew(settings, run)
    Annotations(settings.catalogue()).change(run, Change(notes="look at core 2,0"), "ada")
    open_anew(settings, run)
    assert len(drawings) == 1


@pytest.mark.slow
def test_a_shared_page_shows_a_verdict_and_its_acknowledgement(settings, tmp_path):
    repository = settings.repository()
    set_rule(repository, Rule("newest", 1, ""), "ada")
    for day, size in ((1, 64), (2, 96)):
        plan = tmp_path / f"{day}.1024.csv"
        plan.write_text(f"id,lower,upper,size,offset\nday{day},0,3,100,0\nb,1,4,{size},100\n")
        given = {"name": "net", "taken_at": f"2026-11-0{day}T10:00:00+00:00"}
        bad = ingest(repository, [plan], given).runs[0].run_id
    pages = [open_anew(settings, bad)]
    status = StatusCache(repository)
    status.status()
    pages.append(open_anew(settings, bad))
    acknowledge(status, bad, rule="newest", note="known since monday", user="ada")
    pages.append(open_anew(settings, bad))
    assert [("regressed" in page, "known since monday" in page) for page in pages] == [
        (False, False),
        (True, False),
        (True, True),
    ]


@pytest.mark.slow
def test_a_shared_page_shows_new_settings_of_the_run(settings, run, upload):
    before = open_anew(settings, run)
    upload(**SETTINGS | {"clock_hz": "2e9"})
    assert open_anew(settings, run) != before


@pytest.mark.slow
def test_a_deleted_run_has_no_shared_page(settings, run):
    open_anew(settings, run)
    settings.repository().delete(run)
    assert "here is no run" in open_anew(settings, run)


@pytest.mark.slow
def test_a_file_that_somebody_else_wrote_is_not_sent(settings, run, drawings):
    page = open_anew(settings, run)
    for file in (settings.data / "pages").glob("?/*"):
        head, _, body = file.read_bytes().partition(b"\n")
        file.write_bytes(head + b"\n" + gzip.compress(gzip.decompress(body) + b" "))
    assert open_anew(settings, run) == page
    assert len(drawings) == 2


def test_viewers_and_editors_share_a_page_but_the_form_of_editors(
    signed_in, settings, run, drawings
):
    pages = {}
    for user in ("edgar", "quentin", "ada", "quentin"):
        pages.setdefault(user, set()).add(signed_in(user).open(f"/run/{run}"))
    shown = {user: "run-notes-save" in page for user, (page,) in pages.items()}
    assert shown == {"edgar": True, "quentin": False, "ada": True}
    assert len(drawings) == 1
    files = [*(settings.data / "pages").glob("?/*")]
    stored = b"".join(_plain(file.read_bytes()) for file in files)
    assert len(files) > 1
    assert b"run-stalls" in stored
    for own in (b"edgar", b"quentin", b"editor", b"run-notes-save"):
        assert own not in stored


@pytest.mark.slow
def test_a_name_in_a_file_is_not_taken_for_a_part_of_the_user(dashboard, upload):
    names = ("notes-first", ":notes-first", "0" * 64 + ":notes-first")
    for name in names:
        run = upload(**SETTINGS | {"hwid": name}).json["runs"][0]["run_id"]
        page = json.loads(dashboard.open(f"/run/{run}"))
        assert name in json.dumps(page)
        assert find(page, "run-notes-save")


def test_the_page_of_the_beginning_of_an_id_has_its_notes(dashboard, run):
    Annotations(dashboard.repository.catalogue).change(run, Change(notes="look at core 2,0"), "ada")
    page = dashboard.open(f"/run/{run[:8]}")
    assert "look at core 2,0" in page and ":notes-" not in page
    assert page.count("run-notes-text") == 1


def _plain(content):
    head, _, body = content.partition(b"\n")
    return head + gzip.decompress(body)


@pytest.mark.slow
def test_other_code_makes_its_own_answers(settings, tmp_path, run, drawings, monkeypatch):
    shared = settings.model_copy(update={"answers_folder": tmp_path / "answers"})
    for version in ("one", "two"):
        monkeypatch.setattr(response_folder, "code_version", lambda version=version: version)
        DashClient(create_app(shared)).open(f"/run/{run}")
    assert len(drawings) == 2
