"""Drifts among levels."""

import numpy as np
import pytest

from analysis.statistics.drifts import take_drifts
from analysis.statistics.levels import Levels
from analysis.statistics.step_fit import fit_steps
from tests.support.trends import noise


def levels_of(logs):
    return Levels.of(fit_steps(np.exp(np.array(logs))))


@pytest.mark.parametrize("slope", [-0.002, 0.002])
def test_levels_that_a_line_explains_are_taken_out(slope):
    levels = levels_of(slope * np.arange(60) + noise(4, 60))
    assert levels.cuts
    (line,) = take_drifts(levels)
    assert (line.first, line.end, levels.cuts) == (0, 60, [])
    assert line.ends - line.begins == pytest.approx(59 * slope, rel=0.2)


def test_levels_that_steps_explain_better_stay():
    levels = levels_of(np.repeat([0.0, 0.08, 0.16], 20) + noise(4, 60))
    assert take_drifts(levels) == []
    assert levels.cuts == [20, 40]


def test_up_and_down_again_are_two_drifts():
    rise = 0.004 * np.arange(50)
    lines = take_drifts(levels_of(np.concatenate([rise, rise[::-1]]) + noise(4, 100)))
    assert [line.ends > line.begins for line in lines] == [True, False]
    assert lines[0].end <= lines[1].first


def test_fewer_than_12_runs_are_no_drift():
    levels = levels_of([0.0] * 20 + [0.1] * 3 + [0.2] * 3 + [0.3] * 3)
    assert take_drifts(levels) == []
