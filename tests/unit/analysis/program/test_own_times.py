"""Time of rewrite steps that start others."""

import pandas as pd
import pytest

from analysis.program.own_times import own_durations


def steps_of(*rows):
    """Return frame `rewrite_steps` of rows (context, depth, duration)."""
    return pd.DataFrame(rows, columns=["context", "depth", "duration"])


CASES = {
    "none": ([], []),
    "beside each other": ([(0, 0, 10), (0, 0, 5)], [10, 5]),
    "inside of a step": (
        [(0, 0, 100), (0, 1, 60), (0, 2, 10), (0, 2, 20), (0, 1, 30), (0, 0, 7)],
        [10, 30, 10, 20, 30, 7],
    ),
    "inside took longer": ([(0, 0, 10), (0, 1, 40), (0, 3, 2)], [0, 38, 2]),
    "contexts inside of a step": (
        [(0, 0, 5), (0, 0, 100), (1, 1, 30), (1, 2, 10), (2, 1, 40)],
        [5, 30, 20, 10, 40],
    ),
    "a context inside of one that is inside": (
        [(0, 0, 100), (1, 1, 60), (2, 2, 50), (3, 0, 4)],
        [40, 10, 50, 4],
    ),
    "the outer context goes on under the name of the inner": (
        [(0, 0, 100), (1, 1, 30), (1, 2, 10), (1, 0, 4), (2, 1, 3), (2, 0, 1)],
        [70, 20, 10, 1, 3, 1],
    ),
    "a context inside took longer": ([(0, 0, 100), (1, 1, 10), (2, 2, 50)], [50, 0, 50]),
}


@pytest.mark.parametrize("name", CASES)
def test_matches_inside_of_a_match_count_once(name):
    rows, own = CASES[name]
    assert own_durations(steps_of(*rows)).tolist() == own
