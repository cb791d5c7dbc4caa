"""The headline of a run: a kind per source, one number with its detail, and the order of both."""

import itertools
import math

import pytest

from schema.headlines import HEADLINE_KINDS, RunHeadline, headline_of, sort_key
from schema.metrics import METRICS
from schema.sources import SOURCES


def test_kinds_are_of_the_registry_and_every_source_has_kinds_of_its_own():
    assert {kind.number for kind in HEADLINE_KINDS.values()} <= set(METRICS)
    for source in SOURCES:
        assert source.headlines, source.name
        assert set(source.headlines) <= set(HEADLINE_KINDS), source.name


MEMORY = {"peak_memory": 81_072.0, "memory_bound": 69_524.0, "capacity_use": 0.9896}


UNPLACED = {
    "peak_memory": 0.0,
    "capacity_use": 0.0,
    "memory_bound": 304_096.0,
    "bound_use": 1.16,
}
"""Numbers of a plan without a placed block, besides its failed blocks."""


@pytest.mark.parametrize(
    ("source", "numbers", "kind", "value", "detail"),
    [
        (
            "aie",
            {"gmacs_mean": 237.9, "utilization": 0.74, "median_kernel": 646},
            "rate",
            237.9,
            0.74,
        ),
        (
            "aie",
            {"gmacs_mean": 237.9, "median_kernel": 6, "vector_share": 0.1},
            "rate",
            237.9,
            None,
        ),
        ("aie_words", {"median_kernel": 595.5, "vector_share": 0.13}, "cycles", 595.5, 0.13),
        ("aie_design", MEMORY, "address", 81_072.0, 0.9896),
        ("tpu_mlir", MEMORY, "memory", 81_072.0, 0.9896),
        ("minimalloc", MEMORY, "placement", 81_072.0, 81_072 / 69_524 - 1),
        ("deeploy", MEMORY | {"capacity_use": 1.007}, "memory", 81_072.0, 1.007),
        ("minimalloc", {"memory_bound": 69_524.0, "bound_use": 0.85}, "problem", 69_524.0, 0.85),
        ("tpu_mlir", UNPLACED | {"failed_blocks": 2.0}, "unplaced", 304_096.0, 1.16),
        ("deeploy", UNPLACED | {"failed_blocks": 2.0}, "unplaced", 304_096.0, 1.16),
        ("tpu_mlir", UNPLACED | {"failed_blocks": 0.0}, "memory", 0.0, 0.0),
        ("tpu_mlir", UNPLACED | {"failed_blocks": 2.0, "peak_memory": 64.0}, "memory", 64.0, 0.0),
        ("deeploy", MEMORY | {"memory_waste": 8.0}, "placement", 81_072.0, 81_072 / 69_524 - 1),
        ("xla", {"peak_memory": 49_152.0, "memory_bound": 49_152.0}, "placement", 49_152.0, 0.0),
        (
            "kineto",
            {"step_time": 1e6, "busy_share": 0.9, "kernel_time": 5e6} | MEMORY,
            "step",
            1e6,
            0.9,
        ),
        ("kineto", {"kernel_time": 5e6, "busy_share": 0.9}, "kernel_time", 5e6, None),
        ("torch_snapshot", MEMORY | {"peak_reserved": 90_000.0}, "memory", 81_072.0, 0.9896),
        ("torch_snapshot", {"peak_memory": 30.0, "peak_reserved": 40.0}, "reserved", 30.0, 0.75),
        ("of another package", {"kernel_time": 5e6, "busy_share": 0.9}, "kernel_time", 5e6, None),
    ],
)
def test_a_headline_is_of_the_kind_of_its_source(source, numbers, kind, value, detail):
    headline = headline_of(source, numbers)
    assert headline is not None
    assert (headline.kind, headline.value) == (kind, value)
    assert headline.detail == (None if detail is None else pytest.approx(detail))
    assert headline.unit == METRICS[headline.metric].unit


@pytest.mark.parametrize(
    "numbers", [{}, {"findings": 1.0}, {"gmacs_mean": None}, {"gmacs_mean": math.nan}]
)
def test_a_run_without_such_a_number_has_no_headline(numbers):
    assert headline_of("aie", numbers) is None
    assert sort_key(None) == ""


def made(kind, value, detail=None):
    own = HEADLINE_KINDS[kind]
    return RunHeadline(kind, own.number, value, own.unit, detail, own.detail.unit, "")


def in_order(headlines):
    return sorted(headlines, key=sort_key, reverse=True)


VALUES = (-2.5, -1e-300, 0.0, 1e-300, 0.1, 1.0, 2.0, 10.0, 1e18, 1.5e300)


@pytest.mark.parametrize("kind", sorted(HEADLINE_KINDS))
def test_headlines_of_a_kind_sort_in_its_good_direction(kind):
    more_is_better = METRICS[HEADLINE_KINDS[kind].number].polarity > 0
    shuffled = [made(kind, value) for value in (*VALUES[::2], *VALUES[1::2])]
    found = [headline.value for headline in in_order(shuffled)]
    assert found == sorted(VALUES, reverse=more_is_better)


def test_headlines_are_grouped_by_kind_whatever_their_numbers():
    mixed = [made(kind, value) for value, kind in itertools.product(VALUES, HEADLINE_KINDS)]
    kinds = [kind for kind, _ in itertools.groupby(headline.kind for headline in in_order(mixed))]
    assert len(kinds) == len(set(kinds)) == len(HEADLINE_KINDS)


def test_of_equal_numbers_the_better_detail_is_first():
    plans = [made("placement", 9_300.0, gap) for gap in (0.9, 0.0, 0.1)]
    assert [headline.detail for headline in in_order(plans)] == [0.0, 0.1, 0.9]
    rates = [made("rate", 237.0, share) for share in (0.5, 0.75)]
    assert [headline.detail for headline in in_order(rates)] == [0.75, 0.5]


def test_zero_of_either_sign_sorts_alike():
    assert sort_key(made("rate", 0.0)) == sort_key(made("rate", -0.0))
