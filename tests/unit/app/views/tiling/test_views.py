"""The views of tilings: what they show, what a click selects, and what another capacity changes."""

import re

import pytest

from app.config.settings import Settings
from app.views.registry import RUN, parse
from app.views.state import RunState
from app.views.tiling.array import sizes_panel, sizes_tables
from app.views.tiling.buffers import switch_buffering
from app.views.tiling.operators import choices_panel
from app.views.tiling.selection import TilingSelection
from app.views.tiling.shown import operator_listed, shown_operator
from ingest.files import ingest
from services.run.capabilities import Capability
from services.run.data_cache import RunDataCache
from tests.support.components import words
from tests.support.sentences import COUNT, number_faults, plain
from tests.support.tilings import write_tiled

BLANK = RunState()


@pytest.fixture(scope="module")
def tiled(tmp_path_factory):
    """A Deeploy run with a GEMM in two tiles, beside an operator without rules."""
    folder = tmp_path_factory.mktemp("tiled")
    repository = Settings(data=folder / "data").repository()
    run = ingest(repository, [write_tiled(folder / "run")], {}).runs[0]
    return RunDataCache(repository).get(run.run_id, "robust", {})


def traces(panel):
    return {trace.name: trace for trace in panel.figure.data}


def test_operators_are_listed_and_the_shown_one_is_marked(tiled):
    view = RUN.find_content_view(tiled, "tiling")
    part = view.make(tiled, BLANK)
    rows = part.body.rowData
    assert [(row["op"], row["tiles"], row["tile"]) for row in rows] == [
        ("Relu", 1, "–"),
        ("RequantizedGemm", 2, "M 16 × O 96"),
    ]
    assert "1 of 2 operators" in part.caption
    assert shown_operator(tiled, BLANK) == 1
    options, scroll = view.grid.marks(tiled, BLANK)
    assert "'1'" in options["rowClassRules"]["ts-row-shown"] and scroll["rowId"] == "1"
    assert len(view.tables(tiled, BLANK)[0].rows) == 2


def test_a_click_on_a_row_selects_and_again_clears(tiled):
    state = operator_listed(BLANK, tiled, 0)
    assert state.query() == "operator=0" and parse("operator=0") == state
    assert operator_listed(state, tiled, 0) == BLANK
    assert operator_listed(BLANK, tiled, 9) == BLANK
    assert shown_operator(tiled, parse("operator=9")) == 1


def test_every_choice_is_a_point_and_the_tools_own_is_marked(tiled):
    panel = choices_panel(tiled, BLANK, "light")
    found = traces(panel)
    assert (found["as chosen"].x[0], found["as chosen"].y[0]) == (9_472, 13_312)
    assert set(found["fits"].x) and max(found["fits"].x) <= 10_000 < min(found["too large"].x)
    assert panel.caption.startswith("gemm holds 9.25")
    assert {text.count("<br>") for text in found["fits"].text} == {2}
    assert found["as chosen"].text[0].count("<br>") == 3
    assert "A 1×16×64" in panel.line and "B 96×64" in panel.line
    assert [shape.x0 for shape in panel.figure.layout.shapes] == [10_000]


def test_another_capacity_moves_the_line_and_says_what_becomes_possible(tiled):
    panel = choices_panel(tiled, parse("l1=16"), "dark")
    assert [shape.x0 for shape in panel.figure.layout.shapes] == [10_000, 16_384]
    assert "too large" not in traces(panel)
    assert "less" in panel.caption
    assert counted(panel.caption) == between(tiled, 10_000, 16_384)
    less = choices_panel(tiled, parse("l1=5"), "dark")
    assert counted(less.caption) == between(tiled, 5 * 1024, 10_000)
    none = choices_panel(tiled, parse("l1=0.1"), "dark")
    assert counted(none.caption) == between(tiled, 102, 10_000)
    for caption in (panel.caption, less.caption, none.caption):
        assert not number_faults(caption)


def between(tiled, low, high):
    """Count the choices whose bytes, with the constants, fit into the higher capacity only."""
    number = shown_operator(tiled, BLANK)
    choices, _ = tiled.tiling.choices(number, ())
    static = tiled.tiling.tiled_operators[number].operator.static
    return sum(low < choice.bytes + static <= high for choice in choices)


def counted(caption):
    """Read the number of choices from the last sentence of a caption."""
    return int(re.search(rf"{COUNT} (?:more )?choices?", plain(caption))[1])


def test_an_operand_held_once_or_twice_changes_what_is_held_and_not_what_is_moved(tiled):
    view = RUN.find_content_view(tiled, "buffers")
    stored = choices_panel(tiled, BLANK, "light")
    assert "A" in words(view.make(tiled, BLANK).body)
    state = switch_buffering(BLANK, tiled, {"operand": "A", "copies": 2})
    assert state.query() == "operator=1&buffers=A-2" and parse(state.query()) == state
    tried = choices_panel(tiled, state, "light")
    before, after = traces(stored)["as chosen"], traces(tried)["as chosen"]
    assert after.x[0] - before.x[0] == 16 * 64 and after.y[0] == before.y[0]
    assert (
        "in place of 1" in words(view.make(tiled, state).body)
        and "would hold" in view.make(tiled, state).caption
    )
    assert (
        switch_buffering(state, tiled, {"operand": "A", "copies": 1})
        .selected(TilingSelection)
        .buffers
        == ()
    )
    assert operator_listed(state, tiled, 0).selected(TilingSelection).buffers == ()
    for named in ({"operand": "nothing", "copies": 2}, {"operand": "A", "copies": 3}):
        assert switch_buffering(BLANK, tiled, named) == BLANK


@pytest.mark.parametrize("text", ["A-3", "A", "-1", "A-1-2", "<b>-1"])
def test_buffers_that_are_none_are_passed_over(text):
    assert parse(f"buffers={text}") == BLANK


def test_an_operator_without_rules_says_so(tiled):
    panel = choices_panel(tiled, parse("operator=0"), "light")
    assert not panel.figure.data
    assert panel.caption


def test_best_choices_are_in_the_snapshot(tiled):
    (table,) = RUN.find_plot(tiled, "choices").tables(tiled, BLANK)
    assert "M 16 × O 96" in {row[0] for row in table.rows}


def test_a_capture_has_its_tile_among_those_possible(sample_runs):
    capture = next(
        data for data in sample_runs if data.can(Capability.TILING, Capability.ITERATIONS)
    )
    panel = sizes_panel(capture, BLANK, "light")
    found = traces(panel)
    assert len(found["as measured"].x) == 1 and "operations per byte" in panel.caption
    over = sizes_panel(capture, parse("over=intensity"), "dark")
    own = capture.tiling.array().own
    assert traces(over)["as measured"].y[0] == own.intensity
    tried = sizes_panel(capture, parse("l1=1"), "light")
    assert "No tile fits" in tried.caption and len(tried.figure.layout.shapes) == 2
    assert RUN.find_plot(capture, "choices").tables(capture, BLANK)[0].rows


def test_a_capture_whose_gemm_is_not_known_has_no_view_and_no_points(capture):
    assert RUN.find_plot(capture, "choices") is None
    assert (
        not sizes_panel(capture, BLANK, "light").figure.data and sizes_tables(capture, BLANK) == []
    )


def test_only_runs_with_tiles_have_the_views(sample_runs):
    have = {
        str(data.run["source"].iloc[0]) for data in sample_runs if RUN.find_plot(data, "choices")
    }
    assert have == {"aie", "deeploy"}


@pytest.mark.parametrize("text", ["", "-1", "0", "nan", "1e9", "x", "9999999"])
def test_a_capacity_that_is_none_is_passed_over(text):
    assert parse(f"l1={text}") == BLANK
    assert parse("l1=16.50").selected(TilingSelection).l1 == "16.5"
    assert parse("l1=123456.789").selected(TilingSelection).l1 == "123456.789"
    assert parse("l1=999999.9").selected(TilingSelection).l1 == "999999.9"
    assert parse("buffers=data_in-1") == BLANK, "whose they are is not said"
