"""Axes of whole numbers have no tick that is a fraction, or outside of the data."""

import math

import numpy as np
import pandas as pd
import pytest

from components.aie.addresses import address_order
from components.comparison.iterations import RunIterations
from components.comparison.iterations import iterations as compared_iterations
from components.comparison.trend_places import axis as trend_axis
from components.index_axis import index_axis
from components.kernels.counters_grid import counter_instances
from components.results.samples_plot import samples_plot
from tests.support.trends import series_of


def ticks_of(axis):
    """List the whole numbers within the range of an axis, None if fractions may be ticks."""
    low, high = axis["range"]
    whole = list(range(math.ceil(low), math.floor(high) + 1))
    if len(whole) <= 12 and axis["dtick"] != 1:
        return None
    return whole


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (0, 12), (3, 7), (1, 5_000)])
def test_ticks_are_the_numbers_of_the_data(first, last):
    assert ticks_of(index_axis("step", first, last)) == list(range(first, last + 1))


def compared(numbers):
    every = np.ones(len(numbers), bool)
    return RunIterations("base", "a", np.array(numbers), np.full(len(numbers), 5.0), every, ~every)


def ordered_records(count):
    return pd.DataFrame(
        {"track": "core 2,0", "name": "JUMP", "order": range(count), "pc": range(0, 4 * count, 4)}
    )


@pytest.mark.parametrize("count", [2, 13])
def test_the_plots_of_numbered_things_use_it(count):
    numbers = np.arange(count)
    figures = [
        compared_iterations([compared(numbers)], None, "light"),
        counter_instances(pd.Series(np.full(count, 7), index=numbers), "waves", "light"),
        samples_plot(np.linspace(1.0, 2.0, count), "ns", 1.5, "light", "order"),
        address_order(ordered_records(count), "light"),
    ]
    for figure in figures:
        assert ticks_of(figure.layout.xaxis) == numbers.tolist()


def test_runs_of_a_trend_are_numbered_from_one():
    assert ticks_of(trend_axis([series_of([1.0] * 5), series_of([1.0] * 3)], "order", 1)) == [
        1,
        2,
        3,
        4,
        5,
    ]
