"""Intervals of a lane become threads on which slices nest or lie apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.run.perfetto.nesting import nested_order, split_crossing
from services.run.perfetto.trace import BEGIN, Slices

INTERVALS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=60)


def threads_of(intervals):
    begin = np.array([low for low, _ in intervals], np.int64)
    end = np.array([high for _, high in intervals], np.int64)
    order = nested_order(begin, end)
    return begin[order], end[order], split_crossing(begin[order], end[order])


@pytest.mark.parametrize(
    ("intervals", "expected"),
    [
        ([(0, 10), (2, 4), (4, 4), (4, 10)], [0, 0, 0, 0]),
        ([(0, 10), (5, 12)], [0, 1]),
        ([(0, 10), (5, 12), (10, 11), (11, 20)], [0, 1, 0, 0]),
        ([(3, 3), (3, 3), (3, 9)], [0, 0, 0]),
    ],
)
def test_what_crosses_goes_to_the_first_thread_that_takes_it(intervals, expected):
    assert threads_of(intervals)[2].tolist() == expected


@given(INTERVALS)
def test_every_interval_is_a_slice_of_a_thread_that_nests(drawn):
    begin, end, thread = threads_of([(low, low + long) for low, long in drawn])
    seen = []
    for number in set(thread.tolist()):
        mine = thread == number
        rows = np.arange(mine.sum())
        slices = Slices("p", "t", begin[mine], end[mine], rows, [str(row) for row in rows])
        opened = []
        before = -1
        for kind, row, at in slices.steps():
            assert at >= before
            before = at
            if kind is BEGIN:
                opened.append(row)
            else:
                assert opened.pop() == row
                seen.append((int(slices.begin[row]), at))
        assert not opened
    assert sorted(seen) == sorted((low, low + long) for low, long in drawn)


def test_many_that_cross_take_linear_time_and_few_threads():
    begin = np.arange(20_000, dtype=np.int64)
    thread = split_crossing(begin, begin + 40)
    assert thread.max() < 60
