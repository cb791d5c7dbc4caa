"""Dips among levels."""

import numpy as np
import pytest

from analysis.statistics.dips import take_dips
from analysis.statistics.levels import Levels
from analysis.statistics.step_fit import fit_steps


def levels_of(*parts):
    """Return the levels of (size, count) parts, sizes as logarithms."""
    sizes, counts = zip(*parts, strict=True)
    return Levels.of(fit_steps(np.exp(np.repeat(np.array(sizes), counts))))


@pytest.mark.parametrize("depth", [-0.1, 0.1])
@pytest.mark.parametrize(("runs", "is_dip"), [(3, True), (10, True), (11, False)])
def test_a_dip_has_3_to_10_runs(runs, depth, is_dip):
    levels = levels_of((0.0, 20), (depth, runs), (0.0, 20))
    assert take_dips(levels) == ([(20, 20 + runs)] if is_dip else [])
    assert levels.cuts == ([] if is_dip else [20, 20 + runs])
    assert levels.calm.sum() == len(levels.calm) - runs * is_dip


def test_a_dip_of_two_levels_is_one():
    assert take_dips(levels_of((0.0, 20), (-0.1, 4), (-0.15, 4), (0.0, 20))) == [(20, 28)]


def test_what_comes_back_to_another_level_is_no_dip():
    levels = levels_of((0.0, 20), (-0.1, 4), (-0.06, 20))
    assert take_dips(levels) == []
    assert levels.cuts == [20, 24]


def test_a_dip_after_which_the_level_is_a_little_lower_leaves_a_step():
    levels = levels_of((0.0, 20), (-0.2, 4), (-0.05, 20))
    assert take_dips(levels) == [(20, 24)]
    assert levels.cuts == [24]


def test_of_runs_that_go_down_and_up_again_and_again_the_short_ones_are_dips():
    parts = [(0.0, 8), (-0.1, 4)] * 5 + [(0.0, 8)]
    assert take_dips(levels_of(*parts)) == [(8 + 12 * rank, 12 + 12 * rank) for rank in range(5)]
