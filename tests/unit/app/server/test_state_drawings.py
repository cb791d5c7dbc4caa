"""A view state is drawn once, whatever the page showed before; what is sent is what one drawing sends."""

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from app.pages.run.record import RUN_PAGE
from app.request.asked_pieces import find_known
from app.server import cached_responses
from app.server.cached_response import read_body
from app.server.factory import create_app
from app.server.response_folder import ResponseFolder, ResponseKey
from app.server.state_drawings import DrawingPart, DrawingRequest, StateDrawings
from app.views.drawn_pieces import FIRST, DrawnPiece, Look
from app.views.registry import RUN
from app.views.state_drawing import StateDrawing
from app.views.view import FAILED
from tests.support.dash_client import DashClient, find

SETTINGS = {"m": "32", "k": "32", "n": "32"}
QUERIES = ("", "iteration=1", "iteration=2", "iteration=2&window=100-20000", "track=core+2,0")
CHANGES = RUN_PAGE.changes


@pytest.fixture
def run(upload):
    return upload(**SETTINGS).json["runs"][0]["run_id"]


@pytest.fixture
def drawings(monkeypatch):
    """Count the drawings of each plot."""
    counted = Counter()

    def counting(view):
        def draw(*given):
            counted[view.id] += 1
            return view.draw(*given)

        return replace(view, draw=draw) if hasattr(view, "draw") else view

    monkeypatch.setitem(vars(RUN), "views", tuple(map(counting, RUN.views)))
    return counted


def body_of(dashboard, run, query, shown, theme="light"):
    values = {
        "run-view.data": query,
        "theme.data": theme,
        "run-id.data": run,
        "run-shown.data": shown,
    }
    return dashboard.body(f"{CHANGES}.data", **values)


def draw(dashboard, run, query, shown, theme="light"):
    """Return (changes, state) of a drawing; ({}, shown) if nothing changes."""
    body = body_of(dashboard, run, query, shown, theme)
    response = dashboard.http.post("/_dash-update-component", json=body)
    if not response.json["response"]:
        return {}, shown
    data = response.json["response"][CHANGES]["data"]
    return data["changes"], data["shown"]


def opened(dashboard, run, query=""):
    """Open a page and return the state that it shows."""
    page = json.loads(dashboard.open(f"/run/{run}", f"?{query}"))
    return find(page, "run-shown")["data"]


def files_in(settings):
    return [*(settings.data / "pages").glob("?/*")]


@pytest.mark.slow
def test_two_ways_to_a_state_send_its_pieces_and_draw_them_once(dashboard, run, drawings):
    start, other = (opened(dashboard, run, query) for query in ("", "iteration=1"))
    first, first_state = draw(dashboard, run, "iteration=2", start)
    drawings.clear()
    assert draw(dashboard, run, "iteration=2", other) == (first, first_state)
    assert not drawings
    assert {"run-timeline", "run-durations", "run-selection"} <= {*first}


@pytest.mark.slow
def test_every_way_sends_what_a_whole_drawing_sends(dashboard, run, monkeypatch):
    ways = [(before, after) for before in QUERIES for after in QUERIES]
    shown = {query: draw(dashboard, run, query, None)[1] for query in QUERIES}
    put_together = [draw(dashboard, run, after, shown[before]) for before, after in ways]
    monkeypatch.setattr(cached_responses, "_parse_drawing", lambda _page, _body: None)
    monkeypatch.setattr(cached_responses, "_find_request", lambda _pages, _body: None)
    for (before, after), (sent, state) in zip(ways, put_together, strict=True):
        expected, expected_state = draw(dashboard, run, after, shown[before])
        assert sent == expected, (before, after)
        assert state["keys"] == expected_state["keys"]
        assert state["reads"].keys() == expected_state["reads"].keys()


@pytest.mark.slow
def test_a_piece_that_was_not_drawn_for_a_state_is_added(dashboard, run, drawings):
    near = draw(dashboard, run, "iteration=2", None)[1]
    start = draw(dashboard, run, "", None)[1]
    target = "iteration=2&window=100-20000"
    few, _ = draw(dashboard, run, target, near)
    drawings.clear()
    more, _ = draw(dashboard, run, target, start)
    assert drawings
    assert {*few} < {*more}
    assert {name: more[name] for name in few} == few
    # Nothing is drawn a second time.
    assert not {name for name in drawings if f"run-{name}" in few}


@pytest.mark.slow
def test_servers_share_pieces(settings, dashboard, run, drawings):
    start, other = (draw(dashboard, run, query, None)[1] for query in ("", "iteration=1"))
    sent, _ = draw(dashboard, run, "iteration=2", start)
    drawings.clear()
    assert draw(DashClient(create_app(settings)), run, "iteration=2", other)[0] == sent
    assert not drawings


@pytest.mark.slow
def test_another_theme_and_other_content_are_drawn(dashboard, run, drawings, upload):
    _, shown = draw(dashboard, run, "iteration=1", None)
    light, _ = draw(dashboard, run, "iteration=2", shown)
    drawings.clear()
    dark, _ = draw(dashboard, run, "iteration=2", shown, theme="dark")
    assert drawings
    assert dark["run-timeline"] != light["run-timeline"]
    drawings.clear()
    assert upload(**SETTINGS | {"clock_hz": "2e9"}).json["runs"][0]["run_id"] == run
    whole, newer = draw(dashboard, run, "iteration=2", shown)
    assert drawings
    assert newer["version"] != shown["version"]
    assert "run-pace" in {*whole} - {*light}


@pytest.mark.slow
def test_a_deleted_run_has_no_pieces(dashboard, run, drawings):
    _, shown = draw(dashboard, run, "", None)
    draw(dashboard, run, "iteration=1", shown)
    dashboard.repository.delete(run)
    body = body_of(dashboard, run, "iteration=1", shown)
    response = dashboard.http.post("/_dash-update-component", json=body)
    assert "run-timeline" not in response.text


@pytest.mark.slow
def test_a_view_that_failed_is_drawn_by_the_next_request(dashboard, settings, run, monkeypatch):
    def broken(view):
        return replace(view, draw=lambda *_: 1 / 0) if view.id == "stalls" else view

    stored = len(files_in(settings))
    with monkeypatch.context() as failing:
        failing.setitem(vars(RUN), "views", tuple(map(broken, RUN.views)))
        sent, _ = draw(dashboard, run, "iteration=1", None)
        assert FAILED in json.dumps(sent)
        assert len(files_in(settings)) == stored
    assert FAILED not in json.dumps(draw(dashboard, run, "iteration=1", None))


def test_roles_share_pieces_that_have_nothing_of_a_user(signed_in, settings, run, drawings):
    sent = [draw(signed_in(user), run, "iteration=1", None) for user in ("edgar", "quentin")]
    assert sent[0] == sent[1]
    assert set(drawings.values()) == {1}
    stored = b"".join(gzip.decompress(_body(file)) for file in files_in(settings))
    assert b"run-stalls" in stored
    assert not any(own in stored for own in (b"edgar", b"quentin", b"editor"))


def test_pieces_are_not_sent_to_whom_the_gate_refuses(signed_in, run):
    known = signed_in("edgar")
    draw(known, run, "iteration=1", None)
    body = body_of(known, run, "iteration=1", None)
    stranger = DashClient(known.app)
    response = stranger.http.post(
        "/_dash-update-component", json=body, headers={"Sec-Fetch-Site": "same-origin"}
    )
    assert response.status_code in (401, 403)
    assert b"run-stalls" not in response.data


def _body(file: Path):
    return file.read_bytes().partition(b"\n")[2]


def make_look(name, version):
    return Look({"find": ""}, json.dumps({name: {"children": version}}))


class Renderer:
    """Draws pieces, as a render process does; notes which pieces it had to draw."""

    def __init__(self, server, version, *names):
        self.server = server
        self.version = version
        self.names = names
        self.asked = []

    def __call__(self):
        known = find_known()
        self.asked.append(sorted(known))
        looks = {
            name: {FIRST: make_look(name, self.version)} if (name, FIRST) not in known else {}
            for name in self.names
        }
        drawn = (DrawnPiece(name, looks=look) for name, look in looks.items())
        text = StateDrawing(self.version, tuple(drawn)).to_text()
        body = {"multi": True, "response": {CHANGES: {"data": text}}}
        return self.server.response_class(json.dumps(body), content_type="application/json")


def respond(app, folder, renderer):
    part = DrawingPart(ResponseKey("a", frozenset()), lambda _: True)
    asked = DrawingRequest(RUN_PAGE, "", "light", None)
    with app.server.test_request_context("/"):
        response = StateDrawings(folder).respond(asked, [part], renderer)
    return json.loads(read_body(response))["response"][CHANGES]["data"]


def test_a_run_that_is_read_again_is_drawn_whole(dashboard, tmp_path):
    folder = ResponseFolder(tmp_path, 2**20)
    older = Renderer(dashboard.app.server, "1", "stalls")
    respond(dashboard.app, folder, older)
    newer = Renderer(dashboard.app.server, "2", "stalls", "sizes")
    part = ResponseKey("a", frozenset())
    # Another process added a piece without its look, so that the drawing is not whole.
    stored = StateDrawing.from_text(read_body(folder.read(part)).decode())
    more = replace(stored, pieces=(*stored.pieces, DrawnPiece("sizes")))
    folder.write(part, replace(folder.read(part), body=gzip.compress(more.to_text().encode())))
    data = respond(dashboard.app, folder, newer)
    assert newer.asked == [[("stalls", FIRST)], []]
    assert data["shown"]["version"] == "2"
    assert data["changes"] == {name: {"children": "2"} for name in ("stalls", "sizes")}


def test_a_response_without_pieces_is_returned_and_not_stored(dashboard, tmp_path):
    folder = ResponseFolder(tmp_path, 2**20)
    part = DrawingPart(ResponseKey("a", frozenset()), lambda _: True)
    refused = dashboard.app.server.response_class('{"response": {}}', 429)
    with dashboard.app.server.test_request_context("/"):
        asked = DrawingRequest(RUN_PAGE, "", "light", None)
        response = StateDrawings(folder).respond(asked, [part], lambda: refused)
    assert (response.status, response.is_cacheable) == (429, False)
    assert folder.read(part.key) is None
