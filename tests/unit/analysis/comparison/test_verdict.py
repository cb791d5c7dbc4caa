"""The rule of the verdict: an interval and a size."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.comparison.verdict import exactly, judge_ratio
from analysis.statistics.ratio import Ratio

LIMIT = math.log1p(0.02)
logs = st.floats(-1, 1)


def ratio(estimate, reach):
    return Ratio(estimate, estimate - reach, estimate + reach, 0.5)


@pytest.mark.parametrize(
    ("estimate", "reach", "verdict"),
    [
        (-0.05, 0.01, "regressed"),
        (0.05, 0.01, "improved"),
        (-LIMIT, LIMIT / 2, "regressed"),
        (0.05, 0.06, "undecided"),
        (0.01, 0.005, "unchanged"),
        (0.01, 0.2, "undecided"),
        (0.0, 0.0, "unchanged"),
    ],
)
def test_a_change_needs_an_interval_and_a_size(estimate, reach, verdict):
    found = judge_ratio(ratio(estimate, reach), LIMIT, 1)
    assert found.verdict == verdict
    assert bool(found.reason) == (verdict == "undecided")


def test_what_has_no_better_side_is_changed():
    assert judge_ratio(ratio(0.05, 0.01), LIMIT, 0).verdict == "changed"
    assert exactly(1, 2, 0.0, 0).verdict == "changed"


@given(logs, st.floats(0, 1), st.sampled_from([-1, 1]))
def test_a_question_turned_round_has_the_turned_verdict(estimate, reach, polarity):
    there, back = (
        judge_ratio(ratio(estimate, reach), LIMIT, polarity),
        judge_ratio(ratio(-estimate, reach), LIMIT, polarity),
    )
    turned = {"improved": "regressed", "regressed": "improved"}
    assert back.verdict == turned.get(there.verdict, there.verdict)
    assert back.reason == there.reason


@pytest.mark.parametrize(
    ("base", "new", "limit", "verdict"),
    [
        (0, 0, 0, "unchanged"),
        (0, 8, 0, "regressed"),
        (8, 0, 0.5, "improved"),
        (100, 104, 0.05, "unchanged"),
    ],
)
def test_exact_numbers_need_no_interval(base, new, limit, verdict):
    assert exactly(base, new, limit, -1).verdict == verdict


@pytest.mark.parametrize(("reach", "is_named"), [(math.log(3), True), (math.log(500), False)])
def test_a_bound_beyond_ten_times_the_base_is_not_named(reach, is_named):
    judged = judge_ratio(Ratio(0.0, -reach, reach, 0.5), math.log1p(0.03), -1)
    assert judged.verdict == "undecided"
    assert any(letter.isdigit() for letter in judged.reason) == is_named
