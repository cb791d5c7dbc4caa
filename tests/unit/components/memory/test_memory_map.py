from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.memory.colours import COLOURS
from components.memory.memory_map import clicked, memory_map
from components.theme import CATEGORICAL, name_color, palette
from tests.support.memory import amap, block, constant, failed, steps

NOTHING = MemorySelection()
HOSTILE = "</script><b>%{x} & $"


def shown(maps: Sequence[AttemptMap], selection: MemorySelection = NOTHING, **options: Any) -> go.Figure:
    return memory_map(maps, selection, options.pop("theme", "light"), **options).figure


def bars(figure: go.Figure) -> list[Any]:
    """The bars of blocks: not those that only stand in the legend, and no band."""
    return [trace for trace in figure.data if trace.type == "bar" and trace.hovertext is not None]


def boxes(figure: go.Figure, name: str) -> list[tuple[float, float, float, float]]:
    """Start, end, low and high of each bar whose hover says the name."""
    found = []
    for trace in bars(figure):
        for i, text in enumerate(trace.hovertext):
            if f"<b>{name}</b>" in text:
                half = trace.width[i] / 2
                found.append((trace.base[i], trace.base[i] + trace.x[i], trace.y[i] - half, trace.y[i] + half))
    return found


def trace_of(figure: go.Figure, name: str) -> Any:
    return next(trace for trace in bars(figure) if any(f"<b>{name}</b>" in text for text in trace.hovertext))


def hover(figure: go.Figure, name: str) -> str:
    trace = trace_of(figure, name)
    return next(text for text in trace.hovertext if f"<b>{name}</b>" in text)


def opacity(figure: go.Figure, name: str) -> float:
    trace = trace_of(figure, name)
    at = next(i for i, text in enumerate(trace.hovertext) if f"<b>{name}</b>" in text)
    values = trace.marker.opacity
    return round(float(1 if values is None else np.broadcast_to(values, len(trace.hovertext))[at]), 2)


def entries(figure: go.Figure) -> list[str]:
    return [trace.name for trace in figure.data if trace.name]


def notes(figure: go.Figure) -> str:
    return " | ".join(note.text for note in figure.layout.annotations)


def many(count: int) -> AttemptMap:
    return amap([block(f"b{i}", i % 50, i % 50 + 1 + i % 3, 64 * (i // 50), 64) for i in range(count)])


def test_a_block_is_a_bar_over_its_steps_and_addresses() -> None:
    figure = shown([amap([block("a", 0, 2, 0, 64), block("b", 1, 4, 64, 128)])])
    assert boxes(figure, "a") == [(0, 2, 0, 64)]
    assert boxes(figure, "b") == [(1, 4, 64, 192)]
    assert figure.layout.xaxis.range == (0, 4)


def test_a_block_that_wraps_is_two_bars_with_arrows_where_it_goes_on() -> None:
    figure = shown([amap([block("a", 3, 1, 0, 64, wraps=True)], length=4)])
    assert sorted(boxes(figure, "a")) == [(0, 1, 0, 64), (3, 4, 0, 64)]
    arrows = [trace for trace in figure.data if trace.type == "scatter"]
    assert sorted(x for trace in arrows for x in trace.x) == [0, 4]
    assert "wraps" in hover(figure, "a")


def test_a_block_that_is_held_is_one_bar_over_all_steps_with_a_strong_edge() -> None:
    figure = shown([amap([block("a", 1, 2, 0, 64, hold=True), block("b", 1, 2, 64, 64)], length=4)])
    assert boxes(figure, "a") == [(0, 4, 0, 64)]
    widths = [np.broadcast_to(trace_of(figure, name).marker.line.width, 1)[0] for name in "ab"]
    assert widths[0] > widths[1]
    assert "all steps" in hover(figure, "a")


@pytest.mark.parametrize("colour", list(COLOURS))
def test_failed_blocks_stand_above_the_capacity_in_red(colour: str) -> None:
    one = amap([block("a", 0, 2, 0, 64), failed("f", 0, 1, 32), failed("g", 0, 2, 16)], capacity=128)
    figure = shown([one], colour=colour)
    assert boxes(figure, "f") == [(0, 1, 128, 160)]
    assert boxes(figure, "g") == [(0, 2, 160, 176)]
    assert trace_of(figure, "f").marker.line.color == palette("light").trouble
    assert figure.layout.yaxis.range[1] > 176
    assert "2 failed" in notes(figure)
    assert "failed" in entries(figure)
    assert "no address" in hover(figure, "f")


def test_failed_blocks_that_were_given_a_place_stand_there() -> None:
    figure = shown([amap([failed("f", 0, 1, 32) | {"address": 300}], capacity=128)])
    assert boxes(figure, "f") == [(0, 1, 300, 332)]


def test_blocks_of_a_problem_are_dotted_and_said() -> None:
    figure = shown([amap([block("a", 0, 2, None, 64), block("b", 0, 1, None, 64)], capacity=64)])
    assert trace_of(figure, "a").marker.pattern.shape == "."
    assert "2 unplaced" in notes(figure)
    assert "not placed" in hover(figure, "a")


def test_constants_lie_in_a_hatched_band_below_the_arena() -> None:
    one = amap([constant("c", 0, 64), block("a", 0, 2, 16, 64)], static_bytes=64, capacity=256)
    figure = shown([one])
    assert boxes(figure, "c") == [(0, one.length, 0, 64)]
    assert boxes(figure, "a") == [(0, 2, 80, 144)]
    band = next(trace for trace in figure.data if trace.type == "bar" and trace.hovertext is None and trace.base)
    assert band.marker.pattern.shape == "\\"
    assert "0x10 – 0x50" in hover(figure, "a")
    ticks = dict(zip(figure.layout.yaxis.ticktext, figure.layout.yaxis.tickvals, strict=True))
    assert ticks["0x0"] == 64
    assert "static" in notes(figure)


def test_a_band_much_larger_than_the_arena_leaves_it_room() -> None:
    figure = shown([amap([constant("c", 0, 10**6), block("a", 0, 2, 0, 100)], static_bytes=10**6, capacity=2 * 10**6)])
    low, high = figure.layout.yaxis.range
    assert 100 / (high - low) > 0.5


def test_a_level_of_constants_only_shows_them() -> None:
    figure = shown([amap([constant("c", 0, 64), constant("d", 64, 64)], static_bytes=128, capacity=10**6)])
    assert boxes(figure, "d")[0][2:] == (64, 128)
    low, high = figure.layout.yaxis.range
    assert low <= 0
    assert 128 <= high < 1000


def test_a_capacity_far_above_stays_out_of_view_and_is_named() -> None:
    near, far = (shown([amap([block("a", 0, 1, 0, 100)], capacity=size)]) for size in (150, 10**6))
    assert near.layout.yaxis.range[1] > 150
    assert far.layout.yaxis.range[1] < 200
    assert "↑ capacity" in notes(far)
    assert [line.y0 for line in near.layout.shapes if line.line.dash == "dash"] == [150]


def test_banks_have_lines_and_as_many_labels_as_fit() -> None:
    few = shown([amap([block("a", 0, 1, 0, 200)], capacity=256, banks=4, bank_bytes=64)])
    assert all(f"bank {bank}" in notes(few) for bank in range(4))
    (path,) = [shape.path for shape in few.layout.shapes if shape.type == "path"]
    assert path.count("M") == 5
    many_banks = shown([amap([block("a", 0, 1, 0, 4096)], capacity=4096, banks=64, bank_bytes=64)])
    assert notes(many_banks).count("bank ") <= 32


@pytest.mark.parametrize("banks", [65, 10**9])
def test_too_many_banks_are_not_drawn(banks: int) -> None:
    figure = shown([amap([block("a", 0, 1, 0, 64 * 60)], capacity=64 * 65, banks=banks, bank_bytes=64)])
    assert "bank" not in notes(figure)


def test_what_shares_storage_is_flatter_and_comes_last() -> None:
    rows = [block("a", 0, 2, 0, 64), block("s", 0, 2, 0, 64, status="shared", alias_of=0)]
    figure = shown([amap(rows)])
    assert boxes(figure, "s") == [(0, 2, 16, 48)]
    assert "lies in the storage of a" in hover(figure, "s")
    assert bars(figure)[-1] is trace_of(figure, "s")


def test_the_hover_says_all_about_a_block() -> None:
    rows = [block("conv_out", 0, 3, 0x8000, 7168, op_type="tpu.Conv2D", kind="activation", dtype="int8")]
    text = hover(shown([amap(rows, capacity=65536, banks=4, bank_bytes=16384)]), "conv_out")
    for part in (
        "tpu.Conv2D · activation · int8",
        "0x8000 – 0x9c00 · bank 2",
        "32\u2009768 – 39\u2009936",
        "steps 0 – 2",
    ):
        assert part in text
    assert "7.00\u2009KiB = 7\u2009168\u2009B" in text


def test_a_block_over_several_banks_names_them() -> None:
    text = hover(shown([amap([block("a", 0, 1, 32, 100)], capacity=256, banks=4, bank_bytes=64)]), "a")
    assert "banks 0 – 2" in text


def test_kinds_have_patterns_and_the_legend_says_which() -> None:
    rows = [block(kind, 0, 2, 64 * i, 64, kind=kind) for i, kind in enumerate(("activation", "weight", "operation"))]
    figure = shown([amap(rows)])
    shapes = {kind: trace_of(figure, kind).marker.pattern.shape for kind in ("activation", "weight", "operation")}
    assert shapes == {"activation": None, "weight": "/", "operation": "x"}
    assert entries(figure) == ["weight", "operation"]


def test_the_same_name_has_the_same_colour_as_everywhere() -> None:
    figure = shown([amap([block("conv_1", 0, 2, 0)])])
    assert trace_of(figure, "conv_1").marker.color == name_color("conv_1")
    assert shown([amap([block("conv_1", 0, 2, 0)])], colour="nonsense").data[0].marker.color == name_color("conv_1")


@pytest.mark.parametrize(
    ("colour", "names"),
    [
        ("kind", {"weight", "activation"}),
        ("op_type", {"tpu.Add", "no operator known"}),
        ("status", {"placed", "shared"}),
    ],
)
def test_colours_that_stand_for_words_are_in_the_legend(colour: str, names: set[str]) -> None:
    rows = [
        block("a", 0, 1, 0, kind="weight", op_type="tpu.Add"),
        block("b", 0, 1, 0, status="shared", alias_of=0),
    ]
    figure = shown([amap(rows)], colour=colour)
    assert set(entries(figure)) == names
    colours = {trace.name: trace.marker.color for trace in figure.data if trace.name}
    assert set(colours.values()) == {trace.marker.color for trace in bars(figure)}


def test_the_legend_has_no_more_entries_than_can_be_read() -> None:
    rows = [block(f"b{i}", 0, 1, 64 * i, op_type=f"op{i}") for i in range(40)]
    assert len(entries(shown([amap(rows)], colour="op_type"))) == 12


@pytest.mark.parametrize(("colour", "words"), [("size", "size 64"), ("lifetime", "lifetime 1")])
def test_numbers_as_colours_have_a_scale(colour: str, words: str) -> None:
    figure = shown([amap([block("a", 0, 1, 0, 64), block("b", 0, 5, 64, 4096 * 64)])], colour=colour)
    assert words in figure.layout.legend.title.text
    assert trace_of(figure, "a").marker.color != trace_of(figure, "b").marker.color
    assert ("logarithmic" in figure.layout.legend.title.text) == (colour == "size")


def test_one_size_only_has_a_colour_too() -> None:
    figure = shown([amap([block("a", 0, 1, 0), block("b", 0, 1, 64)])], colour="size")
    assert trace_of(figure, "a").marker.color == trace_of(figure, "b").marker.color


@pytest.mark.parametrize(("search", "lit"), [("CONV", "ab"), ("conv2", "b"), ("tpu.add", "c"), ("nothing", "")])
def test_a_search_lets_the_rest_fade(search: str, lit: str) -> None:
    rows = [block("a conv1", 0, 2, 0), block("b conv2", 0, 2, 64), block("c", 0, 2, 128, op_type="tpu.Add")]
    view = memory_map([amap(rows)], NOTHING, "light", search=search)
    faded = {name: opacity(view.figure, name) for name in ("a conv1", "b conv2", "c")}
    assert {name[0] for name, value in faded.items() if value == 1} == set(lit)
    assert view.line.startswith(f"{len(lit)} of 3 blocks match")


def test_the_selected_block_is_outlined_and_the_rest_fades() -> None:
    one = amap([block("a", 0, 2, 0), block("b", 0, 2, 64)])
    figure = shown([one], MemorySelection(attempt=0, block=1))
    assert (opacity(figure, "a"), opacity(figure, "b")) == (0.33, 1)
    (outline,) = [trace for trace in figure.data if trace.type == "bar" and trace.marker.color == "rgba(0,0,0,0)"]
    assert outline.marker.line.width > 2
    assert (outline.y[0], outline.width[0]) == (96, 64)
    assert outline.hoverinfo == "skip"


def test_a_selected_block_is_outlined_where_it_is_merged_with_others() -> None:
    figure = shown([many(2000)], MemorySelection(attempt=0, block=1999), budget=100)
    outlines = [trace for trace in figure.data if trace.type == "bar" and trace.marker.color == "rgba(0,0,0,0)"]
    assert len(outlines) == 1
    assert (outlines[0].base[0], outlines[0].y[0]) == (49, 64 * 39 + 32)


def test_what_was_found_has_a_bar_of_its_own_in_the_largest_map() -> None:
    view = memory_map([many(2000)], NOTHING, "light", search="b1999", budget=100)
    assert boxes(view.figure, "b1999") == [(49, 51, 64 * 39, 64 * 40)]
    assert sum(len(trace.base) for trace in bars(view.figure)) <= 100
    assert view.line.startswith("1 of 2\u2009000 blocks match")


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
        [block("a", 0, 2, 0), block("b", 0, 2, 32, 64), block("c", 0, 2, 128)], capacity=256, banks=4, bank_bytes=64
    )
    figure = shown([one], MemorySelection(attempt=0, bank=1))
    assert [opacity(figure, name) for name in "abc"] == [0.33, 1, 0.33]
    assert any((shape.y0, shape.y1) == (64, 128) for shape in figure.layout.shapes)


def test_levels_lie_under_each_other_on_one_axis() -> None:
    maps = [level("L3", 0), level("L2", 1), level("L1", 2, rows=[])]
    figure = shown(maps)
    domains = [figure.layout[name].domain for name in ("yaxis", "yaxis2", "yaxis3")]
    assert domains[0][0] > domains[1][1] > domains[1][0] > domains[2][1]
    assert {trace.yaxis for trace in bars(figure)} == {"y", "y2"}
    assert figure.layout.xaxis.anchor == "y3"
    text = notes(figure)
    assert "<b>L2</b> · 192 of 1\u20090" not in text
    assert "<b>L2</b> · 128 of 1\u2009024 B · 12.5\u2009%" in text
    assert "<b>L1</b> · nothing lies here" in text
    assert figure.layout.yaxis.fixedrange


def level(name: str, number: int, rows: list[dict[str, Any]] | None = None, plan: str = "outer") -> AttemptMap:
    given = [block("x", 0, 2, 0, plan=plan), block("y", 1, 3, 64, plan=plan)] if rows is None else rows
    named = [row | {"attempt": number, "level": name} for row in given]
    columns = {"attempt": number, "level": name, "capacity": 1024, "length": 4}
    return amap(named, steps=steps(["conv", "relu", "add", "out"]), **columns)


def test_a_selected_block_lights_its_namesakes_in_other_levels() -> None:
    figure = shown([level("L3", 0), level("L2", 1)], MemorySelection(attempt=0, block=0))
    lit = {
        (trace.yaxis, text[3:4]): opacity_at(trace, i)
        for trace in bars(figure)
        for i, text in enumerate(trace.hovertext)
    }
    assert lit == {("y", "x"): 1, ("y2", "x"): 1, ("y", "y"): 0.33, ("y2", "y"): 0.33}


def opacity_at(trace: Any, at: int) -> float:
    return round(float(np.broadcast_to(trace.marker.opacity, len(trace.hovertext))[at]), 2)


def test_inner_and_outer_plans_are_told_apart() -> None:
    outer, inner = (shown([level("L2", 0, plan=plan), level("L1", 1, plan=plan)]) for plan in ("outer", "inner"))
    assert "outer plan" in notes(outer)
    assert "inner plan" in notes(inner)
    assert len(inner.layout.shapes) == len(outer.layout.shapes) + 2


def test_operators_name_the_steps_of_levels() -> None:
    figure = shown([level("L2", 0), level("L1", 1)])
    assert figure.layout.xaxis.ticktext == ("conv 0", "relu 1", "add 2", "out 3")


def test_names_are_written_where_there_is_room() -> None:
    rows = [block("a_rather_long_name_of_a_tensor", 0, 60, 0, 640), block("narrow", 0, 1, 640, 640)]
    figure = shown([amap([*rows, block("flat", 0, 60, 1280, 1)])])
    texts = [text for trace in bars(figure) if trace.text is not None for text in np.atleast_1d(trace.text) if text]
    assert texts == ["a_rather_long_name_of_a_tensor"]


def test_a_name_is_not_cut_by_the_edge_of_the_view() -> None:
    one = amap([block("name", 0, 9, 0, 1000)])
    half = shown([one], MemorySelection(addresses=(498, 900)))
    assert all(trace.text is None for trace in bars(half))


def test_few_blocks_are_each_drawn() -> None:
    view = memory_map([amap([block("a", 0, 2, 0)])], NOTHING, "light")
    assert view.line == "1 block in view, each drawn."


@pytest.mark.parametrize("budget", [60, 400])
def test_large_maps_stay_within_the_budget_and_say_so(budget: int) -> None:
    view = memory_map([many(3000)], NOTHING, "light", budget=budget)
    assert sum(len(trace.base) for trace in bars(view.figure)) <= budget
    assert "bars for 3\u2009000 blocks" in view.line
    merged = [text for trace in bars(view.figure) for text in trace.hovertext if "merged" in text]
    assert merged
    assert "zoom in" in merged[0]


def test_levels_share_the_budget() -> None:
    rows = [block(f"b{i}", i % 50, i % 50 + 1, 64 * (i // 50), 64) for i in range(1500)]
    maps = [level("L2", 0, rows), level("L1", 1, rows)]
    figure = memory_map(maps, NOTHING, "light", budget=300).figure
    assert sum(len(trace.base) for trace in bars(figure)) <= 300


def test_the_window_is_what_is_drawn() -> None:
    one = amap([block("a", 0, 2, 0), block("b", 8, 9, 64)])
    view = memory_map([one], MemorySelection(attempt=0, span=(0, 4), addresses=(0, 32)), "light")
    assert view.figure.layout.xaxis.range == (0, 4)
    assert view.figure.layout.yaxis.range == (0, 32)
    assert not boxes(view.figure, "b")
    assert view.line == "1 block in view, each drawn."


def test_another_window_is_another_revision() -> None:
    one = amap([block("a", 0, 4, 0)])
    chosen = (NOTHING, MemorySelection(span=(0, 2)), MemorySelection(addresses=(0, 9)), MemorySelection(step=1))
    revisions = [shown([one], selection).layout.uirevision for selection in chosen]
    assert len(set(revisions[:3])) == 3
    assert revisions[0] == revisions[3]


def test_nothing_to_draw_is_said_in_a_sentence() -> None:
    for maps in ([], [amap([])], [level("L2", 0, []), level("L1", 1, [])]):
        view = memory_map(maps, NOTHING, "light")
        assert len(view.figure.data) == 0
        assert view.figure.layout.annotations[0].text == view.line
        assert view.line.endswith(".")


def test_addresses_beyond_32_bits_are_exact() -> None:
    figure = shown([amap([block("a", 0, 1, 2**40, 2**20)])])
    assert boxes(figure, "a") == [(0, 1, 2**40, 2**40 + 2**20)]
    assert "0x10000000000 – 0x10000100000" in hover(figure, "a")


@pytest.mark.parametrize("address", [0, 2**62])
def test_the_largest_numbers_there_are_do_no_harm(address: int) -> None:
    figure = shown([amap([block("a", 0, 1, address, 2**61)], capacity=2**62)], colour="size")
    assert len(bars(figure)) == 1


def test_blocks_without_bytes_do_no_harm() -> None:
    one = amap([block("a", 0, 1, 0, 0), failed("f", 0, 1, 0)], capacity=0)
    assert json.loads(shown([one], colour="size").to_json())["data"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("colour", list(COLOURS))
def test_hostile_names_reach_no_markup_and_no_template(theme: str, colour: str) -> None:
    row = block(HOSTILE, 0, 9, 0, 640, op_type=HOSTILE, dtype=HOSTILE, level=HOSTILE)
    one = amap([row, row | {"status": "shared", "alias_of": 0}], steps=steps([HOSTILE] * 9), level=HOSTILE)
    figure = json.loads(shown([one, one], theme=theme, colour=colour).to_json())
    del figure["layout"]["template"]
    for trace in figure["data"]:
        trace.pop("customdata", None)
    text = json.dumps(figure)
    assert "</script" not in text
    assert "%{x} &" not in text


def test_what_a_click_tells_is_attempt_and_block() -> None:
    figure = json.loads(shown([amap([block("a", 0, 2, 0), block("b", 0, 2, 64)])]).to_json())
    assert sorted(point for trace in figure["data"] for point in trace.get("customdata", [])) == [[0, 0], [0, 1]]
    assert clicked({"points": [{"customdata": [3, 7]}]}) == {"attempt": 3, "block": 7}


@pytest.mark.parametrize("click", [None, {}, {"points": [{}]}, {"points": [{"customdata": [3, None]}]}])
def test_a_click_beside_blocks_selects_nothing(click: dict[str, Any] | None) -> None:
    assert clicked(click) == {}


def test_unknown_kinds_look_like_something() -> None:
    figure = shown([amap([block("a", 0, 2, 0, kind="mystery")])], colour="kind")
    assert trace_of(figure, "a").marker.color not in CATEGORICAL
