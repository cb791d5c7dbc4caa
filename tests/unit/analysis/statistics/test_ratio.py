"""Intervals of ratios: against scipy where it has them, mirrored, and as wide as promised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics import ratio
from analysis.statistics.ratio import compare_samples, compare_with_baseline, correlation, of_groups

samples = st.lists(st.floats(-1, 1), min_size=3, max_size=20).map(np.array)
runs = st.lists(samples, min_size=3, max_size=6)


def numbers(found):
    return (found.estimate, found.low, found.high, found.p)


@given(runs, runs)
def test_groups_are_compared_as_welch_does(base, new):
    means = [[run.mean() for run in side] for side in (base, new)]
    if min(np.std(side) for side in means) < 1e-9:
        return
    oracle = stats.ttest_ind(means[1], means[0], equal_var=False)
    interval = oracle.confidence_interval(0.95)
    found = of_groups(base, new)
    assert (found.low, found.high, found.p) == pytest.approx(
        (interval.low, interval.high, oracle.pvalue), abs=1e-7
    )


def test_without_correlation_one_run_is_compared_as_welch_does(monkeypatch):
    monkeypatch.setattr(ratio, "correlation", lambda _: 0.0)
    draw = np.random.default_rng(1)
    base, new = draw.normal(0, 1, 9), draw.normal(0.5, 2, 14)
    oracle = stats.ttest_ind(new, base, equal_var=False)
    interval = oracle.confidence_interval(0.95)
    assert numbers(compare_samples(base, new))[1:] == pytest.approx(
        (interval.low, interval.high, oracle.pvalue)
    )


@given(samples, samples, runs)
def test_a_question_turned_round_has_the_mirrored_answer(one, other, many):
    assert numbers(compare_samples(other, one)) == pytest.approx(
        numbers(compare_samples(one, other).inverse()), abs=1e-12
    )
    assert numbers(of_groups(many, [*many, one])) == pytest.approx(
        numbers(of_groups([*many, one], many).inverse())
    )


def test_a_baseline_gives_the_interval_of_one_more_run():
    base = [np.array([mean]) for mean in (0.0, 0.1, 0.2, 0.3, 0.4)]
    reach = stats.t.ppf(0.975, 4) * np.std([0.0, 0.1, 0.2, 0.3, 0.4], ddof=1) * np.sqrt(1.2)
    found = compare_with_baseline(base, np.array([0.5]))
    assert (found.estimate, found.low, found.high) == pytest.approx((0.3, 0.3 - reach, 0.3 + reach))


def test_what_never_varies_has_an_interval_without_width():
    found = compare_samples(np.zeros(5), np.full(5, 0.25))
    assert numbers(found) == (0.25, 0.25, 0.25, 0.0)


@given(samples)
def test_a_correlation_stays_in_its_limits(values):
    assert 0 <= correlation(values) <= 0.9


def test_correlated_neighbours_widen_the_interval():
    draw = np.random.default_rng(2)
    noise = draw.normal(size=400)
    slow = np.zeros(400)
    for at in range(1, 400):
        slow[at] = 0.8 * slow[at - 1] + noise[at]
    assert correlation(slow) == pytest.approx(0.8, abs=0.1)
    assert correlation(noise) < 0.15
