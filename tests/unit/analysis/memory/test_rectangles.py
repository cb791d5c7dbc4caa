import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.rectangles import MERGED, display_top, map_rectangles
from tests.support.memory import amap, block, constant, failed

ROWS = st.lists(
    st.builds(
        block,
        start=st.integers(0, 60),
        end=st.integers(61, 90),
        address=st.none() | st.integers(0, 5000),
        size=st.integers(0, 700),
        wraps=st.booleans(),
        hold=st.booleans(),
    ),
    min_size=1,
    max_size=60,
)


def many(count=500):
    """Blocks side by side in time, one on the other in address, each a little larger than the last."""
    return [
        block(f"t{i}", i % 25, i % 25 + 1, address=64 * (i // 25), size=8 + i % 50)
        for i in range(count)
    ]


def test_a_block_is_a_rectangle():
    drawn = map_rectangles(amap([block("a", 1, 3, address=64, size=32)]))
    assert [x.tolist() for x in (drawn.row, drawn.start, drawn.end, drawn.low, drawn.high)] == [
        [0],
        [1],
        [3],
        [64],
        [96],
    ]
    assert (drawn.count.tolist(), drawn.bytes.tolist(), drawn.merged_blocks) == ([1], [64], 0)


def test_a_wrap_is_two_rectangles_and_a_hold_one():
    drawn = map_rectangles(
        amap(
            [block("w", 3, 1, address=0, wraps=True), block("h", 1, 2, address=64, hold=True)],
            length=4,
        )
    )
    assert sorted(
        zip(drawn.row.tolist(), drawn.start.tolist(), drawn.end.tolist(), strict=True)
    ) == [(0, 0, 1), (0, 3, 4), (1, 0, 4)]


def test_failed_blocks_are_stacked_above_capacity_and_extent():
    shown = amap(
        [block("a", 0, 1, address=0, size=100), failed("b", size=10), failed("c", size=20)],
        capacity=80,
    )
    drawn = map_rectangles(shown)
    assert list(zip(drawn.low.tolist(), drawn.high.tolist(), strict=True)) == [
        (0, 100),
        (100, 110),
        (110, 130),
    ]
    assert display_top(shown) == 130


def test_constants_leave_less_room_below_the_failed():
    shown = amap([constant("c", 0, 30), failed("b", size=10)], capacity=80, static_bytes=30)
    assert map_rectangles(shown).low.tolist() == [0, 50]


def test_a_window_shows_what_overlaps_it():
    drawn = map_rectangles(amap(many(50)), (3, 4), (0, 64))
    assert drawn.start.tolist() == [3]


def test_beyond_the_budget_the_largest_stay_single():
    shown = amap(many())
    drawn = map_rectangles(shown, budget=100)
    assert len(drawn) <= 100
    single = drawn.row[drawn.row != MERGED]
    sizes = shown.blocks["size"].to_numpy()
    assert len(single) == 75
    assert sizes[single].min() >= np.sort(sizes)[-75]
    assert drawn.merged_blocks == 425


def test_merged_bars_cover_what_they_stand_for():
    shown = amap(many())
    drawn = map_rectangles(shown, budget=40)
    merged = drawn.row == MERGED
    assert (drawn.count[merged] > 0).all()
    rest = shown.segments.take(~np.isin(shown.segments.row, drawn.row))
    for start, low in zip(rest.start.tolist(), rest.low.tolist(), strict=True):
        inside = (
            (drawn.start <= start) & (drawn.end > start) & (drawn.low <= low) & (drawn.high > low)
        )
        assert inside[merged].any()
    area = ((rest.end - rest.start) * (rest.high - rest.low)).sum()
    assert abs(drawn.bytes[merged].sum() - area) <= merged.sum()


def test_no_budget_draws_nothing():
    assert len(map_rectangles(amap(many()), budget=0)) == 0


@pytest.mark.slow
@given(
    rows=ROWS,
    budget=st.integers(0, 40),
    span=st.none() | st.just((10, 30)),
    high=st.none() | st.just((100, 900)),
)
def test_never_more_than_the_budget_and_never_inside_out(rows, budget, span, high):
    drawn = map_rectangles(amap(rows), span, high, budget)
    assert len(drawn) <= budget
    assert (drawn.end > drawn.start).all()
    assert (drawn.high > drawn.low).all()
    assert (drawn.count >= 1).all()


def test_sizes_beyond_all_memory_stay_in_range():
    drawn = map_rectangles(amap([failed(f"t{i}", size=2**61) for i in range(20)]))
    assert (drawn.high >= drawn.low).all()
