import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.deeploy.plans import plans


def made(*levels):
    """Return blocks of levels given as (name, first, last step) each; a name in capitals is a constant."""
    rows = [(attempt, *row) for attempt, level in enumerate(levels) for row in level]
    frame = pd.DataFrame(rows, columns=["attempt", "name", "start", "last"])
    return frame.assign(end=frame["last"] + 1, constant=frame["name"].str.isupper())


def read(*levels):
    return [plan[0] for plan in plans(made(*levels))]


TILES = [("a", 0, 0), ("b", 0, 0), ("b", 1, 1), ("c", 1, 2)]
RESIDENT = [("a", 0, 0), ("b", 0, 1), ("c", 1, 2)]


def test_the_level_of_tensors_is_outer_and_that_of_tiles_inner():
    assert read(RESIDENT, TILES) == list("ooo" + "iiii")
    assert read([("a", 0, 2), ("b", 1, 2)], TILES) == list("oo" + "iiii")


def test_three_levels():
    assert read(RESIDENT, TILES, TILES) == list("ooo" + "iiii" * 2)
    assert read([], RESIDENT, TILES) == list("ooo" + "iiii")


def test_a_level_that_could_be_either_is_inner_beside_one_that_is_outer():
    assert read([("a", 0, 5)], [("w", 1, 1), ("v", 2, 2)]) == list("oii")


def test_one_layer_alone():
    assert read([("a", 0, 0), ("b", 0, 1)], [("a", 0, 0), ("b", 0, 1)]) == list("ooii")


def test_constants_stay():
    assert read([("W", 0, 2), ("a", 0, 0), ("b", 0, 1)], [("W", 0, 2), *TILES]) == list(
        "ooo" + "oiiii"
    )


def test_a_level_with_both():
    assert read([*TILES, ("d", 0, 3), ("e", 1, 3)]) == list("iiiioo")


def test_a_long_life_among_sorted_short_ones_is_outer():
    assert read([("a", 0, 0), ("b", 0, 1), ("c", 1, 5), ("d", 2, 3)]) == list("oooo")


def test_no_blocks():
    assert read() == []
    assert read([("W", 0, 2)]) == ["o"]


@given(
    st.lists(st.tuples(st.sampled_from("abAB"), st.integers(0, 5), st.integers(0, 3)), max_size=12)
)
def test_every_block_has_a_plan(rows):
    found = plans(made([(name, first, first + more) for name, first, more in rows]))
    assert set(found) <= {"outer", "inner"}
