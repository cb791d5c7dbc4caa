import json
from typing import Any

import pytest

from analysis.memory.selection import MemorySelection
from components.memory.memory_map import memory_map, parse_click
from tests.support.map_figure import NOTHING, bars, boxes, level, many, opacity, opacity_at, shown
from tests.support.memory import amap, block
from tests.support.numbers_in_text import numbers_in


@pytest.mark.parametrize(
    ("search", "lit"), [("CONV", "ab"), ("conv2", "b"), ("tpu.add", "c"), ("nothing", "")]
)
def test_a_search_lets_the_rest_fade(search: str, lit: str) -> None:
    rows = [
        block("a conv1", 0, 2, 0),
        block("b conv2", 0, 2, 64),
        block("c", 0, 2, 128, op_type="tpu.Add"),
    ]
    view = memory_map([amap(rows)], NOTHING, "light", search=search)
    faded = {name: opacity(view.figure, name) for name in ("a conv1", "b conv2", "c")}
    assert {name[0] for name, value in faded.items() if value == 1} == set(lit)
    assert view.line.startswith(f"{len(lit)} of 3 blocks match")


def test_the_selected_block_is_outlined_and_the_rest_fades() -> None:
    one = amap([block("a", 0, 2, 0), block("b", 0, 2, 64)])
    figure = shown([one], MemorySelection(attempt=0, block=1))
    assert (opacity(figure, "a"), opacity(figure, "b")) == (0.33, 1)
    (outline,) = [
        trace
        for trace in figure.data
        if trace.type == "bar" and trace.marker.color == "rgba(0,0,0,0)"
    ]
    assert outline.marker.line.width > 2
    assert (outline.y[0], outline.width[0]) == (96, 64)
    assert outline.hoverinfo == "skip"


def test_a_selected_block_is_outlined_where_it_is_merged_with_others() -> None:
    figure = shown([many(2000)], MemorySelection(attempt=0, block=1999), budget=100)
    outlines = [
        trace
        for trace in figure.data
        if trace.type == "bar" and trace.marker.color == "rgba(0,0,0,0)"
    ]
    assert len(outlines) == 1
    assert (outlines[0].base[0], outlines[0].y[0]) == (49, 64 * 39 + 32)


def test_what_was_found_has_a_bar_of_its_own_in_the_largest_map() -> None:
    view = memory_map([many(2000)], NOTHING, "light", search="b1999", budget=100)
    assert boxes(view.figure, "b1999") == [(49, 51, 64 * 39, 64 * 40)]
    assert sum(len(trace.base) for trace in bars(view.figure)) <= 100
    assert view.line.startswith("1 of 2\u202f000 blocks match")


@pytest.mark.parametrize("selection", [NOTHING, MemorySelection(attempt=0, block=3)])
def test_what_fits_is_not_merged_because_of_what_stands_out(selection: MemorySelection) -> None:
    view = memory_map([many(200)], selection, "light", search="b1")
    assert "each drawn" in view.line


def test_a_search_that_finds_too_much_to_outline_stays_within_the_budget() -> None:
    view = memory_map([many(2000)], NOTHING, "light", search="b", budget=100)
    assert sum(len(trace.base) for trace in bars(view.figure)) <= 100


def test_a_block_that_does_not_exist_selects_nothing() -> None:
    figure = shown([amap([block("a", 0, 2, 0)])], MemorySelection(attempt=0, block=99))
    assert opacity(figure, "a") == 1


def test_a_selected_bank_keeps_the_blocks_that_touch_it() -> None:
    one = amap(
        [block("a", 0, 2, 0), block("b", 0, 2, 32, 64), block("c", 0, 2, 128)],
        capacity=256,
        banks=4,
        bank_bytes=64,
    )
    figure = shown([one], MemorySelection(attempt=0, bank=1))
    assert [opacity(figure, name) for name in "abc"] == [0.33, 1, 0.33]
    assert any((shape.y0, shape.y1) == (64, 128) for shape in figure.layout.shapes)


@pytest.mark.slow
def test_a_selected_block_lights_its_namesakes_in_other_levels() -> None:
    figure = shown([level("L3", 0), level("L2", 1)], MemorySelection(attempt=0, block=0))
    lit = {
        (trace.yaxis, text[3:4]): opacity_at(trace, i)
        for trace in bars(figure)
        for i, text in enumerate(trace.hovertext)
    }
    assert lit == {("y", "x"): 1, ("y2", "x"): 1, ("y", "y"): 0.33, ("y2", "y"): 0.33}


def test_what_a_click_tells_is_attempt_and_block() -> None:
    figure = json.loads(shown([amap([block("a", 0, 2, 0), block("b", 0, 2, 64)])]).to_json())
    assert sorted(point for trace in figure["data"] for point in trace.get("customdata", [])) == [
        [0, 0],
        [0, 1],
    ]
    assert parse_click({"points": [{"customdata": [3, 7]}]}) == {"attempt": 3, "block": 7}


@pytest.mark.parametrize(
    "click", [None, {}, {"points": [{}]}, {"points": [{"customdata": [3, None]}]}]
)
def test_a_click_beside_blocks_selects_nothing(click: dict[str, Any] | None) -> None:
    assert parse_click(click) == {}


@pytest.mark.parametrize("window", [{"span": (0, 2)}, {"addresses": (0, 64)}])
def test_what_is_selected_out_of_view_counts_for_nothing(window: dict[str, Any]) -> None:
    rows = [block("here", 0, 2, 0), block("later above", 2, 4, 1024)]
    view = memory_map([amap(rows)], MemorySelection(attempt=0, block=1, **window), "light")
    assert numbers_in(view.line) == ["1"]
