"""Values of a counter in a window, as its table has them."""

import numpy as np
import pytest

from analysis.timeline.counter_summary import summarise_counter
from analysis.timeline.counters import CounterTrack

STEPS = CounterTrack("GPU 0", "x", "", np.array([10, 20, 40]), np.array([2.0, 6.0, 1.0]))


@pytest.mark.parametrize(
    ("window", "values"),
    [
        # The mean weighs each value by the time for which it holds.
        ((10, 50), (2, 1, (2 * 10 + 6 * 20 + 1 * 10) / 40, 6, 1)),
        ((15, 30), (2, 2, (2 * 5 + 6 * 10) / 15, 6, 6)),
        # The last value holds until the end of every window.
        ((60, 90), (1, 1, 1, 1, 1)),
        # Before the first sample no value is known.
        ((0, 20), (2, 2, 2, 2, 2)),
        ((0, 11), (2, 2, 2, 2, 2)),
    ],
)
def test_values_are_of_the_window(window, values):
    summary = summarise_counter(STEPS, window)
    found = (summary.first, summary.lowest, summary.mean, summary.highest, summary.last)
    assert found == pytest.approx(values)


def test_a_window_before_the_first_sample_has_no_values():
    assert summarise_counter(STEPS, (0, 10)) is None


def test_the_mean_of_the_largest_values_is_finite():
    track = CounterTrack("GPU 0", "x", "", np.array([0, 1]), np.array([1.7e308, 1.7e308]))
    assert summarise_counter(track, (0, 2)).mean == pytest.approx(1.7e308)
