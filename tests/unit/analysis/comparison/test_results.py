"""Comparison of named numbers: by their spread, by the threshold alone, and what decides."""

import numpy as np
import pytest

from analysis.comparison.outcome import MAX_REASONS, outcome
from analysis.comparison.results import result_rows, unpaired_numbers
from analysis.results.numbers import NamedNumbers
from schema.result_metrics import EVERY, result_key

STEP = result_key("step", "ns", "less")
RATE = result_key("rate", "tokens/s", "more")
SIZE = result_key("size", "bytes", "less")
SCORE = result_key("score", "", "")
NOISE = np.array([0.99, 1.0, 1.01, 1.005, 0.995, 1.002, 0.998, 1.0])


def numbers(values, samples=()):
    return NamedNumbers("run", dict(values), dict(samples), {})


def verdicts(base, new, thresholds=None):
    rows = result_rows(base, new, thresholds or {})
    return {row.metric.name: row.judged.verdict for row in rows}


def measured(key, value):
    return numbers({key: value}, {key: value * NOISE})


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.2, "regressed"), (0.8, "improved"), (1.001, "unchanged")]
)
def test_samples_are_tested_and_the_direction_is_that_of_the_file(factor, verdict):
    less = result_rows([measured(STEP, 100.0)], [measured(STEP, 100.0 * factor)], {})
    assert [row.judged.verdict for row in less] == [verdict]
    assert less[0].low is not None
    assert less[0].low < factor - 1 < less[0].high
    more = verdicts([measured(RATE, 100.0)], [measured(RATE, 100.0 / factor)])
    assert more == {RATE: verdict}


def test_of_single_numbers_the_threshold_alone_decides_and_says_so():
    (row,) = result_rows([numbers({STEP: 100.0})], [numbers({STEP: 110.0})], {})
    assert (row.judged.verdict, row.n_base, row.n_new) == ("regressed", 1, 1)
    assert "spread" in row.judged.reason
    assert verdicts([numbers({STEP: 100.0})], [numbers({STEP: 104.0})]) == {STEP: "unchanged"}
    assert verdicts([numbers({SIZE: 1000.0})], [numbers({SIZE: 1010.0})]) == {SIZE: "regressed"}


def test_runs_are_samples_from_three_on():
    base = [numbers({STEP: value}) for value in (100.0, 101.0, 99.0, 100.5)]
    assert verdicts(base, [numbers({STEP: 120.0})]) == {STEP: "regressed"}
    # A spread of 20 % hides a change of 15 %.
    wide = [numbers({STEP: value}) for value in (80.0, 120.0, 100.0, 110.0)]
    assert verdicts(wide, [numbers({STEP: 115.0})]) == {STEP: "undecided"}


def test_a_user_sets_the_threshold_of_all_or_of_one():
    sides = [numbers({STEP: 100.0, RATE: 100.0})], [numbers({STEP: 110.0, RATE: 90.0})]
    assert verdicts(*sides) == {STEP: "regressed", RATE: "regressed"}
    assert verdicts(*sides, {EVERY: 0.2}) == {STEP: "unchanged", RATE: "unchanged"}
    assert verdicts(*sides, {EVERY: 0.2, RATE: 0.05}) == {STEP: "unchanged", RATE: "regressed"}


def test_a_number_without_a_direction_is_shown_and_decides_nothing():
    (row,) = result_rows([numbers({SCORE: 1.0})], [numbers({SCORE: 9.0})], {})
    assert (row.judged.verdict, row.gates) == ("changed", False)
    assert outcome([row])[0] == "undecided"


def test_a_number_of_one_side_is_listed_and_decides_nothing():
    base, new = [numbers({STEP: 1.0, SIZE: 1.0})], [numbers({STEP: 1.0, RATE: 2.0})]
    rows = {row.metric.name: row for row in result_rows(base, new, {})}
    assert {name: row.gates for name, row in rows.items()} == {STEP: True, SIZE: False, RATE: False}
    assert unpaired_numbers(base, new).record() == {"only_base": ["size"], "only_new": ["rate"]}
    assert outcome([*rows.values()])[0] == "unchanged"


def test_numbers_at_and_below_zero_are_compared_exactly():
    many = NOISE - 1.0
    sides = ([numbers({STEP: 0.0}, {STEP: many})], [numbers({STEP: 5.0}, {STEP: many + 5.0})])
    assert verdicts(*sides) == {STEP: "regressed"}


@pytest.mark.slow
def test_many_tests_are_corrected_for_their_number():
    generator = np.random.default_rng(7)
    keys = [result_key(f"n{rank}", "ns", "less") for rank in range(400)]

    def side():
        own = {key: np.exp(generator.normal(0, 0.08, 8)) for key in keys}
        return [numbers({key: float(np.median(values)) for key, values in own.items()}, own)]

    base = side()
    found = list(verdicts(base, side()).values())
    # Nothing changed: without the correction about one in forty would be called regressed.
    assert found.count("regressed") == 0
    slow = {
        key: values * (2.0 if key == keys[3] else 1.0) for key, values in base[0].samples.items()
    }
    assert verdicts(base, [numbers(base[0].values, slow)])[keys[3]] == "regressed"


def test_the_reasons_of_a_verdict_are_bounded():
    keys = [result_key(f"n{rank}", "ns", "less") for rank in range(MAX_REASONS + 30)]
    base = [numbers(dict.fromkeys(keys, 100.0))]
    new = [numbers({key: 120.0 + rank for rank, key in enumerate(keys)})]
    verdict, reasons = outcome(result_rows(base, new, {}))
    assert (verdict, len(reasons)) == ("regressed", MAX_REASONS + 1)
    # The largest change comes first.
    assert reasons[0].startswith(f"n{len(keys) - 1} ")
    assert "30" in reasons[-1]
