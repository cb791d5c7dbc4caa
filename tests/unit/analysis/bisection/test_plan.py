"""Plans of bisections: which commit is next, and how a bisection ends."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analysis.bisection.candidates import choose_between
from analysis.bisection.evidence import Noise, Rules, make_evidence
from analysis.bisection.plan import MAX_REPEATS, make_plan
from tests.support.bisections import (
    RATE,
    History,
    bisect,
    draw_history,
    draw_level,
    draw_reversed,
    draw_two_steps,
    is_right,
    plan_of,
    stepped,
)

NOISE = Noise(0.01, 2.5)


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("seed", range(6))
def test_a_step_is_found_within_the_measured_commits_of_a_binary_search(seed):
    history = draw_history(seed, (0.05, 0.1, 0.2))
    plan = bisect(history)
    assert is_right(history, plan)
    assert len(history.values) <= history.limit
    assert plan.confidence >= 0.95


@pytest.mark.slow
def test_a_step_as_large_as_the_threshold_is_found():
    history = History(stepped(60, [(41, 0.02)]), seed=1)
    plan = bisect(history)
    assert (plan.state, plan.first, plan.last) == ("proved", 41, 41)
    assert history.runs > len(history.values), "a small step needs repeats"


@pytest.mark.slow
def test_a_larger_number_may_be_worse():
    history = History(200 - stepped(30, [(12, 0.1)]), seed=3)
    less = Rules(math.log1p(0.02), polarity=-1)
    plan = bisect(history, less)
    assert (plan.state, plan.first) == ("proved", 12)
    assert bisect(History(200 - stepped(30, [(12, 0.1)]), seed=3)).state == "better"


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("seed", range(3))
def test_no_commit_is_named_if_nothing_changed(seed):
    assert bisect(draw_level(seed)).state == "level"


@pytest.mark.parametrize("seed", range(3))
def test_swapped_commits_are_noticed(seed):
    history = draw_reversed(seed)
    plan = bisect(history)
    assert plan.state == "better"
    assert set(history.values) == {0, history.last}, "only the ends are measured"


@pytest.mark.slow
def test_no_commit_is_named_if_the_change_is_gradual():
    plan = bisect(History(100 * (1 - 0.1 * np.linspace(0, 1, 41)), seed=2))
    assert (plan.state, plan.has_culprit) == ("gradual", False)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("seed", range(3))
def test_one_of_two_steps_is_found(seed):
    history = draw_two_steps(seed)
    assert is_right(history, bisect(history))


@pytest.mark.slow
def test_commits_that_give_no_result_are_named_with_the_commit_after_them():
    history = History(stepped(40, [(20, 0.1)]), seed=2, broken=frozenset({18, 19}))
    plan = bisect(history)
    assert (plan.state, plan.first, plan.last) == ("range", 18, 20)
    other = History(stepped(40, [(20, 0.1)]), seed=2, broken=frozenset({5, 30, 31}))
    assert bisect(other).state == "proved"


@pytest.mark.parametrize("position", [0, 8])
def test_a_good_or_bad_commit_without_results_ends_the_bisection(position):
    history = History(stepped(8, [(3, 0.1)]), seed=2, broken=frozenset({position}))
    plan = bisect(history)
    assert (plan.state, plan.next) == ("unmeasurable", None)


def test_an_odd_run_does_not_decide():
    values = {0: [100.0, 100.5], 4: [100.2, 99.6], 2: [70.0], 3: [100.1]}
    broken = History(stepped(4, []), seed=1, values=values)
    plan = plan_of(broken)
    assert not plan.has_culprit


def test_a_single_run_on_each_side_of_the_step_is_repeated():
    values = {0: [100.0, 100.1] * 3, 1: [100.05], 2: [90.02], 3: [90.0, 90.1] * 3}
    plan = plan_of(History(stepped(3, []), seed=1, values=values), noise=Noise(0.001, 1.2))
    assert plan.confidence >= 0.95, "the probability alone would prove it"
    assert (plan.state, plan.next in (1, 2)) == ("measure", True)


def test_equal_numbers_of_an_exact_metric_need_few_runs():
    exact = Rules(math.log1p(0.005), polarity=-1, is_exact=True)
    history = History(200 - stepped(100, [(70, 0.01)]), seed=1, noise=0.0, odd=0.0)
    plan = bisect(history, exact, Noise(0.002, 2.5))
    assert (plan.state, plan.first) == ("proved", 70)
    assert history.runs == len(history.values)


@pytest.mark.slow
def test_a_plan_depends_on_runs_only_and_repeats_are_bounded():
    history = draw_history(1)
    bisect(history)
    assert plan_of(history) == plan_of(history)
    assert max(map(len, history.values.values())) <= MAX_REPEATS


@pytest.mark.slow
def test_ten_thousand_measured_commits_are_planned():
    values = {at: [100.0 if at < 7_321 else 90.0] for at in range(10_001)}
    evidence = make_evidence(10_000, values, RATE)
    plan = make_plan(evidence, set(), NOISE, RATE.least_step)
    assert plan.remain <= 2
    assert plan.first <= 7_321 <= plan.last


@given(st.integers(0, 50), st.integers(1, 60), st.sets(st.integers(0, 120), max_size=60))
@example(0, 1, set())
@example(0, 2, {1})
def test_the_next_commit_is_between_the_others_and_not_broken(before, length, broken):
    after = before + length
    chosen = choose_between(before, after, broken)
    left = set(range(before + 1, after)) - broken
    assert chosen in left if left else chosen is None


@given(st.integers(2, 300))
def test_without_broken_commits_the_middle_is_next(length):
    chosen = choose_between(0, length, set())
    assert abs(chosen - length / 2) <= 0.5


@given(
    st.dictionaries(
        st.integers(0, 9),
        st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=1, max_size=3),
        max_size=6,
    ),
    st.sampled_from([-1, 1]),
)
@example({0: [0.0], 9: [0.0]}, 1)
@example({0: [1.0, -1.0], 9: [1e12]}, -1)
def test_any_finite_numbers_give_a_plan(values, polarity):
    rules = Rules(math.log1p(0.02), polarity)
    plan = make_plan(make_evidence(9, values, rules), set(), NOISE, rules.least_step)
    assert 0 <= plan.confidence <= 1 + 1e-9
    assert np.isfinite(plan.worse)
    assert (plan.next is None) == (plan.state != "measure")
