"""What a sweep of tile sizes leads to."""

from math import log2

import pytest

from analysis.tiling.advice import MeasuredRun, advise_size
from analysis.tiling.array_gemm import Whole, array_tile

WHOLE = Whole(256, 256, 256, 2, 2, 2, (4, 4, 4))
SWEEP = [
    (16, 32, 32),
    (32, 32, 32),
    (64, 32, 32),
    (32, 64, 32),
    (32, 64, 64),
    (64, 64, 32),
    (16, 128, 64),
]


def rate(size, overhead=150):
    m, k, n = size
    period = overhead + 0.2 * m * n + 0.0125 * m * k * n
    return 256**3 / (array_tile(WHOLE, *size).kernels_per_core * period)


def runs(sizes, **law):
    return [MeasuredRun(f"run{at}", size, rate(size, **law)) for at, size in enumerate(sizes)]


def test_measured_sizes_are_medians_of_their_runs_best_first():
    more = [
        MeasuredRun("low", SWEEP[0], 1.0),
        MeasuredRun("high", SWEEP[0], 9.0),
        MeasuredRun("mid", SWEEP[0], 5.0),
    ]
    advice = advise_size(WHOLE, [*more, MeasuredRun("other", SWEEP[1], 6.0)])
    assert [(one.size, one.runs, one.gmacs, one.run_id, one.won) for one in advice.measured] == [
        (SWEEP[1], 1, 6.0, "other", True),
        (SWEEP[0], 3, 5.0, "high", False),
    ]


def test_sizes_are_measured_predicted_or_refused_once():
    advice = advise_size(WHOLE, runs(SWEEP))
    parts = [
        [one.size for one in part] for part in (advice.measured, advice.predicted, advice.refused)
    ]
    named = [size for part in parts for size in part]
    assert len(named) == len(set(named)) and all(parts)
    assert all(one.reason for one in advice.refused)


def test_predictions_are_the_rates_of_the_law_within_their_intervals():
    for one in advise_size(WHOLE, runs(SWEEP)).predicted:
        assert one.low <= rate(one.size) <= one.high and one.low < one.gmacs < one.high


@pytest.mark.parametrize(("size", "reason"), [((8, 32, 32), "m = 8"), ((64, 64, 64), "m k n")])
def test_what_lies_outside_of_the_sweep_is_refused_with_what_does(size, reason):
    refused = {one.size: one.reason for one in advise_size(WHOLE, runs(SWEEP)).refused}
    assert reason in refused[size]


def test_few_sizes_are_listed_and_nothing_is_predicted():
    advice = advise_size(WHOLE, runs(SWEEP[:5]))
    assert (advice.model, advice.predicted) == (None, ())
    assert all("5" in one.reason for one in advice.refused)
    assert advice.best.measured and advice.best.size == advice.measured[0].size


def test_a_predicted_size_is_advised_only_where_its_interval_lies_above_the_measured():
    assert advise_size(WHOLE, runs(SWEEP)).best.measured
    better = advise_size(WHOLE, runs([*SWEEP[:-1], (16, 128, 16)]))
    assert not better.best.measured
    guess = next(one for one in better.predicted if one.size == better.best.size)
    assert guess.low > better.measured[0].gmacs and better.best.gmacs == guess.gmacs


def test_no_runs_give_no_advice():
    advice = advise_size(WHOLE, [])
    assert (advice.measured, advice.best, advice.model) == ((), None, None)


def test_refused_sizes_that_are_nearest_to_the_measured_ones_come_first():
    refused = [one.size for one in advise_size(WHOLE, runs(SWEEP)).refused]

    def doublings(size):
        measured = [(m, k, n, m * k * n) for m, k, n in SWEEP]
        own = (*size, size[0] * size[1] * size[2])
        spans = [
            (value, min(column), max(column))
            for value, column in zip(own, zip(*measured, strict=True), strict=True)
        ]
        return sum(max(log2(low / value), log2(value / high), 0) for value, low, high in spans)

    assert [doublings(size) for size in refused] == sorted(map(doublings, refused))
    assert advise_size(WHOLE, runs(SWEEP)).shared_reason == ""
    assert advise_size(WHOLE, runs(SWEEP[:5])).shared_reason != ""
