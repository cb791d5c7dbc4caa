"""Levels while events are named: which cuts stay."""

import numpy as np
import pytest

from analysis.statistics.levels import MAX_DIP_LENGTH, Levels
from analysis.statistics.step_fit import fit_steps
from tests.support.trends import noise


def levels_of(values):
    return Levels.of(fit_steps(np.array(values)))


def test_levels_that_hardly_differ_are_one():
    levels = levels_of(np.exp(np.repeat([0.0, 0.1, 0.115, 0.0], 15) + 0.05 * noise(1, 60)))
    assert levels.cuts == [15, 45]
    assert levels.means()[1] - levels.means()[0] == pytest.approx(0.1075, abs=0.002)


def test_values_that_are_not_calm_count_for_no_level():
    levels = levels_of([10.0] * 20 + [12.0] * 20)
    levels.calm[20:30] = False
    levels.cuts = []
    assert levels.means()[0] == pytest.approx(
        (20 * levels.fit.clipped[0] + 10 * levels.fit.clipped[-1]) / 30
    )


@pytest.mark.parametrize(
    ("off", "is_held"), [([9, 9, 9], True), ([9, 0, 9], False), ([8, 9, 0, 9], True)]
)
def test_a_part_is_held_by_three_quarters_of_its_values(off, is_held):
    levels = levels_of([100.0 * 1.01**size for size in [0] * 10 + off + [0] * 10])
    assert levels.is_held(10, 10 + len(off), levels.fit.values[0]) == is_held


def test_a_short_end_that_a_few_odd_values_make_is_no_level():
    values = [100.0] * 20 + [130.0, 100.0, 130.0]
    levels = levels_of(values)
    levels.cuts = [20]
    levels.join_unheld_ends()
    assert levels.cuts == []
    longer = levels_of([100.0] * 20 + [130.0, 100.0] * MAX_DIP_LENGTH)
    longer.cuts = [20]
    longer.join_unheld_ends()
    assert longer.cuts == [20]
