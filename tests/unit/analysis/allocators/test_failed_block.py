from analysis.allocators.failed_block import first_failure
from tests.support.memory import amap, block, constant, failed

ROWS = [
    block("low", 0, 4, address=0, size=100),
    block("top", 1, 3, address=160, size=40),
    block("other steps", 4, 6, address=100, size=60),
    failed("first", 1, 4, size=90),
    failed("second", 0, 1, size=500),
]


def test_the_first_failed_block_is_set_against_the_free_ranges_of_its_steps():
    found = first_failure(amap(ROWS, capacity=256))
    assert (found.row, found.size, found.largest_gap, found.free) == (3, 90, 60, 116)


def test_constants_take_from_the_room_and_overlaps_count_once():
    rows = [
        constant(size=56),
        block("a", 0, 2, 0, 60),
        block("b", 0, 2, 30, 40),
        failed("c", 0, 1, size=500),
    ]
    found = first_failure(amap(rows, capacity=256, static_bytes=56))
    assert (found.largest_gap, found.free) == (130, 130)


def test_a_block_beyond_the_capacity_leaves_nothing_free():
    assert (
        first_failure(amap([block("a", 0, 2, 0, 400), failed("c", 0, 1)], capacity=256)).largest_gap
        == 0
    )


def test_without_a_capacity_the_room_is_not_known_and_without_a_failure_there_is_none():
    assert first_failure(amap(ROWS)).largest_gap is None
    assert first_failure(amap(ROWS[:3], capacity=256)) is None


def test_a_block_that_is_larger_than_every_gap_comes_before_one_that_is_not():
    rows = [
        *ROWS[:3],
        failed("would fit", 1, 4, size=8),
        failed("too large", 1, 4, size=90),
        failed("next", 1, 4, 99),
    ]
    found = first_failure(amap(rows, capacity=256))
    assert (found.row, found.too_large) == (4, True)
    alone = first_failure(amap(rows[:4], capacity=256))
    assert (alone.row, alone.too_large) == (3, False)
