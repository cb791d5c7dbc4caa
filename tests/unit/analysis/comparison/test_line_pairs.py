"""Lines of two texts beside each other."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.comparison.line_pairs import MAX_EDITS, MAX_LINES, LinePair, pair_lines

LINES = st.lists(st.sampled_from("abcd"), max_size=10)


def longest_common(one, other):
    """Return how many lines a longest common subsequence has, by the textbook's recursion."""

    @cache
    def count(i, j):
        if i == len(one) or j == len(other):
            return 0
        return (
            1 + count(i + 1, j + 1) if one[i] == other[j] else max(count(i + 1, j), count(i, j + 1))
        )

    return count(0, 0)


@given(LINES, LINES)
def test_both_texts_are_whole_and_as_much_as_can_be_is_the_same(base, new):
    pairs = pair_lines(base, new)
    assert [pair.base for pair in pairs if pair.base is not None] == base
    assert [pair.new for pair in pairs if pair.new is not None] == new
    assert sum(pair.is_same for pair in pairs) == longest_common(base, new)


def test_a_changed_line_is_beside_the_one_in_its_place():
    assert pair_lines(["a", "b", "c"], ["a", "x", "c"]) == [
        ("a", "a"),
        LinePair("b", "x"),
        ("c", "c"),
    ]


@pytest.mark.slow
def test_texts_that_differ_everywhere_are_replaced_between_their_ends():
    many = MAX_EDITS + 1
    base, new = (["head", *[f"{name}{n}" for n in range(many)], "end"] for name in "ab")
    pairs = pair_lines(base, new)
    assert (len(pairs), sum(pair.is_same for pair in pairs)) == (many + 2, 2)


def test_longer_texts_are_cut():
    assert len(pair_lines(["a"] * (MAX_LINES + 5), ["a"] * (MAX_LINES + 5))) == MAX_LINES
