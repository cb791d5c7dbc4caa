"""A repeated request is answered from what was kept; another prefix, setting, theme or release is not."""

import gzip
import json
from dataclasses import replace

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from app.server import response_folder
from app.server.cached_response import CachedResponse
from app.server.factory import create_app
from app.server.response_folder import ResponseFolder
from app.views.registry import RUN
from storage.errors import StorageError
from tests.support.aie_trace import trace_text
from tests.support.dash_client import DashClient, find
from tests.support.small_disk import small_disk

SETTINGS = {"m": "32", "k": "32", "n": "32"}


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


@pytest.mark.parametrize(
    "search", ["?method=reference", "?peak_macs_per_cycle=99", "?track=core+2,0"]
)
def test_another_view_state_is_another_page(dashboard, run, drawings, search):
    for asked in ("", search):
        dashboard.open(f"/run/{run}", asked)
    assert len(drawings) == 2


def test_another_theme_is_another_page(dashboard, run, drawings):
    light = dashboard.open(f"/run/{run}")
    dashboard.http.set_cookie("tilescope-theme", "dark")
    assert dashboard.open(f"/run/{run}") != light
    assert len(drawings) == 2


def test_other_content_of_a_run_is_another_page(dashboard, run, drawings, upload):
    before = dashboard.open(f"/run/{run}")
    assert upload(**SETTINGS | {"clock_hz": "2e9"}).json["runs"][0]["run_id"] == run
    assert dashboard.open(f"/run/{run}") != before
    assert len(drawings) == 2


def test_another_run_of_the_gemm_reaches_a_cached_page_with_its_first_drawing(
    dashboard, run, drawings, upload
):
    def first_drawing():
        page = json.loads(dashboard.open(f"/run/{run}"))
        return dashboard.drawn(run, shown=find(page, "run-shown")["data"])

    before = first_drawing()
    assert not {"run-sizes-body", "run-choices"} & {*before}
    alone = dashboard.drawn(run)
    other = upload(body=trace_text(duration=120).encode(), **SETTINGS).json["runs"][0]["run_id"]
    assert other != run
    after = first_drawing()
    named = {name for name in after if name.startswith(("run-sizes", "run-choices"))}
    assert {"run-sizes-body", "run-choices"} <= named
    # All other views stay as they are.
    assert {*after} - named == {*before, "sizes", "choices"}
    assert len(drawings) == 2
    fresh = dashboard.drawn(run)
    assert after["run-sizes-body"] == fresh["run-sizes-body"] != alone["run-sizes-body"]


def test_an_answer_that_tells_of_a_failure_is_not_kept(dashboard, run, drawings, monkeypatch):
    cache = dashboard.app.server.extensions["tilescope"].data
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
    dashboard.app.server.extensions["tilescope"].repository.delete(run)
    assert "here is no run" in dashboard.open(f"/run/{run}")


def test_answers_are_compressed_where_that_is_accepted(dashboard, run):
    path = "/_dash-dependencies"
    plain = dashboard.get(path)
    packed = dashboard.get(path, headers={"Accept-Encoding": "gzip, br"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert "Accept-Encoding" in packed.headers["Vary"]


@pytest.mark.parametrize("path", ["/_dash-layout", "/_dash-dependencies"])
def test_what_a_browser_has_already_is_not_sent_again(dashboard, path):
    first = dashboard.get(path)
    again = dashboard.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (first.status_code, again.status_code, again.data) == (200, 304, b"")
    assert "no-cache" in first.headers["Cache-Control"]


def test_processes_share_a_folder(settings, tmp_path, run, drawings):
    shared = settings.model_copy(update={"answers_folder": tmp_path / "answers"})
    pages = {DashClient(create_app(shared)).open(f"/run/{run}") for _ in range(2)}
    assert len(pages) == len(drawings) == 1


def test_other_code_makes_its_own_answers(settings, tmp_path, run, drawings, monkeypatch):
    shared = settings.model_copy(update={"answers_folder": tmp_path / "answers"})
    for version in ("one", "two"):
        monkeypatch.setattr(response_folder, "code_version", lambda version=version: version)
        DashClient(create_app(shared)).open(f"/run/{run}")
    assert len(drawings) == 2


class TestAnswerFolder:
    def test_what_was_asked_for_longest_ago_goes_first(self, tmp_path):
        folder = ResponseFolder(tmp_path, 10_000)
        for rank in range(200):
            folder.get(f"{rank:04d}", lambda: CachedResponse(b"x" * 1000, 200))
        left = sorted(file.name for file in tmp_path.glob("*/*"))
        assert len(left) < 100
        assert left[-1] == "0199"

    def test_damage_is_made_again(self, tmp_path):
        folder = ResponseFolder(tmp_path, 10_000)
        made = CachedResponse(b"body", 200)
        assert folder.get("a", lambda: made) == made
        (file,) = tmp_path.glob("*/*")
        file.write_bytes(b"\xff no status")
        assert folder.get("a", lambda: made) == made

    def test_a_folder_that_cannot_be_written_costs_nothing_else(self, tmp_path):
        (tmp_path / "file").write_text("")
        made = CachedResponse(b"body", 200)
        assert ResponseFolder(tmp_path / "file", 10_000).get("a", lambda: made) == made

    def test_failures_are_not_written(self, tmp_path):
        ResponseFolder(tmp_path, 10_000).get(
            "a", lambda: CachedResponse(b"", 500, is_cacheable=False)
        )
        assert not list(tmp_path.glob("*/*"))

    def test_a_full_disk_keeps_no_half_of_an_answer(self, tmp_path):
        with small_disk(tmp_path / "disk", 2**20) as disk:
            folder = ResponseFolder(disk, 2**30)
            assert folder.get("key", lambda: CachedResponse(b"x" * 2**21, 200)).body == b"x" * 2**21
            assert not [path for path in disk.rglob("*") if path.is_file()]
