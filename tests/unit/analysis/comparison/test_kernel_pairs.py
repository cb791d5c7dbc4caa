"""Which kernels of two profiles are the same."""

import math

import pandas as pd

from analysis.comparison.kernel_pairs import paired_kernels


def side(*rows):
    """Return a table of (name, source, operations, runs); the function is called as the kernel is."""
    frame = pd.DataFrame(rows, columns=["name", "source", "operations", "runs"])
    return frame.assign(function=frame["name"], operations=frame["operations"].astype("float64"))


def kernel(name, body="", operations=math.nan, runs=1):
    return (name, f"void {name}(){{{body}}}" if body else "", operations, runs)


def test_names_come_first_then_source_then_work():
    base = side(kernel("a", "x", 8), kernel("b", "y", 16), kernel("c", "", 32, 2))
    new = side(kernel("a", "z", 9), kernel("q", "y", 17), kernel("r", "", 32, 2))
    found = paired_kernels(base, new)
    assert found.matched == [("a", "a", "name"), ("b", "q", "source"), ("c", "r", "operations")]
    assert (found.only_base, found.only_new) == ([], [])


def test_several_equal_ones_are_paired_in_order_of_launch():
    base = side(kernel("a", "", 8), kernel("b", "", 8))
    new = side(kernel("x", "", 8), kernel("y", "", 8))
    assert paired_kernels(base, new).matched == [("a", "x", "operations"), ("b", "y", "operations")]


def test_other_numbers_of_equal_ones_are_not_guessed():
    found = paired_kernels(side(kernel("a", "", 8)), side(kernel("x", "", 8), kernel("y", "", 8)))
    assert (found.matched, found.only_base, found.only_new) == ([], ["a"], ["x", "y"])


def test_work_that_is_not_known_pairs_nothing():
    found = paired_kernels(side(kernel("a")), side(kernel("x")))
    assert (found.matched, found.only_base, found.only_new) == ([], ["a"], ["x"])
    assert paired_kernels(side(kernel("a", "", 8, 1)), side(kernel("x", "", 8, 2))).matched == []


def test_nothing_has_no_pairs():
    assert paired_kernels(side(), side()).matched == []
    assert paired_kernels(side(), side(kernel("a"))).only_new == ["a"]
