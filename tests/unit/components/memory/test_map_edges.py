from typing import Any

import numpy as np
import pytest

from analysis.memory.selection import MemorySelection
from components.lab.overlay import overlay
from components.memory.memory_map import PEAK
from components.memory.step_stack import step_stack
from components.theme import FADE, palette
from tests.support.map_figure import bars, opacity, shown, trace_of
from tests.support.memory import amap, block

LANES, LANE_BYTES = 400, 4096
FIRST = LANE_BYTES * LANES
"""Address above all thin lanes."""


def lanes(count: int = LANES) -> list[dict[str, Any]]:
    """Build thin blocks above each other, all alive at step 1."""
    return [block(f"t{lane}", 0, 2, lane * LANE_BYTES, LANE_BYTES) for lane in range(count)]


def edges(figure: Any) -> float:
    """Return the largest width of a line in the colour of outlines or of text."""
    inks = {palette("light").selection, palette("light").ink}
    widths = [
        np.max(trace.marker.line.width)
        for trace in figure.data
        if trace.type == "bar" and trace.marker.line.color in inks and trace.x[0] is not None
    ]
    return float(max(widths, default=0))


def test_thin_blocks_at_the_peak_have_no_outline_and_the_rest_fades() -> None:
    figure = shown([amap([*lanes(), block("late", 2, 4, 0, FIRST // 2)])])
    assert edges(figure) == 0
    assert not [trace for trace in figure.data if trace.meta == PEAK]
    assert opacity(figure, "t7") == 1
    assert opacity(figure, "late") == FADE


def test_a_faded_block_keeps_its_name_in_the_ink_of_the_theme() -> None:
    figure = shown([amap([*lanes(), block("late", 2, 4, 0, FIRST // 2)])])
    trace = trace_of(figure, "late")
    place = list(trace.text).index("late")
    assert trace.insidetextfont.color[place] == palette("light").ink


def test_large_blocks_at_the_peak_have_an_outline_also_beside_thin_ones() -> None:
    large = block("large", 0, 2, FIRST, FIRST)
    figure = shown([amap([*lanes(), large])])
    (outline,) = (trace for trace in figure.data if trace.meta == PEAK)
    assert [int(width) for width in outline.width] == [FIRST]


def test_a_thin_selected_block_is_shown_by_fading_the_rest() -> None:
    figure = shown([amap(lanes())], MemorySelection(attempt=0, block=5))
    assert edges(figure) == 0
    assert (opacity(figure, "t5"), opacity(figure, "t6")) == (1, FADE)


@pytest.mark.slow
def test_thin_blocks_that_moved_have_no_outline_at_their_old_address() -> None:
    before = amap(lanes())
    after = amap([row | {"address": FIRST + row["address"]} for row in lanes()])
    view = overlay(before, after, MemorySelection(), "light", search="", outlined=True)
    (old,) = (trace for trace in view.figure.data if trace.meta == "before")
    assert len(old.y) == 0
    assert bars(view.figure)


def test_thin_blocks_of_a_stack_have_no_edges_and_the_selected_one_stands_out() -> None:
    (trace,) = step_stack(amap(lanes(200)), 1, 5, "light").data
    assert set(np.broadcast_to(trace.marker.line.width, 200)) == {0.0}
    assert sorted(set(trace.marker.opacity)) == [FADE, 1.0]
