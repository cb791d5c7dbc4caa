"""Advice on tile sizes: its sentence, its table, its plot."""

import re

import pytest

from analysis.tiling.advice import Advice, BestSize, MeasuredSize, PredictedSize, RefusedSize
from analysis.tiling.kernel_period import PeriodModel
from components.tiling.advice_captions import NOTHING_MEASURED, advice_caption
from components.tiling.advice_table import MAX_PREDICTED, advice_cells, advice_table
from components.tiling.rate_plot import RatedSize, rate_plot
from tests.support.components import words
from tests.support.sentences import COUNT, number_faults, plain

OWN, BEST, GUESS = (16, 16, 16), (32, 32, 32), (64, 32, 32)
MEASURED = (MeasuredSize(BEST, 2, 200.0, "beef", True), MeasuredSize(OWN, 1, 100.0, "cafe", False))
MODEL = PeriodModel((1.0, 0.0, 0.0, 0.1), None, 0.02, 0.05, 7)


def advice(best, predicted=(), model=MODEL):
    return Advice(MEASURED, model, predicted, (RefusedSize((8, 8, 8), "m = 8 is outside"),), best)


def test_the_sentence_names_the_best_size_its_rate_and_the_runs_own():
    caption = advice_caption(advice(BestSize(BEST, 200.0, True)), OWN)
    assert (
        caption.startswith("32 × 32 × 32")
        and "200" in caption
        and "100 GMAC/s" in caption
        and "50.0" in caption
    )


def test_a_predicted_size_is_said_to_be_not_measured_with_its_interval():
    guess = PredictedSize(GUESS, 250.0, 240.0, 260.0)
    caption = advice_caption(advice(BestSize(GUESS, 250.0, False), (guess,)), OWN)
    assert (
        caption.startswith("64 × 32 × 32")
        and "240" in caption
        and "260" in caption
        and "not measured" in caption
    )


def test_without_a_measured_size_nothing_is_advised():
    assert advice_caption(Advice((), None, (), (), None)) == NOTHING_MEASURED


def test_the_table_marks_winner_and_own_and_says_what_it_leaves_out():
    many = tuple(
        PredictedSize((16, 16, 16 * at), 50.0, 49.0, 51.0) for at in range(1, MAX_PREDICTED + 4)
    )
    found = advice(BestSize(BEST, 200.0, True), many)
    cells = advice_cells(found, OWN)
    assert [row[-1] for row in cells[:2]] == ["best measured", "this run"]
    assert len(cells) == 2 + MAX_PREDICTED + 1 and "m = 8" in cells[-1][-1]
    assert "3 further sizes" in words(advice_table(found, OWN))


def test_one_reason_of_all_refused_sizes_is_one_row():
    refused = tuple(RefusedSize((8, 8, 8 * at), "too few") for at in range(1, 60))
    found = Advice(MEASURED, None, (), refused, BestSize(BEST, 200.0, True))
    (row,) = advice_cells(found, OWN)[2:]
    assert "59" in row[0] and "too few" in row[-1]
    assert "further" not in words(advice_table(found, OWN))
    mixed = Advice(MEASURED, None, (), (*refused[:1], RefusedSize((4, 4, 4), "too small")), None)
    assert len(advice_cells(mixed, OWN)) == 4


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_predicted_points_have_their_intervals(theme):
    sizes = [
        RatedSize(4096, 200.0, None, False, "a"),
        RatedSize(2048, 100.0, None, True, "b"),
        RatedSize(8192, 250.0, (240.0, 265.0), False, "c"),
    ]
    traces = {trace.name: trace for trace in rate_plot(sizes, theme).data}
    assert set(traces) == {"measured", "predicted, 95 %", "this run"}
    bars = traces["predicted, 95 %"].error_y
    assert (list(bars["array"]), list(bars["arrayminus"])) == ([15.0], [10.0])


def test_the_reach_of_predictions_is_that_of_their_intervals():
    guesses = tuple(PredictedSize((16, 16, 16 * at), 250.0, 200.0, 312.5) for at in (1, 2))
    for predicted in (guesses, guesses[:1]):
        caption = plain(advice_caption(advice(BestSize(BEST, 200.0, True), predicted), OWN))
        low, high = re.search(r"from ([−+][\d.]+) % to ([−+][\d.]+) %", caption).groups()
        ends = [100 * (end / 250.0 - 1) for end in (200.0, 312.5)]
        assert [float(low.replace("−", "-")), float(high)] == pytest.approx(ends)
        assert int(re.search(rf"{COUNT} other sizes? predicted", caption)[1]) == len(predicted)
        assert not number_faults(caption)


def test_without_a_predicted_size_no_interval_is_named():
    caption = advice_caption(advice(BestSize(BEST, 200.0, True)), OWN)
    assert "95 %" not in plain(caption) and "0 other" not in caption
