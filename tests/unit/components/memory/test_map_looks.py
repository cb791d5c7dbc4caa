import json
import re

import numpy as np
import pytest

from analysis.memory.selection import MemorySelection
from components.memory.colours import COLOURS
from components.theme import CATEGORICAL, name_color
from tests.support.map_figure import bars, boxes, entries, hover, level, shown, trace_of
from tests.support.memory import amap, block, steps

HOSTILE = "</script><b>%{x} & $"


def test_what_shares_storage_is_flatter_and_comes_last() -> None:
    rows = [block("a", 0, 2, 0, 64), block("s", 0, 2, 0, 64, status="shared", alias_of=0)]
    figure = shown([amap(rows)])
    assert boxes(figure, "s") == [(0, 2, 16, 48)]
    assert re.search(r"storage of a\b", hover(figure, "s"))
    assert bars(figure)[-1] is trace_of(figure, "s")


def test_shared_storage_looks_taken_after_its_owner_has_ended() -> None:
    rows = [block("a", 0, 2, 0, 64), block("s", 1, 4, 0, 64, status="shared", alias_of=0)]
    drawn = [trace for trace in shown([amap(rows)]).data if trace.type == "bar"]
    under, owner, *_ = [trace for trace in drawn if trace.base is not None and len(trace.x)]
    assert (under.base[0], under.x[0], under.width[0], under.y[0]) == (1, 3, 64, 32)
    assert (under.hoverinfo, owner.base[0], owner.x[0]) == ("skip", 0, 2)


def test_the_hover_says_all_about_a_block() -> None:
    rows = [
        block("conv_out", 0, 3, 0x8000, 7168, op_type="tpu.Conv2D", kind="activation", dtype="int8")
    ]
    text = hover(shown([amap(rows, capacity=65536, banks=4, bank_bytes=16384)]), "conv_out")
    for part in (
        "tpu.Conv2D · activation · int8",
        "0x8000 – 0x9c00 · bank 2",
        "32\u202f768 – 39\u202f936",
        "steps 0 – 2",
    ):
        assert part in text
    assert "7.00\u202fKiB = 7\u202f168\u202fB" in text


def test_a_block_over_several_banks_names_them() -> None:
    text = hover(
        shown([amap([block("a", 0, 1, 32, 100)], capacity=256, banks=4, bank_bytes=64)]), "a"
    )
    assert "banks 0 – 2" in text


def test_kinds_have_patterns_and_the_legend_says_which() -> None:
    rows = [
        block(kind, 0, 2, 64 * i, 64, kind=kind)
        for i, kind in enumerate(("activation", "weight", "operation"))
    ]
    figure = shown([amap(rows)])
    shapes = {
        kind: trace_of(figure, kind).marker.pattern.shape
        for kind in ("activation", "weight", "operation")
    }
    assert shapes == {"activation": None, "weight": "/", "operation": "x"}
    assert entries(figure) == ["weight", "operation"]


@pytest.mark.slow
def test_the_same_name_has_the_same_colour_as_everywhere() -> None:
    figure = shown([amap([block("conv_1", 0, 2, 0)])])
    assert trace_of(figure, "conv_1").marker.color == name_color("conv_1")
    assert shown([amap([block("conv_1", 0, 2, 0)])], colour="nonsense").data[
        0
    ].marker.color == name_color("conv_1")


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
    figure = shown(
        [amap([block("a", 0, 1, 0, 64), block("b", 0, 5, 64, 4096 * 64)])], colour=colour
    )
    assert words in figure.layout.legend.title.text
    assert trace_of(figure, "a").marker.color != trace_of(figure, "b").marker.color
    assert ("logarithmic" in figure.layout.legend.title.text) == (colour == "size")


def test_one_size_only_has_a_colour_too() -> None:
    figure = shown([amap([block("a", 0, 1, 0), block("b", 0, 1, 64)])], colour="size")
    assert trace_of(figure, "a").marker.color == trace_of(figure, "b").marker.color


@pytest.mark.slow
def test_operators_name_the_steps_of_levels() -> None:
    figure = shown([level("L2", 0), level("L1", 1)])
    assert figure.layout.xaxis.ticktext == ("conv 0", "relu 1", "add 2", "out 3")


def test_names_are_written_where_there_is_room() -> None:
    rows = [block("a_rather_long_name_of_a_tensor", 0, 60, 0, 640), block("narrow", 0, 1, 640, 640)]
    figure = shown([amap([*rows, block("flat", 0, 60, 1280, 1)])])
    texts = [
        text
        for trace in bars(figure)
        if trace.text is not None
        for text in np.atleast_1d(trace.text)
        if text
    ]
    assert texts == ["a_rather_long_name_of_a_tensor"]


def test_a_name_is_not_cut_by_the_edge_of_the_view() -> None:
    one = amap([block("name", 0, 9, 0, 1000)])
    half = shown([one], MemorySelection(addresses=(498, 900)))
    assert all(trace.text is None for trace in bars(half))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("colour", list(COLOURS))
def test_hostile_names_reach_no_markup_and_no_template(theme: str, colour: str) -> None:
    row = block(HOSTILE, 0, 9, 0, 640, op_type=HOSTILE, dtype=HOSTILE, level=HOSTILE)
    one = amap(
        [row, row | {"status": "shared", "alias_of": 0}], steps=steps([HOSTILE] * 9), level=HOSTILE
    )
    figure = json.loads(shown([one, one], theme=theme, colour=colour).to_json())
    del figure["layout"]["template"]
    for trace in figure["data"]:
        trace.pop("customdata", None)
    text = json.dumps(figure)
    assert "</script" not in text
    assert "%{x} &" not in text


def test_unknown_kinds_look_like_something() -> None:
    figure = shown([amap([block("a", 0, 2, 0, kind="mystery")])], colour="kind")
    assert trace_of(figure, "a").marker.color not in CATEGORICAL
