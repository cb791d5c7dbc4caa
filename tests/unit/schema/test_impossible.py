"""Metrics of a run that are impossible."""

import pytest

from schema.headlines import headline_of, sort_key
from schema.impossible import explain_impossible, impossible_metrics
from schema.peak_rates import IMPOSSIBLE, RATES

ALLOCATED = {"peak_memory": 300.0, "memory_capacity": 100.0, "capacity_use": 3.0}
FAST = {"gmacs_mean": 81.0, "gmacs_best": 82.0, "utilization": 1.01}


@pytest.mark.parametrize(
    ("numbers", "names"),
    [
        ({}, set()),
        (FAST, {"gmacs_mean", "gmacs_best", "utilization"}),
        (FAST | {"utilization": 0.9, "kernel_utilization": 1.5}, {"kernel_utilization"}),
        # A plan may exceed its capacity, but an allocator cannot give out more than it has.
        (ALLOCATED, set()),
        (ALLOCATED | {"peak_reserved": 400.0}, {"capacity_use"}),
        (ALLOCATED | {"peak_reserved": 400.0, "capacity_use": 1.0}, set()),
    ],
)
def test_numbers_that_no_hardware_reaches_are_impossible(numbers, names):
    assert set(impossible_metrics(numbers)) == names


def test_the_explanation_is_about_the_metric():
    assert {explain_impossible(name) for name in RATES} == {IMPOSSIBLE}
    assert explain_impossible("capacity_use") != IMPOSSIBLE


def test_the_bytes_of_an_allocator_sort_as_usual_if_its_capacity_is_wrong():
    sizes = [100.0, 200.0, 300.0]
    headlines = [
        headline_of("torch_snapshot", ALLOCATED | {"peak_memory": peak, "peak_reserved": 400.0})
        for peak in sizes
    ]
    assert all(headline.impossible for headline in headlines)
    assert [h.value for h in sorted(headlines, key=sort_key, reverse=True)] == sizes


def test_placements_that_miss_blocks_sort_behind_complete_ones():
    peaks = {"whole": (500.0, 0.0), "partial": (300.0, 2.0)}
    keys = {
        name: sort_key(
            headline_of(
                "tpu_mlir",
                {"peak_memory": peak, "capacity_use": peak / 600, "failed_blocks": failed},
            )
        )
        for name, (peak, failed) in peaks.items()
    }
    assert keys["whole"] > keys["partial"]
