"""From samples to a row."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.comparison import sampled
from analysis.comparison.rows import RowTopic
from analysis.comparison.sampled import Samples, families, sampled_row
from schema.comparison import CAPTURE, TILE
from tests.support.numbers_in_text import has_numbers

RATE, KERNEL, STALL = CAPTURE["gmacs_mean"], TILE["median_kernel"], CAPTURE["lock_stall"]
STEADY = [1.0, 1.01, 0.99, 1.0, 1.005, 0.995, 1.0]
rates = st.lists(st.floats(0.5, 2), min_size=1, max_size=12)


def samples(values):
    return Samples(np.array(values, np.float64), np.arange(1, len(values) + 1))


def row(base, new, metric=RATE, **about):
    """Return the row of sides of lists of values, shown as the mean of all."""
    shown = tuple(float(np.mean([value for run in side for value in run])) for side in (base, new))
    sides = [[samples(run) for run in side] for side in (base, new)]
    return sampled_row(RowTopic(metric, threshold=metric.threshold, **about), *sides, shown)


def scaled(values, factor):
    return [factor * value for value in values]


def test_a_run_is_exactly_like_itself_however_few_its_samples():
    for values in (STEADY, [1.0], [3.0, 0.1]):
        found = row([values], [values])
        assert (found.judged.verdict, found.estimate, found.low, found.high) == (
            "unchanged",
            0,
            0,
            0,
        )


@given(rates, rates)
def test_a_question_turned_round_mirrors(base, new):
    there, back = row([base], [new]), row([new], [base])
    turned = {"improved": "regressed", "regressed": "improved"}
    assert back.judged.verdict == turned.get(there.judged.verdict, there.judged.verdict)
    assert back.delta == -there.delta
    if there.low is not None:
        assert math.log1p(back.low) == pytest.approx(-math.log1p(there.high), abs=1e-9)
        assert there.low <= there.estimate <= there.high


def test_too_few_samples_say_how_many_are_needed():
    found = row([STEADY], [[0.5, 0.5]])
    assert found.judged.verdict == "undecided"
    assert {"2", "5", "iterations"} <= set(found.judged.reason.replace(",", "").split())
    assert row([STEADY], [[1.0]]).judged.verdict == "undecided"


def test_no_samples_are_undecided():
    about = RowTopic(RATE, threshold=0.02)
    assert sampled_row(about, [samples(STEADY)], [], (1.0, None)).judged.verdict == "undecided"
    assert sampled_row(about, [], [], (None, None)).judged.verdict == "undecided"


def test_an_outlier_is_excluded_and_named():
    found = row([STEADY], [[*STEADY, 0.3]])
    assert found.judged.verdict == "unchanged"
    assert re.search(r"\b8 of new\b", found.judged.reason)
    assert found.relative < -0.05 < found.low


def test_outliers_of_many_are_counted():
    steady = STEADY * 3
    found = row([[*STEADY, 0.3]], [[*steady, 0.3, 0.3, 0.3, 0.3, 0.3]]).judged.reason
    assert re.search(r"\b8 of base\b", found)
    assert has_numbers(found, "22", "23", "24", "2")


def test_what_outliers_turn_round_is_undecided():
    base = [math.exp(0.001 * (at % 3)) for at in range(200)]
    slow = [value * (0.7 if at % 6 == 0 else 1) for at, value in enumerate(base)]
    found = row([base], [slow])
    assert found.judged.verdict == "undecided"
    assert "regressed" in found.judged.reason


def test_three_runs_a_side_are_compared_by_their_means():
    base = [scaled(STEADY, offset) for offset in (1.0, 1.004, 0.996, 1.002)]
    found = row(base, [scaled(run, 0.95) for run in base])
    assert found.judged.verdict == "regressed"
    assert found.estimate == pytest.approx(-0.05, abs=1e-3)
    assert row(base, base[::-1]).judged.verdict == "unchanged"


def test_one_run_is_compared_with_the_spread_of_a_baseline():
    base = [scaled(STEADY, offset) for offset in (1.0, 1.004, 0.996, 1.002, 0.998)]
    assert row(base, [STEADY]).judged.verdict == "unchanged"
    assert row(base, [scaled(STEADY, 0.9)]).judged.verdict == "regressed"
    assert row([scaled(STEADY, 0.9)], base).judged.verdict == "improved"


def test_two_runs_against_many_are_too_few():
    assert row([STEADY, STEADY], [STEADY] * 4).judged.verdict == "undecided"


def test_shares_change_by_points():
    base = [0.30, 0.31, 0.30, 0.29, 0.30, 0.30]
    found = row([base], [[share + 0.05 for share in base]], STALL)
    assert found.judged.verdict == "regressed"
    assert found.relative is None
    assert found.estimate == pytest.approx(math.expm1(0.05))
    assert row([base], [[share + 0.01 for share in base]], STALL).judged.verdict == "unchanged"


def test_a_change_below_the_floor_does_not_matter():
    short = [50.0, 50.0, 50.1, 49.9, 50.0, 50.0]
    assert row([short], [[value + 3 for value in short]], KERNEL).judged.verdict == "unchanged"
    assert row([short], [[value + 6 for value in short]], KERNEL).judged.verdict == "regressed"


def test_one_sample_decides_nothing():
    assert (
        row([STEADY], [scaled(STEADY, 0.5)], CAPTURE["gmacs_worst"]).judged.verdict == "undecided"
    )


def test_of_many_at_once_what_may_be_chance_is_undecided():
    noisy = scaled([1.0, 1.06, 0.95, 1.03, 0.97, 1.0], 100)
    quiet = [row([noisy], [noisy[::-1]], KERNEL, level="tile", key=str(at)) for at in range(30)]
    barely = row([noisy], [scaled(noisy[::-1], 1.07)], KERNEL, level="tile", key="a")
    clear = row([scaled(STEADY, 100)], [scaled(STEADY, 150)], KERNEL, level="tile", key="b")
    assert [one.judged.verdict for one in (barely, clear)] == ["regressed", "regressed"]
    assert [one.judged.verdict for one in families([barely, clear, *quiet])[:2]] == [
        "undecided",
        "regressed",
    ]
    assert families([barely])[0].judged.verdict == "regressed"


def test_the_largest_ratios_there_are_do_no_harm():
    tiny, huge = [1e-300] * 6, [1e300] * 6
    assert row([tiny], [huge]).judged.verdict == "improved"
    assert row([huge], [tiny]).low == -1
    assert row([tiny], [huge]).record()["relative"] is None


def test_outliers_of_a_run_are_looked_for_once_however_often_it_is_compared(monkeypatch):
    looked = []
    find_outliers = sampled.find_outliers
    monkeypatch.setattr(
        sampled, "find_outliers", lambda values: looked.append(1) or find_outliers(values)
    )
    base = samples(STEADY)
    for factor in (1.0, 1.1, 1.2):
        new = samples(scaled(STEADY, factor))
        about = RowTopic(RATE, threshold=RATE.threshold)
        assert sampled_row(about, [base], [new], (1.0, factor)).n_base == len(STEADY)
    assert len(looked) == 4
