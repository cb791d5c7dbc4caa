"""Segments of an allocator behind the blocks of a memory map."""

import pytest

from analysis.memory.selection import MemorySelection
from components.memory.memory_map import memory_map, parse_click
from components.memory.segment_bars import MAX_DRAWN, SEGMENTS
from schema.frames import complete, empty
from tests.support.memory import amap, block

ONE = amap([block("a", 0, 2, 0)])


def segments(*rows):
    """Return frame `memory_segments` of attempt 0; a row is address, size, start, end."""
    address, size, start, end = ([*values] for values in zip(*rows, strict=True))
    constant = {
        "attempt": [0] * len(rows),
        "segment": range(len(rows)),
        "device": ["cuda:0"] * len(rows),
        "pool": ["default"] * len(rows),
        "name": ["model.py:31 forward"] * len(rows),
    }
    columns = {"address": address, "size": size, "start": start, "end": end}
    return complete("memory_segments", constant | columns | {"device_address": address})


def drawn(frame, **chosen):
    """Return the figure of a map and its traces of segments."""
    figure = memory_map([ONE], MemorySelection(**chosen), "light", segments=frame).figure
    return figure, [trace for trace in figure.data if trace.meta == SEGMENTS]


def test_a_segment_is_drawn_behind_the_blocks_at_its_address_and_life():
    figure, (trace,) = drawn(segments((0, 128, 0, 1)))
    assert figure.data[0] is trace
    assert (list(trace.base), list(trace.x)) == ([0], [1])
    assert (list(trace.y), list(trace.width)) == ([64], [128])
    assert "model.py:31 forward" in trace.hovertext[0]
    assert parse_click({"points": [{"customdata": trace.customdata[0]}]}) == {}


@pytest.mark.slow
def test_segments_of_other_devices_and_outside_of_the_view_are_left_out():
    assert drawn(empty("memory_segments"))[1] == []
    assert drawn(segments((0, 128, 0, 1)).assign(attempt=1))[1] == []
    assert drawn(segments((512, 128, 0, 1)), attempt=0, addresses=(0, 64))[1] == []
    figure = memory_map([ONE], MemorySelection(), "light").figure
    assert all(trace.meta != SEGMENTS for trace in figure.data)


@pytest.mark.parametrize(("end", "is_in_view"), [(150, True), (1_000_000, False)])
def test_the_view_reaches_to_segments_that_are_not_far(end, is_in_view):
    figure, _ = drawn(segments((0, 32, 0, 1), (end - 32, 32, 0, 1)))
    assert (figure.layout.yaxis.range[1] >= end) is is_in_view


def test_the_largest_segments_are_drawn():
    rows = [(0, size, 0, 1) for size in range(1, MAX_DRAWN + 50)]
    _, (trace,) = drawn(segments(*rows))
    assert len(trace.base) == MAX_DRAWN
    assert min(trace.width) == 50
