"""The pieces that a page requests next are stored with its layout, and are those of a request."""

import gzip
import json
from contextlib import nullcontext

import pytest

from app.config.settings import load_settings
from app.pages.compare.record import COMPARE_PAGE
from app.pages.opened_page import draw_ahead
from app.pages.run import table_piece
from app.request.time_limit import TimeLimitError
from app.server import drawing_ahead
from app.server.factory import create_app
from app.server.response_folder import ResponseFolder
from app.views import drawing_ahead as drawing
from app.views.drawing import Piece
from app.views.drawn_pieces import DRAWN
from app.views.shown import Shown
from app.views.state import RunState
from app.views.state_drawing import StateDrawing
from app.views.view import FAILED, STOPPED
from ingest.files import ingest
from tests.support.dash_client import DashClient, find
from tests.support.live_server import running

SETTINGS = {"m": "32", "k": "32", "n": "32"}
"""Settings of a run that has views of other runs."""
QUERIES = ("", "iteration=1&table=kernels", "track=core+2,0", "method=reference")


@pytest.fixture
def run(upload):
    return upload(**SETTINGS).json["runs"][0]["run_id"]


@pytest.fixture
def drawn(monkeypatch):
    """The names of the pieces that are drawn, except those that a layout draws as its views."""
    names = []
    draw = Piece.draw_limited

    def draw_limited(piece, *given):
        names.append(piece.name)
        return draw(piece, *given)

    monkeypatch.setattr(Piece, "draw_limited", draw_limited)
    return names


def open_page(dashboard, run, query=""):
    """Open a page and return the state that it shows."""
    page = json.loads(dashboard.open(f"/run/{run}", f"?{query}" if query else ""))
    return find(page, "run-shown")["data"]


def request_pieces(dashboard, run, query, shown, theme="light"):
    """Send the request of a displayed page, and return its whole response."""
    values = {
        "run-view.data": query,
        "theme.data": theme,
        "run-id.data": run,
        "run-shown.data": shown,
    }
    return dashboard.post("run-changes.data", **values).json


def forget_pieces(settings, monkeypatch):
    """Delete all stored responses, and draw no pieces ahead from now on."""
    for file in stored_files(settings):
        file.unlink()
    monkeypatch.setattr(drawing_ahead, "ask_ahead", lambda: None)


@pytest.mark.parametrize("query", QUERIES)
def test_the_first_request_of_a_page_draws_nothing(dashboard, run, drawn, query):
    shown = open_page(dashboard, run, query)
    assert "table" in drawn
    drawn.clear()
    changes = request_pieces(dashboard, run, query, shown)["response"]["run-changes"]["data"]
    assert "run-table-body" in changes["changes"]
    assert not drawn


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("query", QUERIES)
def test_pieces_drawn_ahead_are_those_of_a_request(dashboard, settings, run, monkeypatch, query):
    shown = open_page(dashboard, run, query)
    ahead = request_pieces(dashboard, run, query, shown)
    forget_pieces(settings, monkeypatch)
    other = DashClient(create_app(settings))
    assert open_page(other, run, query)["keys"] == shown["keys"]
    assert request_pieces(other, run, query, shown) == ahead


@pytest.mark.slow
def test_a_comparison_draws_nothing_after_its_layout(dashboard, run, settings, upload, drawn):
    other = upload(**SETTINGS | {"k": "64"}).json["runs"][0]["run_id"]
    query = f"base={run}&new={other}"
    page = json.loads(dashboard.open("/compare", f"?{query}"))
    stored = stored_files(settings)
    drawn.clear()
    values = {
        "compare-view.data": query,
        "theme.data": "light",
        "compare-id.data": "",
        "compare-shown.data": find(page, "compare-shown")["data"],
    }
    assert dashboard.post(f"{COMPARE_PAGE.changes}.data", **values).json["response"] == {}
    assert not drawn
    assert stored_files(settings) == stored


@pytest.mark.slow
@pytest.mark.parametrize("sentence", [FAILED, STOPPED])
def test_a_piece_that_failed_is_not_stored(dashboard, run, settings, monkeypatch, sentence):
    with monkeypatch.context() as failing:
        failing.setattr(table_piece, "table_line", lambda _frame: sentence)
        shown = open_page(dashboard, run)
        assert sentence in json.dumps(request_pieces(dashboard, run, "", shown))
        stored = [*map(plain_text, stored_files(settings))]
        assert stored
        assert not any(sentence in text for text in stored)
    assert sentence not in json.dumps(request_pieces(dashboard, run, "", shown))


def test_a_layout_without_pieces_is_sent_if_they_fail(dashboard, run, monkeypatch):
    with monkeypatch.context() as failing:
        failing.setattr(table_piece, "table_line", lambda _frame: 1 / 0)
        shown = open_page(dashboard, run)
    assert shown["reads"]
    assert request_pieces(dashboard, run, "", shown)["response"]["run-changes"]["data"]["changes"]


def test_pieces_that_take_too_long_are_not_handed_over(monkeypatch):
    def stopped(*_given):
        raise TimeLimitError

    monkeypatch.setattr(drawing, "draw_pieces", stopped)
    assert draw_ahead([], None, RunState(), Shown()) is None


@pytest.mark.slow
def test_pieces_are_added_to_those_that_are_stored(dashboard, run, settings):
    request_pieces(dashboard, run, "iteration=1", None)
    before = stored_forms(settings)
    open_page(dashboard, run, "iteration=1")
    assert stored_forms(settings) - before == {("table", DRAWN)}
    assert before <= stored_forms(settings)


@pytest.mark.slow
def test_pieces_are_not_stored_while_another_process_draws_the_state(
    dashboard, run, settings, monkeypatch
):
    request_pieces(dashboard, run, "iteration=1", None)
    before = stored_forms(settings)
    make_alone = ResponseFolder.making

    def making(folder, key, max_wait_s=1.0):
        # Only pieces that are drawn ahead do not wait.
        return nullcontext(False) if max_wait_s == 0 else make_alone(folder, key, max_wait_s)

    monkeypatch.setattr(ResponseFolder, "making", making)
    open_page(dashboard, run, "iteration=1")
    assert stored_forms(settings) == before


def stored_forms(settings):
    """Return name and form of every piece that is stored."""
    texts = [text for file in stored_files(settings) if (text := plain_text(file))[0] == "["]
    return {form for text in texts for form in StateDrawing.from_text(text).known_forms}


def stored_files(settings):
    return [*(settings.data / "pages").glob("?/*")]


def plain_text(file):
    return gzip.decompress(file.read_bytes().partition(b"\n")[2]).decode()


@pytest.mark.slow
def test_a_render_process_hands_pieces_to_its_server(tmp_path, samples):
    settings = load_settings(data=tmp_path / "data", pages_mb=0)
    repository = settings.repository()
    ingest(repository, [samples / "outputs" / "npu1-gemm_64_64_64-1_row_1_col"], {})
    (run,) = [stored.run_id for stored in repository.catalogue.runs({})]
    drawing_here = DashClient(create_app(settings))
    with running(tmp_path, render_processes=1) as live:
        # On a busy machine the first drawings of a process may exceed the limit of pieces.
        for query in ("", *(f"iteration={number}" for number in range(9))):
            place = {"_pages_location.pathname": f"/run/{run}", "_pages_location.search": query}
            opened = drawing_here.body("_pages_content.children", **place)
            page = send(live, opened)["_pages_content"]["children"]
            if stored_forms(settings):
                break
        assert stored_forms(settings) == {("table", DRAWN)}
        shown = find(page, "run-shown")["data"]
        values = {
            "run-view.data": query,
            "theme.data": "light",
            "run-id.data": run,
            "run-shown.data": shown,
        }
        stored = stored_files(settings)
        response = send(live, drawing_here.body("run-changes.data", **values))
        assert stored_files(settings) == stored
    changes = response["run-changes"]["data"]["changes"]
    assert changes == drawing_here.drawn(run, query, shown=shown)
    assert "run-table-body" in changes


def send(live, body):
    """Send a callback to a server and return its response."""
    headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
    status, _, text = live.request("/_dash-update-component", "POST", json.dumps(body), headers)
    assert status == 200
    return json.loads(text)["response"]
