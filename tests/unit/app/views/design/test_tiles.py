"""Tiles of a design on the page: floor plan, memory of a tile, and the selection they share."""

import numpy as np
import pandas as pd
import pytest

from analysis.aie.design.tile_use import USE_METRICS
from app.views.design.floorplan import FLOORPLAN_OF_CAPTURE, FLOORPLAN_OF_DESIGN, tile_clicked
from app.views.design.place import choose_tile, displayed_tile, selected_tile
from app.views.design.tile_memory import (
    TILE_BANKS,
    TILE_MAP,
    selected_map,
    shown_tile_map,
    tile_banks_panel,
    tile_map_panel,
)
from app.views.registry import RUN, parse
from app.views.state import RunState
from components.design.captions import use_caption
from tests.support.numbers_in_text import first_value, numbers_in

FIRST, SECOND = "core 2,0", "core 3,0"


def point(*custom):
    return {"points": [{"customdata": [*custom]}]}


def test_tiles_with_equal_use_are_not_ranked():
    tiles = pd.DataFrame({"track": [FIRST, SECOND], "memory_use": [0.2656, 0.2657]})
    use = USE_METRICS["memory_use"]
    assert SECOND not in use_caption(tiles, use) and "26.6" in use_caption(tiles, use)
    assert SECOND in use_caption(tiles.assign(memory_use=[0.2, 0.3]), use)


def cells(panel):
    """Return tile -> text of its cell, of all traces."""
    return {
        row[0]: text
        for trace in panel.figure.data
        if trace.type == "bar"
        for row, text in zip(trace.customdata, trace.text, strict=True)
    }


def test_without_a_selection_the_memory_with_most_stalls_is_shown(capture, plan):
    assert displayed_tile(capture, RunState()) == FIRST
    assert selected_tile(capture, RunState()) is None
    assert displayed_tile(plan, RunState()) == FIRST


@pytest.mark.parametrize("unit", [SECOND, "mem 3,0"])
def test_the_memory_follows_the_selected_unit(capture, unit):
    state = RunState().selecting(track=unit)
    blocks = shown_tile_map(capture, state).blocks
    own = capture.design.frames["design_buffers"]
    own = own[own["tile"] == SECOND]
    assert blocks["name"].tolist() == own["name"].tolist()
    assert blocks["address"].tolist() == own["address"].tolist()
    assert blocks["size"].tolist() == own["bytes"].tolist()


@pytest.mark.parametrize("panel", [tile_map_panel, tile_banks_panel])
def test_a_map_of_a_tile_has_no_axis_of_steps(capture, panel):
    axis = panel(capture, RunState(), "light").figure.layout.xaxis
    assert axis.title.text == ""
    assert not axis.showticklabels


def test_a_tile_without_a_memory_is_a_sentence(capture):
    state = RunState().selecting(track="shim 0,0")
    for view in (TILE_MAP, TILE_BANKS):
        panel = view.draw(capture, state, "light")
        assert not panel.figure.has_traces
        assert panel.caption.startswith("shim 0,0")


def test_the_banks_are_those_of_the_command(capture):
    panel = tile_banks_panel(capture, RunState().remembering(attempt=0, bank=1), "light")
    row = next(row for row in capture.design.mapping["tiles"] if row["tile"] == FIRST)
    share = 100 * row["bank_bytes"][1] / (row["memory"] // 4)
    assert share == 25
    assert numbers_in(panel.caption)[:2] == ["1", "25.0 %"]


@pytest.mark.slow
def test_a_click_selects_a_buffer_of_the_displayed_tile(capture):
    state = RunState().selecting(track=SECOND)
    number = shown_tile_map(capture, state).number
    clicked = TILE_MAP.on_click(state, capture, point(number, 2))
    assert (clicked.memory.attempt, clicked.memory.block) == (number, 2)
    assert selected_map(capture, clicked).number == number
    again = TILE_MAP.on_click(clicked, capture, point(number, 2))
    assert again.memory.block is None
    name = shown_tile_map(capture, state).blocks["name"][2]
    panel = tile_map_panel(capture, clicked, "light")
    assert name in panel.line
    assert f"{SECOND} S2MM 0" in panel.line or f"{SECOND} MM2S 0" in panel.line


def test_another_tile_clears_the_buffer(capture):
    state = parse("attempt=0&block=2&bank=1")
    moved = choose_tile(capture, state, SECOND)
    assert moved.selection.track == SECOND
    assert (moved.memory.block, moved.memory.bank) == (None, None)
    assert choose_tile(capture, moved, SECOND).selection.track is None


def test_a_design_alone_selects_the_memory_of_a_tile(plan):
    chosen = tile_clicked(RunState(), plan, point(SECOND))
    assert chosen.selection.track is None
    assert selected_tile(plan, chosen) == SECOND
    assert plan.memory.shown_map(chosen.memory, "placed").label == SECOND
    assert len(plan.memory.maps(chosen.memory, "placed")) == 1
    assert tile_clicked(chosen, plan, point(SECOND)).memory.attempt is None
    shim = tile_clicked(chosen, plan, point("shim 0,0"))
    assert selected_tile(plan, shim) == "shim 0,0"


@pytest.mark.parametrize(("name", "key"), [("memory_use", "bytes"), ("bank_use", "bank_bytes")])
def test_the_floor_plan_shows_the_use_of_memories(capture, plan, name, key):
    for data, panel in (
        (capture, FLOORPLAN_OF_CAPTURE.draw(capture, parse(f"tile_metric={name}"), "light")),
        (plan, FLOORPLAN_OF_DESIGN.draw(plan, parse(f"tile_use={name}"), "light")),
    ):
        rows = {row["tile"]: row for row in data.design.mapping["tiles"]}
        drawn = cells(panel)
        assert {FIRST, SECOND, "shim 0,0"} == set(drawn)
        for tile in (FIRST, SECOND):
            row = rows[tile]
            used = row[key] if key == "bytes" else max(row[key]) * len(row[key])
            share = 100 * used / row["memory"]
            assert np.isclose(first_value(drawn[tile]), share, atol=0.06)


def test_the_floor_plan_shows_lock_stalls_in_the_window(capture):
    state = parse("tile_metric=lock_wait")
    whole = cells(FLOORPLAN_OF_CAPTURE.draw(capture, state, "light"))
    cycles = capture.design.locks(SECOND).waits.cycles
    assert first_value(whole[SECOND]) == cycles
    part = cells(FLOORPLAN_OF_CAPTURE.draw(capture, state.selecting(window=(0, 5_000)), "light"))
    assert 0 < first_value(part[SECOND]) < cycles / 4


def test_each_run_with_a_design_has_one_floor_plan(capture, plan):
    for data in (capture, plan):
        ids = [view.id for view in RUN.available_views(data)]
        assert ids.count("floorplan") == ids.count("designgraph") == 1
