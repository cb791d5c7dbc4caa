"""Probabilities of a step after some runs."""

import numpy as np
import pytest

from analysis.bisection.evidence import Noise, Rules, estimate_noise, make_evidence
from analysis.bisection.likelihood import LevelGrid, level_likelihoods
from analysis.bisection.posterior import find_posterior
from analysis.statistics.step_fit import fit_steps
from tests.support.bisections import RATE

NOISE = Noise(0.01, 2.5)


def evidence_of(values):
    return make_evidence(100, values, RATE)


def test_all_probabilities_sum_to_one():
    found = find_posterior(evidence_of({0: [100], 30: [99], 60: [91], 100: [90]}), NOISE, 0.01)
    total = found.singles.sum() + found.pairs.sum() + found.spread + found.level + found.better
    assert total == pytest.approx(1)
    assert found.within(0, 3) == pytest.approx(1)
    assert found.within(1, 2) == pytest.approx(1, abs=0.05)


def test_without_a_clue_each_commit_is_as_probable():
    # Runs between both levels say nothing about the side, by symmetry of the model.
    found = find_posterior(evidence_of({0: [100, 100], 25: [95], 100: [90.25, 90.25]}), NOISE, 0.01)
    assert found.spread + found.pairs.sum() > 0.2
    assert found.singles[0] / found.singles[1] == pytest.approx(1 / 3, rel=0.2)


def test_more_runs_leave_less_doubt():
    doubts = [
        1 - find_posterior(evidence_of({0: [100] * runs, 100: [97] * runs}), NOISE, 0.01).worse
        for runs in (1, 3, 9)
    ]
    assert doubts == sorted(doubts, reverse=True)
    assert doubts[-1] < 0.01


def test_a_better_bad_commit_is_probable_if_more_is_better():
    found = find_posterior(evidence_of({0: [90] * 3, 100: [100] * 3}), NOISE, 0.01)
    assert found.better > 0.99


def test_the_likelihood_of_a_commit_is_the_sum_over_its_runs():
    evidence = evidence_of({0: [100, 101, 99], 100: [90]})
    grid = LevelGrid.of(evidence, 0.01)
    table = level_likelihoods(evidence, grid, 0.01)
    assert table.shape == (2, len(grid.levels))
    assert grid.levels[table[0].argmax()] == pytest.approx(-np.log(100), abs=0.003)
    single = evidence_of({0: [100], 100: [90]})
    assert np.allclose(level_likelihoods(single, grid, 0.01)[1], table[1])


def test_the_noise_of_a_key_is_that_of_its_trend():
    random = np.random.default_rng(5)
    values = 50 * np.exp(random.normal(0, 0.02, 40))
    assert estimate_noise(values, RATE).typical == pytest.approx(fit_steps(values).noise)
    shares = Rules(0.02, -1, is_share=True)
    assert estimate_noise(values / 100, shares).typical == pytest.approx(0.01, rel=0.4)
    assert estimate_noise([1.0] * 7, RATE) == NOISE
