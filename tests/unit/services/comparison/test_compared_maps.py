"""Memory maps that belong together, with what became of each block."""

import pytest

from services.comparison.compared_maps import CHANGES, SAME, map_pairs, shown_pair

MAPS = [
    "problem larger",
    "problem unsolved",
    "compile larger",
    "compile shorter",
    "deeploy grown",
    "deeploy itself",
]


@pytest.mark.quick_every(6)
@pytest.mark.parametrize("pair", MAPS)
def test_sides_are_numbered_and_every_block_has_a_word(pairs, pair):
    data = pairs.data(pair)
    for key, *_ in map_pairs(data):
        found = shown_pair(data, key)
        assert found.key == key
        assert [side.attempt["attempt"] for side in (found.base, found.new)] == [0, 1]
        assert [side.attempt["level"] for side in (found.base, found.new)] == ["base", "new"]
        for side, amap in (("base", found.base), ("new", found.new)):
            changed = data.blocks[
                (data.blocks["attempt"] == key) & data.blocks[f"block_{side}"].notna()
            ]
            words = amap.blocks.set_index("block")["change"].to_dict()
            assert set(words.values()) <= {*CHANGES, SAME}
            assert {block for block, word in words.items() if word != SAME} == set(
                changed[f"block_{side}"]
            )


def test_of_several_words_the_first_one_names_the_block(pairs):
    found = shown_pair(pairs.data("problem larger"), "")
    base, new = (
        side.blocks.set_index("name")["change"].to_dict() for side in (found.base, found.new)
    )
    assert base == {"a": SAME, "b": "grown", "c": "gone", "d": "moved"}
    assert new == {"a": SAME, "b": "grown", "e": "moved", "f": "born"}


@pytest.mark.slow
def test_what_changed_most_comes_first(pairs):
    data = pairs.data("deeploy grown")
    keys = [key for key, *_ in map_pairs(data)]
    assert keys[0] == "L2"
    assert shown_pair(data, "").key == shown_pair(data, "no such level").key == "L2"
    assert shown_pair(data, "L1").key == "L1"
    compiled = pairs.data("compile larger")
    extents = [
        abs(int(new.attempts["extent"].iloc[other]) - int(base.attempts["extent"].iloc[one]))
        for base, new in [compiled.plans]
        for _, one, other in map_pairs(compiled)
    ]
    assert extents == sorted(extents, reverse=True)


def test_of_other_numbers_of_attempts_the_final_ones_belong_together(pairs):
    assert all(key.startswith("final") for key, *_ in map_pairs(pairs.data("compile shorter")))


def test_against_itself_no_block_has_another_word(pairs):
    found = shown_pair(pairs.data("deeploy itself"), "L2")
    assert set(found.base.blocks["change"]) == set(found.new.blocks["change"]) == {SAME}
