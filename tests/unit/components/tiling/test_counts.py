"""Counts in the captions of tilings: parts sum to their whole, and nothing is counted if unknown."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from analysis.tiling.deeploy.network_summary import CapacityStep, NetworkLevel
from components.tiling.captions import operators_caption
from components.tiling.network_words import moved_sentence, network_caption, step_sentence

LEVEL = NetworkLevel("L1", 0, 4096, 5, 2, 300, 100, (), 2048, 1024, 0, "", ())


def operators(*tiles):
    """Return operators with these numbers of tiles, None if unknown."""
    return [
        SimpleNamespace(
            own=SimpleNamespace(tiles=count, moved_bytes=None),
            share=None,
            model=None,
            operator=SimpleNamespace(level="L1", step=step, name="op"),
        )
        for step, count in enumerate(tiles)
    ]


def numbers(sentence):
    return [int(digits) for digits in re.findall(r"\d+", sentence)]


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        ((1, 2, 3), [2, 3]),
        ((1, 2, 3, None, None), [2, 3, 2]),
        ((1, None), [0, 1, 1]),
        ((None, None), [2]),
        ((None,), []),
    ],
)
def test_cut_known_and_unknown_operators_are_counted_apart(tiles, expected):
    assert numbers(operators_caption(operators(*tiles))) == expected


def test_a_sum_without_a_known_part_is_not_known():
    unknown = replace(LEVEL, unknown=5, bytes_in=0, bytes_out=0)
    step = CapacityStep(2048, (), 5, 0, {})
    assert numbers(moved_sentence(LEVEL)) == [400, 300, 100, 2, 5]
    assert numbers(moved_sentence(unknown)) == []
    assert "move" not in step_sentence(unknown, step)
    assert "move" in step_sentence(LEVEL, step)


def test_a_network_of_one_operator_is_singular():
    one = replace(LEVEL, operators=1, unknown=0)
    assert "operators" not in network_caption(one)
    assert "It moves" in moved_sentence(one)


def test_static_data_that_the_tiler_does_not_count_are_named_once():
    assert "static" not in network_caption(LEVEL)
    assert "18 B of static" in network_caption(replace(LEVEL, added_static=18)).replace(
        "\u202f", " "
    )
    noted = replace(LEVEL, added_static=18, capacity_note="L1 needs 18 static bytes more.")
    assert network_caption(noted).count("static") == 1
