import json

import pytest

from analysis.memory.selection import MemorySelection
from components.memory.memory_map import memory_map
from tests.support.map_figure import NOTHING, bars, boxes, hover, level, many, shown
from tests.support.memory import amap, block, failed
from tests.support.numbers_in_text import numbers_in


def test_few_blocks_are_each_drawn() -> None:
    view = memory_map([amap([block("a", 0, 2, 0)])], NOTHING, "light")
    assert numbers_in(view.line) == ["1"]


@pytest.mark.slow
@pytest.mark.parametrize("budget", [60, 400])
def test_large_maps_stay_within_the_budget_and_say_so(budget: int) -> None:
    view = memory_map([many(3000)], NOTHING, "light", budget=budget)
    assert sum(len(trace.base) for trace in bars(view.figure)) <= budget
    assert "bars for 3\u202f000 blocks" in view.line
    merged = [text for trace in bars(view.figure) for text in trace.hovertext if "merged" in text]
    assert merged
    assert "zoom in" in merged[0]


@pytest.mark.slow
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
    assert numbers_in(view.line) == ["1"]


@pytest.mark.slow
def test_another_window_is_another_revision() -> None:
    one = amap([block("a", 0, 4, 0)])
    chosen = (
        NOTHING,
        MemorySelection(span=(0, 2)),
        MemorySelection(addresses=(0, 9)),
        MemorySelection(step=1),
    )
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
