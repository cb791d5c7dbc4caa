"""Least disturbance: a front of moved bytes against extent."""

from itertools import pairwise

import numpy as np
import pytest

from analysis.allocators.least_moved import find_move_front
from analysis.allocators.placement import Question
from analysis.allocators.problem import build_problem
from tests.support.memory import amap, block


def front_of(rows, room=None):
    shown = amap(rows)
    stored = np.array([row["address"] for row in rows], np.int64)
    return find_move_front(build_problem(shown), stored, Question(room=room, effort=20_000)).points


ROWS = [block("a", 0, 2, 0, 10), block("b", 0, 2, 30, 20), block("c", 1, 3, 70, 5)]


@pytest.mark.slow
def test_the_front_goes_from_nothing_moved_to_the_least_extent():
    points = [(one.moved_bytes, one.extent) for one in front_of(ROWS)]
    assert points == [(0, 75), (5, 50), (25, 35)]
    assert all(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(points))


def test_it_ends_at_the_fewest_bytes_moved_within_the_room():
    assert front_of(ROWS, room=60)[-1].moved_bytes == 5


@pytest.mark.slow
def test_many_blocks_have_a_front_too():
    rows = [block(str(at), at % 4, at % 4 + 2, 100 * at, 40 + at) for at in range(16)]
    points = front_of(rows)
    assert (points[0].moved_bytes, points[0].extent) == (0, 1555)
    assert all(a.moved_bytes < b.moved_bytes and a.extent > b.extent for a, b in pairwise(points))
    assert points[-1].extent < 1555
