"""The exact least-squares partition."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from analysis.statistics.partition import MAX_STARTS, MIN_PART_LENGTH, partition


def cost_of(values, cuts, cost):
    parts = [values[first:end] for first, end in pairwise([0, *cuts, len(values)])]
    return sum(((part - part.mean()) ** 2).sum() for part in parts) + cost * len(cuts)


def cheapest(values, cost):
    """Return the least cost of all partitions, each tried."""
    count = len(values)
    every = (cuts for size in range(count) for cuts in combinations(range(1, count), size))
    fit = (
        cuts
        for cuts in every
        if all(b - a >= MIN_PART_LENGTH for a, b in pairwise([0, *cuts, count]))
    )
    return min(cost_of(values, cuts, cost) for cuts in fit)


@pytest.mark.parametrize("seed", range(8))
def test_no_other_partition_costs_less(seed):
    values = np.random.default_rng(seed).standard_normal(13).cumsum()
    for cost in (0.0, 0.5, 3.0, 100.0):
        assert cost_of(values, partition(values, cost), cost) == pytest.approx(
            cheapest(values, cost)
        )


def test_parts_have_three_values_at_least():
    assert partition(np.array([0.0, 0, 9, 9]), 0.0) == []
    assert partition(np.array([0.0, 0, 0, 9, 9, 9]), 1.0) == [3]


def test_a_long_series_keeps_its_steps_where_places_are_left_out():
    values = np.repeat([0.0, 5.0, 0.0, -4.0], MAX_STARTS) + np.random.default_rng(
        1
    ).standard_normal(4 * MAX_STARTS)
    cuts = partition(values, 25.0)
    assert len(cuts) == 3
    assert np.abs(np.array(cuts) - MAX_STARTS * np.arange(1, 4)).max() <= 2
