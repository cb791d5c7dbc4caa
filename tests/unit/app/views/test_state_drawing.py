"""The text of a state's pieces has all of them; pieces of other versions are never mixed."""

from dataclasses import replace

import pytest

from app.views.drawn_pieces import DRAWN, FIRST, KEPT, MARKED, DrawnPiece, Look, find_changes
from app.views.registry import parse
from app.views.shown import Shown
from app.views.state_drawing import StateDrawing

READS = {"find": "", "selection.window": [3, 9]}
LOOK = Look(READS, '{"a":{"children":"µ\\n\\ud83d"}}')
GRID = DrawnPiece("grid", None, True, "columns", {DRAWN: LOOK, MARKED: Look({}, "{}")})
SIZES = DrawnPiece("sizes", "3 runs", looks={FIRST: LOOK})
DRAWING = StateDrawing("1", (GRID, DrawnPiece("strip"), SIZES))


def test_the_text_of_a_drawing_has_all_of_it():
    assert StateDrawing.from_text(DRAWING.to_text()) == DRAWING
    assert StateDrawing.from_text(StateDrawing().to_text()) == StateDrawing()
    assert DRAWING.known_forms == [("grid", DRAWN), ("grid", MARKED), ("sizes", FIRST)]


def test_forms_of_one_version_are_joined():
    newer = StateDrawing("1", (DrawnPiece("grid", has_marks=True, looks={FIRST: LOOK}), SIZES))
    grid, sizes = DRAWING.merge(newer).pieces
    assert (grid.looks.keys(), grid.key) == ({DRAWN, MARKED, FIRST}, "columns")
    assert sizes == SIZES


@pytest.mark.parametrize(
    "newer",
    [
        StateDrawing("2", (DrawnPiece("sizes", "3 runs"),)),
        StateDrawing("1", (DrawnPiece("sizes", "4 runs"),)),
    ],
)
def test_a_drawing_of_another_version_replaces_the_older_one(newer):
    assert DRAWING.merge(newer) == newer


@pytest.mark.parametrize(
    ("before", "form"),
    [
        (Shown("1", "light"), FIRST),
        (Shown("1", "light", {"strip": {}}), DRAWN),
        (Shown("1", "light", {"strip": {}}, {"grid": "other"}), DRAWN),
        (Shown("1", "light", {"strip": {}}, {"grid": "columns"}), MARKED),
    ],
)
def test_the_page_decides_the_form(before, form):
    assert GRID.choose_form(before) == form
    stays = replace(GRID, has_marks=False).choose_form(before)
    assert stays == (KEPT if form == MARKED else form)


def test_a_missing_form_is_left_out_of_the_page():
    before = Shown("1", "light", {"strip": {"find": ""}}, {}, {"sizes": "3 runs"})
    sent, after, is_whole = find_changes(DRAWING.pieces, parse(""), before)
    assert (sent, is_whole) == ([LOOK.properties], False)
    assert after.reads == {"grid": READS, "strip": {"find": ""}}
    assert after.keys == {"grid": "columns"}
