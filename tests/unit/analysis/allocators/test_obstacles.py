"""Why a block has no place: reasons, and changes after which it fits."""

import pytest

from analysis.allocators.free_ranges import read_layout
from analysis.allocators.obstacles import find_obstacles
from analysis.allocators.reasons import attempt_reason
from services.lab.why import reason_words
from tests.support.memory import amap, block, constant, failed

APART = [
    block("low", 0, 4, 0, 64),
    block("mid", 0, 4, 128, 32),
    block("top", 0, 4, 224, 32),
    failed("f", 1, 3, 80),
]


def changes_of(rows, number, **columns):
    return {
        change["kind"]: change for change in find_obstacles(amap(rows, **columns), number).changes
    }


def test_what_is_alive_in_its_life_is_in_the_way_and_nothing_else():
    rows = [*APART, block("later", 3, 4, 64, 64)]
    found = find_obstacles(amap(rows, capacity=256), 3)
    assert [one["block"] for one in found.in_the_way] == [0, 1, 2]
    assert (found.placed, found.largest_gap, found.reason) == (False, 64, "fragmentation")


def test_the_smallest_change_of_each_kind_makes_room():
    changes = changes_of(APART, 3, capacity=256)
    assert set(changes) == {"capacity", "shrink", "move", "drop"}
    assert all(change["verified"] for change in changes.values())
    assert changes["capacity"]["bytes"] == 80
    assert (changes["shrink"]["block"], changes["shrink"]["bytes"]) == (3, 16)
    assert changes["drop"]["block"] == 1
    assert (changes["move"]["block"], changes["move"]["to"], changes["move"]["at"]) == (1, 144, 64)


def test_too_big_and_a_rule_of_banks_are_told_apart():
    big = [block("a", 0, 2, 0, 200), failed("b", 0, 1, 100)]
    assert find_obstacles(amap(big, capacity=256), 1).reason == "too_big"
    fits = find_obstacles(amap([block("a", 0, 2, 0, 100), failed("b", 0, 1, 100)], capacity=256), 1)
    assert (fits.reason, fits.changes) == ("bank_rule", [])


@pytest.mark.parametrize(
    ("columns", "is_ruled"),
    [
        ({"banks": 4, "bank_bytes": 64}, True),
        ({"allow_bank_conflict": 0}, True),
        ({"allow_bank_conflict": 1, "banks": 4, "bank_bytes": 64}, False),
        ({"banks": 1, "bank_bytes": 256}, False),
        ({}, False),
    ],
    ids=str,
)
def test_a_rule_of_banks_is_named_only_if_there_is_one(columns, is_ruled):
    shown = amap([block("a", 0, 2, 0, 100), failed("b", 0, 1, 100)], capacity=256, **columns)
    found = find_obstacles(shown, 1)
    assert found.has_bank_rule == is_ruled
    assert ("bank rule" in reason_words(found)) == is_ruled


def test_an_attempt_fails_by_a_rule_where_any_of_its_blocks_would_fit():
    one = amap([*APART, failed("small", 1, 3, 8)], capacity=256)
    assert attempt_reason(one, read_layout(one), 216) == "bank_rule"
    assert attempt_reason(one, read_layout(one), 300) == "too_big"
    alone = amap(APART, capacity=256)
    assert attempt_reason(alone, read_layout(alone), 208) == "fragmentation"


def test_a_placed_block_needs_no_change_and_unknown_ones_are_refused():
    shown = amap([constant("c"), block("a", 0, 1, 0, 8)], capacity=64)
    found = find_obstacles(shown, 1)
    assert (found.placed, found.reason, found.changes) == (True, None, [])
    for number in (0, 7):
        with pytest.raises(ValueError, match=r"\w"):
            find_obstacles(shown, number)


def test_without_a_capacity_no_reason_is_known():
    found = find_obstacles(amap([block("a", 0, 2, 0, 8), failed("b", 0, 1, 8)]), 1)
    assert (found.largest_gap, found.reason, found.changes) == (None, None, [])
