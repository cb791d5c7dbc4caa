"""Intervals around intervals and moments, compared with a search through all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.nesting import Nesting

INTERVALS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=20)


def nest(rows):
    start = np.array([start for start, _ in rows], np.int64)
    return Nesting.of(start, start + np.array([length for _, length in rows], np.int64))


def around(nesting, moment, before):
    """Return the last of the first `before` intervals that covers a moment, -1 if none does."""
    covering = [
        place for place in range(before) if nesting.start[place] <= moment < nesting.end[place]
    ]
    return covering[-1] if covering else -1


@given(INTERVALS)
def test_parents_and_innermost_are_the_last_that_cover(rows):
    nesting = nest(rows)
    count = len(nesting.start)
    assert sorted(nesting.row.tolist()) == [
        row for row, (_, length) in enumerate(rows) if length > 0
    ]
    assert nesting.parent.tolist() == [
        around(nesting, nesting.start[place], place) for place in range(count)
    ]
    moments = np.arange(-1, 45)
    assert nesting.innermost(moments).tolist() == [
        around(nesting, moment, count) for moment in moments.tolist()
    ]


@pytest.mark.parametrize(
    ("rows", "parents"),
    [
        ([], []),
        ([(0, 10), (2, 5), (3, 1)], [-1, 0, 1]),
        ([(0, 10), (5, 10), (12, 1)], [-1, 0, 1]),
        ([(4, 2), (4, 2)], [-1, 0]),
    ],
)
def test_nested_crossing_and_equal_intervals(rows, parents):
    assert nest(rows).parent.tolist() == parents


def test_places_become_rows():
    nesting = nest([(5, 1), (0, 10)])
    assert nesting.rows(nesting.innermost(np.array([5, 7, 20]))).tolist() == [0, 1, -1]
    assert nest([]).rows(np.array([-1, -1])).tolist() == [-1, -1]
