"""Which blocks of two plans are the same, and what became of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.comparison.block_pairs import WORDS, paired_blocks
from tests.support.memory import block, blocks


def side(*rows):
    return blocks(rows).assign(pair=0)


def told(base, new):
    """Return (name_base, name_new): words of each block that changed."""
    found = paired_blocks(base, new).to_dict("records")
    named = {
        (row["name_base"], row["name_new"]): {word for word in WORDS if row[word]} for row in found
    }
    return {names: words for names, words in named.items() if words}


A = block("a", 0, 2, address=0, size=64)
TURNED = {
    "grown": "shrunk",
    "shrunk": "grown",
    "longer": "shorter",
    "shorter": "longer",
    "born": "gone",
    "gone": "born",
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, set()),
        ({"address": 64}, {"moved"}),
        ({"size": 96}, {"grown"}),
        ({"size": 32, "address": 8}, {"shrunk", "moved"}),
        ({"end": 3}, {"longer"}),
        ({"start": 1}, {"shorter"}),
        ({"start": 1, "end": 3}, {"shifted"}),
    ],
)
def test_what_became_of_a_block(change, words):
    assert told(side(A), side(A | change)) == ({("a", "a"): words} if words else {})


LOST = {"address": None, "status": "unplaced"}


@pytest.mark.slow
def test_a_block_that_lost_its_address_moved_but_not_in_a_map_without_addresses():
    other = A | {"name": "b"}
    assert told(side(A, other), side(A | LOST, other)) == {("a", "a"): {"moved"}}
    assert told(side(A, other), side(A | LOST, other | LOST)) == {}
    assert told(side(A | LOST, other | LOST), side(A, other)) == {}


def test_a_block_of_another_name_with_the_same_life_and_size_was_renamed():
    assert told(side(A), side(A | {"name": "b"})) == {("a", "b"): {"renamed"}}


def test_two_that_fit_are_not_told_apart():
    pair = A | {"name": "c"}
    assert told(side(A, pair), side(A | {"name": "x"}, pair | {"name": "y"})) == {
        ("a", None): {"gone"},
        ("c", None): {"gone"},
        (None, "x"): {"born"},
        (None, "y"): {"born"},
    }


def test_blocks_of_one_name_are_paired_by_rank():
    assert told(side(A, A | {"size": 8}), side(A, A | {"size": 16})) == {("a", "a"): {"grown"}}
    assert told(side(A, A), side(A)) == {("a", None): {"gone"}}


def test_blocks_of_other_attempts_are_others():
    assert told(side(A), side(A).assign(pair=1)) == {("a", None): {"gone"}, (None, "a"): {"born"}}


def test_nothing_has_no_blocks():
    assert told(side(), side()) == {}
    assert told(side(), side(A)) == {(None, "a"): {"born"}}


rows = st.lists(
    st.builds(
        lambda name, start, length, address, size: block(
            name, start, start + length, address=address, size=size
        ),
        st.sampled_from("abc"),
        st.integers(0, 3),
        st.integers(1, 3),
        st.sampled_from([None, 0, 64]),
        st.integers(1, 3),
    ),
    max_size=6,
)


@pytest.mark.slow
@given(rows, rows)
def test_every_block_is_there_once_and_the_question_turned_round_mirrors(base, new):
    there, back = (
        paired_blocks(*sides) for sides in ((side(*base), side(*new)), (side(*new), side(*base)))
    )
    assert there["name_base"].notna().sum() == len(base)
    assert there["name_new"].notna().sum() == len(new)

    def turned(row, one, other):
        return (
            row[f"name_{one}"],
            row[f"name_{other}"],
            sorted(word for word in WORDS if row[word]),
        )

    mirrored = [
        (one, other, sorted(TURNED.get(word, word) for word in words))
        for one, other, words in (turned(row, "new", "base") for row in back.to_dict("records"))
    ]
    assert sorted(mirrored, key=str) == sorted(
        (turned(row, "base", "new") for row in there.to_dict("records")), key=str
    )
