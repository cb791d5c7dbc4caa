import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.attempt_map import NOT_PLACED, segments
from analysis.memory.gaps import without_gaps
from tests.support.memory import block, blocks


def cut(*rows, steps=20):
    frame = blocks(rows)
    parts, size = without_gaps(frame, segments(frame, steps))
    order = np.lexsort((parts.start, parts.row))
    fields = (parts.row, parts.start, parts.end, parts.low, parts.high, size)
    return list(zip(*(field[order].tolist() for field in fields), strict=True))


def test_blocks_without_gaps_stay_whole():
    assert cut(block("a", 0, 9, 64)) == [(0, 0, 9, 64, 128, 64)]


def test_a_gap_cuts_a_life_in_two_and_leaves_the_others_alone():
    made = cut(block("a", 0, 9, 0), block("b", 1, 12, 64, gaps="4-6 8-9"))
    assert made == [
        (0, 0, 9, 0, 64, 64),
        (1, 1, 4, 64, 128, 64),
        (1, 6, 8, 64, 128, 64),
        (1, 9, 12, 64, 128, 64),
    ]


def test_in_a_gap_with_a_window_some_bytes_stay_in_use():
    made = cut(block("a", 0, 9, 100, 64, gaps="4-6@16:32"))
    assert made == [(0, 0, 4, 100, 164, 64), (0, 4, 6, 116, 132, 16), (0, 6, 9, 100, 164, 64)]


def test_a_window_of_a_block_without_an_address_has_a_size():
    made = cut(block("a", 0, 9, None, 64, gaps="0-6@16:99"))
    assert made == [(0, 0, 6, NOT_PLACED, NOT_PLACED, 48), (0, 6, 9, NOT_PLACED, NOT_PLACED, 64)]


def test_gaps_overlap_touch_and_reach_past_the_life():
    assert cut(block("a", 2, 9, 0, gaps="0-3 3-5 4-6 8-99")) == [(0, 6, 8, 0, 64, 64)]


def test_a_gap_over_the_whole_life_leaves_nothing():
    assert cut(block("a", 2, 9, 0, gaps="0-99")) == []


def test_text_that_is_no_gap_is_passed_over():
    assert cut(block("a", 2, 9, 0, gaps="none 7-3 a-b 4-6x")) == [(0, 2, 9, 0, 64, 64)]
    assert cut(block("a", 2, 9, 0, gaps="4-4")) == [(0, 2, 9, 0, 64, 64)]


def test_gaps_cut_both_parts_of_a_wrap():
    made = cut(block("a", 6, 4, 0, wraps=True, gaps="1-2 7-8"), steps=9)
    assert [(start, end) for _, start, end, *_ in made] == [(0, 1), (2, 4), (6, 7), (8, 9)]


@pytest.mark.slow
@given(
    st.integers(0, 9),
    st.integers(1, 9),
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 6)), max_size=5),
)
def test_what_is_left_is_what_no_gap_holds(start, length, gaps):
    text = " ".join(f"{begin}-{begin + size}" for begin, size in gaps)
    made = cut(block("a", start, start + length, 0, gaps=text))
    held = [step for _, begin, end, *_ in made for step in range(begin, end)]
    free = {step for begin, size in gaps for step in range(begin, begin + size)}
    assert held == [step for step in range(start, start + length) if step not in free]
