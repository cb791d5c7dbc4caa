"""Where a series changes its level."""

import numpy as np
import pytest

from analysis.statistics.change_points import change_points, relative_change


def series(*levels, noise=0.005, seed=1, each=15):
    draw = np.random.default_rng(seed)
    return np.concatenate([level * (1 + noise * draw.standard_normal(each)) for level in levels])


def test_a_step_is_found_at_its_first_run():
    values = series(100, 95)
    assert change_points(values) == [15]
    assert relative_change(values, [15], 0) == pytest.approx(-0.05, abs=0.01)


def test_several_levels_are_found():
    values = series(100, 90, 100)
    assert change_points(values) == [15, 30]
    assert relative_change(values, [15, 30], 1) == pytest.approx(0.11, abs=0.02)


def test_noise_and_single_odd_runs_are_no_change():
    for seed in range(20):
        values = series(100, 100, seed=seed)
        values[11] *= 0.6
        assert change_points(values) == []


def test_a_small_step_does_not_matter():
    assert change_points(series(100, 99, noise=0.0005)) == []


def test_the_last_runs_and_short_series_hold_none():
    values = series(100, each=20)
    values[-3:] *= 0.8
    assert change_points(values) == []
    assert change_points(series(100, 50, each=3)) == []


def test_equal_values_have_no_steps_and_the_same_question_the_same_answer():
    assert change_points(np.full(30, 7.0)) == []
    values = series(100, 96, noise=0.02)
    assert change_points(values) == change_points(values)
