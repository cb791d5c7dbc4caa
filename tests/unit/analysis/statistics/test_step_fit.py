"""A series as steps between levels."""

import numpy as np
import pytest

from analysis.statistics.step_fit import Scale, fit_steps
from tests.support.trends import noise


def test_noise_is_that_around_the_levels_and_odd_values_do_not_raise_it():
    values = 100 * np.exp(noise(seed=1, count=200))
    values[100:] *= 0.9
    values[[20, 60, 61, 150]] *= 1.5
    fit = fit_steps(values)
    assert fit.cuts == [100]
    assert fit.noise == pytest.approx(0.01, rel=0.2)
    assert fit.clipped[20] - fit.clipped[:100].mean() < 5 * fit.noise


def test_a_cut_of_correlated_values_has_to_explain_more():
    alone = fit_steps(100 * np.exp(noise(seed=2, count=400)))
    together = fit_steps(100 * np.exp(noise(seed=2, count=400, correlation=0.4)))
    assert together.cost / together.noise**2 > 1.5 * alone.cost / alone.noise**2


def test_positive_values_are_on_a_scale_of_ratios_and_others_on_one_of_differences():
    for values in ([1.0, 10.0, 100.0], [0.0, 5.0, 10.0], [-3.0, -4.0, -5.0], [0.0, 0.0, 0.0]):
        scale = Scale.of(np.array(values))
        scaled = scale.scale_values(np.array(values))
        assert np.diff(scaled)[0] == pytest.approx(np.diff(scaled)[1])
        assert [scale.plain(value) for value in scaled] == pytest.approx(values)


def test_equal_values_have_no_steps():
    assert fit_steps(np.full(30, 7.0)).cuts == []
