"""One step as a stack: order, bases, selection, and what is left out."""

import pytest

from components.memory import step_stack
from components.memory.step_stack import left_out, parse_click, stacked_blocks
from tests.support.memory import amap, block, constant, failed

ROWS = [
    block("high", 0, 2, 256, 32),
    block("low", 0, 2, 0, 64),
    block("later", 2, 3, 64, 8),
    block("middle", 1, 3, 128, 16),
    constant(size=100),
    failed("lost", 0, 2, 10),
]


def test_blocks_lie_on_each_other_in_the_order_of_their_addresses():
    shown = amap(ROWS)
    at = stacked_blocks(shown, 1)
    assert at["name"].tolist() == ["low", "middle", "high", "lost"]
    assert at["base"].tolist() == [0, 64, 80, 112]
    assert stacked_blocks(shown, 2)["name"].tolist() == ["later", "middle"]


def test_the_figure_has_a_bar_per_block_and_an_outline_for_the_selected():
    shown = amap(ROWS)
    selected = int(stacked_blocks(shown, 1)["block"].iloc[1])
    (trace,) = step_stack.step_stack(shown, 1, selected, "light").data
    assert list(trace.y) == [64, 16, 32, 10]
    assert list(trace.base) == [0, 64, 80, 112]
    assert list(trace.marker.line.width) == [0.5, 3.0, 0.5, 0.5]
    click = {"points": [{"customdata": [int(value) for value in trace.customdata[1]]}]}
    assert parse_click(click) == {"attempt": shown.number, "block": selected}
    assert "no address" in trace.hovertext[3]


def test_ticks_are_at_multiples_of_a_power_of_two():
    axis = step_stack.step_stack(
        amap([block("a", 0, 1, 0, 100_000)]), 0, None, "light"
    ).layout.yaxis
    assert list(axis.tickvals) == [0, 32_768, 65_536, 98_304]


@pytest.mark.parametrize("click", [None, {}, {"points": []}, {"points": [{}]}])
def test_a_click_on_nothing_selects_nothing(click):
    assert parse_click(click) == {}


def test_an_empty_step_has_no_bars():
    assert not step_stack.step_stack(amap([block("a", 0, 1, 0)]), 5, None, "dark").data


def test_of_many_blocks_the_largest_are_drawn(monkeypatch):
    monkeypatch.setattr(step_stack, "MAX_BLOCKS", 2)
    shown = amap(ROWS)
    assert stacked_blocks(shown, 1)["name"].tolist() == ["low", "high"]
    assert "2 " in left_out(shown, 1)
    assert left_out(shown, 2) == ""
