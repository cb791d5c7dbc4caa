"""Flames: as wide as they are large, names where they fit, small parts left out."""

import pandas as pd

from components.flame import MAX_PARTS, flame, shown_parts, whole_of
from components.time_axis import duration_axis

AXIS = duration_axis((0, 1000), "time")


def tree(*rows):
    return pd.DataFrame(rows, columns=["name", "depth", "total", "start"])


def drawn(rows, **more):
    return flame(rows, ["said"] * len(rows), AXIS, "light", **more)


def test_parts_lie_below_what_they_are_part_of():
    rows = tree(("main", 0, 1000, 0), ("inner", 1, 400, 600))
    (bars,) = drawn(rows, numbers=[7, 8]).data
    assert [*zip(bars.base, bars.x, bars.y, strict=True)] == [(0, 1000, 0), (600, 400, 1)]
    assert [list(point) for point in bars.customdata] == [[7], [8]]


def test_a_name_is_cut_to_its_bar_and_left_out_where_nothing_can_be_read():
    name = "a_name_of_a_function"
    (bars,) = drawn(
        tree((name, 0, 1000, 0), (name, 1, 90, 0), (name, 1, 20, 90), ("f", 1, 20, 110))
    ).data
    assert bars.text[0] == name
    assert bars.text[1].endswith("…") and name.startswith(bars.text[1][:-1])
    assert list(bars.text[2:]) == ["", "f"]


def test_small_parts_and_the_smallest_of_many_are_left_out():
    many = [(f"f{rank}", 1, 10, 10 * rank) for rank in range(MAX_PARTS + 50)]
    shown = shown_parts(tree(("main", 0, 10_000, 0), ("tiny", 1, 9, 9_000), *many))
    assert len(shown) == MAX_PARTS
    assert "tiny" not in set(shown["name"])
    assert whole_of(shown) == 10_000


def test_nothing_is_a_picture_without_bars():
    assert not drawn(tree()).has_traces
    assert not drawn(tree(("main", 0, 0, 0))).has_traces
