"""Shapes of nodes by the rules of each release, as tinygrad's own inference gives them for the same graphs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.program.shape_inference import ABSENT, UNKNOWN, Shapes, broadcast
from tests.support.graphs import graph_of_rows

BUFFER = ("BUFFER", "float", (), "24")


def number(value, dtype="weakint"):
    return "CONST", dtype, (), str(value)


def inferred(release, *rows):
    nodes, last = graph_of_rows(*rows)
    Shapes(nodes, release).infer(range(len(nodes)))
    return nodes.shapes[last]


def shaped(*sizes):
    """Return the rows of a buffer of this shape, which the last of them has."""
    numbers = [number(size) for size in sizes]
    end = len(sizes) + 1
    return [BUFFER, *numbers, stack(range(1, end)), ("RESHAPE", "float", (0, end), "")]


def stack(places):
    return "STACK", "weakint", tuple(places), ""


def with_pair(rows, operation, first, second):
    """Return rows with a movement of the last one by two stacks of numbers."""
    at = len(rows) - 1
    numbers = [number(value) for value in (*first, *second)]
    begin = len(rows)
    middle, end = begin + len(first), begin + len(first) + len(second)
    stacks = [stack(range(begin, middle)), stack(range(middle, end))]
    return [*rows, *numbers, *stacks, (operation, "float", (at, end, end + 1), "")]


def after(rows, operation, argument="", dtype="float", more=()):
    return [*rows, *more, (operation, dtype, (len(rows) - 1, *range(len(rows), len(rows) + len(more))), argument)]


@pytest.mark.parametrize("release", ["0.12", "0.13"])
def test_a_buffer_has_the_size_of_its_argument_and_a_reshape_its_numbers(release):
    assert inferred(release, BUFFER) == (24,)
    assert inferred(release, *shaped(4, 6)) == (4, 6)


def test_numbers_of_a_vector_constant_are_equal_ones():
    assert inferred("0.12", BUFFER, number(12, "index2"), ("RESHAPE", "float", (0, 1), "")) == (12, 12)


@pytest.mark.parametrize(
    ("release", "operation", "argument", "shape"),
    [
        ("0.12", "PERMUTE", "(1, 0, 2)", (3, 2, 4)),
        ("0.14", "PERMUTE", "(0, 0, 2)", UNKNOWN),
        ("0.12", "FLIP", "(True, False, False)", (2, 3, 4)),
        ("0.12", "REDUCE_AXIS", "(ADD, (0, 2))", (1, 3, 1)),
        ("0.13", "REDUCE", "(ADD, (1,))", (2, 1, 4)),
        ("0.13", "REDUCE", "(ADD, ())", ()),
        ("0.14", "REDUCE", "(MAX, 2)", (4,)),
        ("0.14", "REDUCE", "(MAX, 4)", UNKNOWN),
        ("0.12", "REDUCE", "ADD", (2, 3, 4)),
        ("0.14", "LOAD", "", (2, 3, 4)),
        ("0.12", "LOAD", "", ABSENT),
        ("0.14", "SINK", "", ABSENT),
        ("0.14", "NO_SUCH_OPERATION", "", UNKNOWN),
    ],
)
def test_an_operation_changes_the_shape_of_its_operand(release, operation, argument, shape):
    assert inferred(release, *after(shaped(2, 3, 4), operation, argument)) == shape


@pytest.mark.parametrize(
    ("release", "operation", "first", "second", "shape"),
    [
        ("0.12", "PAD", (0, 1), (2, 0), (4, 4)),
        ("0.12", "SHRINK", (1, 0), (2, 2), (1, 2)),
        ("0.14", "PAD", (0, 1), (8, 9), (8, 9)),
        ("0.14", "SHRINK", (1, 0), (1, 2), (1, 2)),
        ("0.12", "PAD", (0,), (1,), UNKNOWN),
    ],
)
def test_pads_and_shrinks_have_another_meaning_from_0_14_on(release, operation, first, second, shape):
    assert inferred(release, *with_pair(shaped(2, 3), operation, first, second)) == shape


def test_an_expansion_adds_dimensions_from_0_14_on():
    rows = [*shaped(2, 3), number(5)]
    assert inferred("0.14", *rows, ("EXPAND", "float", (len(rows) - 2, len(rows) - 1), "")) == (5, 2, 3)
    assert inferred("0.13", *rows, ("EXPAND", "float", (len(rows) - 2, len(rows) - 1), "")) == (5,)


def test_a_size_that_is_an_expression_is_not_known_and_others_are():
    rows = [("PARAM", "int", (), ""), number(4), ("STACK", "weakint", (0, 1), ""), ("PARAM", "float", (2,), "")]
    assert inferred("0.14", *rows) == (None, 4)
    assert inferred("0.14", *after(rows, "INDEX", more=[("RANGE", "weakint", (1,), "")])) == (4,)
    nodes, last = graph_of_rows(*rows)
    shapes = Shapes(nodes, "0.14")
    shapes.infer(range(len(nodes)))
    assert shapes.text(last) == "shape (?, 4)"


def test_indexing_takes_dimensions_and_staging_adds_them():
    ranges = [number(7), ("RANGE", "weakint", (0,), "(0, LOOP)")]
    rows = [*ranges, *((op, dtype, tuple(s + 2 for s in sources), text) for op, dtype, sources, text in shaped(7, 3))]
    last = len(rows) - 1
    assert inferred("0.14", *rows, ("INDEX", "float", (last, 1), "")) == (3,)
    assert inferred("0.14", *rows, ("STAGE", "float", (last, 1), "")) == (7, 7, 3)
    assert inferred("0.12", *rows, ("BUFFERIZE", "float", (last, 1), "")) == (7,)


def test_pointers_say_their_size_and_vectors_their_lanes():
    assert inferred("0.12", ("DEFINE_GLOBAL", "float.ptr(256)", (), "0")) == (256,)
    assert inferred("0.13", ("PARAM", "float.ptr(256)", (), "0")) == (256,)
    assert inferred("0.13", ("DEFINE_REG", "float4.ptr(16, register)", (), "0")) == (16, 4)
    assert inferred("0.13", number(1, "float4")) == (4,)
    assert inferred("0.13", number(1, "half")) == ()
    assert inferred("0.13", ("PARAM", "half", (), "0"), ("GEP", "half", (0,), "(1, 2)")) == (2,)


def test_a_bitcast_keeps_the_bytes():
    assert inferred("0.14", *after(shaped(2, 8), "BITCAST", dtype="signed char")) == (2, 32)
    assert inferred("0.14", *after(shaped(2, 3), "BITCAST", dtype="double")) == (2, None)


def test_what_is_the_same_for_all_operands_up_to_0_12_is_broadcast_later():
    rows = [*shaped(1, 3), ("RANGE", "weakint", (), "")]
    last = len(rows) - 1
    assert inferred("0.12", *rows, ("ADD", "float", (last - 1, last), "")) == (1, 3)
    assert inferred("0.14", *rows, ("ADD", "float", (last - 1, last), "")) == (1, 3)
    assert inferred("0.12", BUFFER, *shaped(3), ("ADD", "float", (0, 4), "")) == UNKNOWN


def test_elements_of_a_tuple_are_taken_through_a_function():
    rows = [BUFFER, ("TUPLE", "void", (0,), ""), ("FUNCTION", "void", (1,), ""), ("GETTUPLE", "float", (2,), "0")]
    assert inferred("0.13", *rows) == (24,)
    assert inferred("0.13", *rows[:-1], ("GETTUPLE", "float", (2,), "4")) == UNKNOWN


SIZES = st.lists(st.one_of(st.integers(1, 4), st.none()), max_size=5).map(tuple)


@given(SIZES)
def test_a_shape_is_broadcast_to_itself(shape):
    assert broadcast([shape, shape]) == shape
    assert broadcast([shape, ()]) == shape


@given(st.lists(st.one_of(SIZES, st.sampled_from([ABSENT, UNKNOWN])), max_size=4))
def test_broadcasting_does_not_depend_on_the_order(shapes):
    assert broadcast(shapes) == broadcast(shapes[::-1])
