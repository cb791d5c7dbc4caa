"""Values of an allocation that share bytes while both are alive."""

from itertools import combinations, product

import pytest

from data_loaders.xla.sharing import Placed, storage_owners


def test_values_share_with_the_value_whose_bytes_and_life_they_meet():
    values = [Placed(0, 8, 0, 4), Placed(8, 16, 0, 4), Placed(4, 12, 2, 6), Placed(0, 8, 6, 9)]
    assert storage_owners(values) == [None, 0, 0, None]


@pytest.mark.parametrize(
    "last",
    [
        # Beside the first, which is alive, where the second was, which is not.
        Placed(8, 16, 5, 9),
        Placed(9, 12, 4, 5),
    ],
)
def test_a_merged_group_does_not_keep_bytes_of_a_value_that_ended(last):
    values = [Placed(0, 8, 0, 10), Placed(4, 12, 2, 4), last]
    assert storage_owners(values) == [None, 0, None]


def test_a_merged_group_does_not_live_longer_beside_its_longest_value():
    values = [Placed(0, 4, 0, 3), Placed(2, 8, 1, 9), Placed(0, 2, 5, 6)]
    assert storage_owners(values) == [1, None, None]


def test_a_value_without_bytes_shares_with_no_value():
    assert storage_owners([Placed(4, 4, 0, 9), Placed(0, 8, 0, 9)]) == [None, None]


def test_the_owner_is_the_largest_of_a_group_and_the_first_of_equals():
    values = [Placed(0, 2, 0, 3), Placed(0, 8, 1, 4), Placed(0, 8, 2, 5), Placed(8, 9, 0, 9)]
    assert storage_owners(values) == [1, None, 1, None]


def owners_of_pairs(values):
    """Find the largest value of each group by comparing every pair of values."""
    roots = list(range(len(values)))
    for second, first in product(range(len(values)), repeat=2):
        one, other = values[first], values[second]
        bytes_meet = max(one.low, other.low) < min(one.high, other.high)
        if bytes_meet and max(one.start, other.start) < min(one.end, other.end):
            low, high = sorted((roots[first], roots[second]))
            roots = [low if root == high else root for root in roots]
    sizes = [value.high - value.low for value in values]
    groups = [[rank for rank in range(len(values)) if roots[rank] == root] for root in roots]
    owners = [max(group, key=lambda rank: (sizes[rank], -rank)) for group in groups]
    return [None if owner == rank else owner for rank, owner in enumerate(owners)]


@pytest.mark.slow
def test_groups_are_those_of_all_pairs():
    spans = [(0, 2), (1, 3), (2, 4), (0, 4)]
    lives = [(0, 2), (1, 5), (3, 4)]
    values = [Placed(*span, *life) for span, life in product(spans, lives)]
    for chosen in combinations(values, 5):
        assert storage_owners(chosen) == owners_of_pairs(chosen)


def test_long_and_short_values_of_many_blocks_of_ranges_are_grouped():
    count = 300
    apart = [Placed(rank * 4, rank * 4 + 4, 0, 1000) for rank in range(count)]
    wide = [Placed(40, 80, 5, 6), Placed(4 * count - 8, 4 * count, 5, 6)]
    assert storage_owners(apart + wide) == owners_of_pairs(apart + wide)
    whole = Placed(0, 4 * count, 7, 8)
    assert storage_owners([*apart, whole]) == [count] * count + [None]
