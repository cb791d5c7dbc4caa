"""Rates above the peak of the cores."""

import pytest

from schema.headlines import headline_of, sort_key
from schema.peak_rates import has_impossible_rates


@pytest.mark.parametrize(
    ("numbers", "impossible"),
    [
        ({"gmacs_mean": 80.0, "gmacs_best": 80.0, "utilization": 1.0}, False),
        ({"gmacs_mean": 81.0, "gmacs_best": 81.0, "utilization": 81 / 80}, True),
        ({"gmacs_mean": 78.0, "gmacs_best": 79.0, "utilization": 78 / 80}, False),
        ({"gmacs_mean": 78.0, "gmacs_best": 82.0, "utilization": 78 / 80}, True),
        ({"gmacs_mean": 78.0, "gmacs_best": 82.0}, False),
        ({"utilization": 1.5}, True),
        ({"gmacs_mean": 0.0, "gmacs_best": 1.0, "utilization": 0.0}, False),
        ({"gmacs_mean": float("nan"), "gmacs_best": 1.0, "utilization": float("nan")}, False),
        ({}, False),
    ],
)
def test_a_mean_or_best_rate_above_the_peak_is_impossible(numbers, impossible):
    assert has_impossible_rates(numbers) is impossible


def test_an_impossible_rate_sorts_below_every_rate_that_is_possible():
    keys = [
        sort_key(headline_of("aie", {"gmacs_mean": rate, "utilization": share}))
        for rate, share in ((964.0, 12.05), (0.0, 0.0), (5.0, 0.5))
    ]
    assert sorted(keys) == keys
