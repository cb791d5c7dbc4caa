"""The runs on both sides of a step are judged as comparisons judge groups of runs."""

import math

import pytest

from analysis.bisection.evidence import Rules
from analysis.bisection.sides import compare_sides
from tests.support.bisections import RATE

BEFORE = [100.0, 100.4, 99.7, 100.1]


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        ([90.0, 90.5, 89.6], "regressed"),
        ([110.0, 110.5, 109.6], "improved"),
        ([99.5, 99.8, 99.4, 99.6], "unchanged"),
        ([90.0, 90.5], "undecided"),
        ([], "undecided"),
    ],
)
def test_the_verdict_is_that_of_a_comparison(after, verdict):
    assert compare_sides(BEFORE, after, RATE).judged.verdict == verdict


def test_levels_are_medians_and_the_change_a_share_of_the_good_one():
    sides = compare_sides(BEFORE, [90.0, 50.0, 91.0], RATE)
    assert (sides.good, sides.bad) == (pytest.approx(100.05), 90.0)
    assert sides.relative == pytest.approx(90 / 100.05 - 1)
    assert compare_sides([0.0], [1.0], RATE).relative is None


def test_exact_numbers_need_one_run_on_each_side():
    sizes = Rules(math.log1p(0.005), -1, is_exact=True)
    assert compare_sides([1000.0], [1006.0], sizes).judged.verdict == "regressed"
    assert compare_sides([1000.0], [1004.0], sizes).judged.verdict == "unchanged"


def test_shares_are_compared_by_their_difference():
    shares = Rules(0.02, -1, is_share=True)
    after = [0.13, 0.131, 0.129]
    assert compare_sides([0.1, 0.101, 0.099], after, shares).judged.verdict == "regressed"
