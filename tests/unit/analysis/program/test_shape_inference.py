"""Shapes of nodes by the rules of each release, as tinygrad's own inference gives them for the same graphs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.program.inferred_shape import ABSENT, UNKNOWN, broadcast
from analysis.program.shape_inference import MAX_DIMENSIONS, Shapes
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
    return [
        *rows,
        *more,
        (operation, dtype, (len(rows) - 1, *range(len(rows), len(rows) + len(more))), argument),
    ]


@pytest.mark.parametrize("release", ["0.12", "0.13"])
def test_a_buffer_has_the_size_of_its_argument_and_a_reshape_its_numbers(release):
    assert inferred(release, BUFFER) == (24,)
    assert inferred(release, *shaped(4, 6)) == (4, 6)


def test_numbers_of_a_vector_constant_are_equal_ones():
    assert inferred("0.12", BUFFER, number(12, "index2"), ("RESHAPE", "float", (0, 1), "")) == (
        12,
        12,
    )


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
def test_pads_and_shrinks_have_another_meaning_from_0_14_on(
    release, operation, first, second, shape
):
    assert inferred(release, *with_pair(shaped(2, 3), operation, first, second)) == shape


def test_an_expansion_adds_dimensions_from_0_14_on():
    rows = [*shaped(2, 3), number(5)]
    assert inferred("0.14", *rows, ("EXPAND", "float", (len(rows) - 2, len(rows) - 1), "")) == (
        5,
        2,
        3,
    )
    assert inferred("0.13", *rows, ("EXPAND", "float", (len(rows) - 2, len(rows) - 1), "")) == (5,)


def test_a_size_that_is_an_expression_is_not_known_and_others_are():
    rows = [
        ("PARAM", "int", (), ""),
        number(4),
        ("STACK", "weakint", (0, 1), ""),
        ("PARAM", "float", (2,), ""),
    ]
    assert inferred("0.14", *rows) == (None, 4)
    assert inferred("0.14", *after(rows, "INDEX", more=[("RANGE", "weakint", (1,), "")])) == (4,)
    nodes, last = graph_of_rows(*rows)
    shapes = Shapes(nodes, "0.14")
    shapes.infer(range(len(nodes)))
    assert shapes.text(last) == "shape (?, 4)"


def test_indexing_takes_dimensions_and_staging_adds_them():
    ranges = [number(7), ("RANGE", "weakint", (0,), "(0, LOOP)")]
    rows = [
        *ranges,
        *(
            (op, dtype, tuple(s + 2 for s in sources), text)
            for op, dtype, sources, text in shaped(7, 3)
        ),
    ]
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
    rows = [
        BUFFER,
        ("TUPLE", "void", (0,), ""),
        ("FUNCTION", "void", (1,), ""),
        ("GETTUPLE", "float", (2,), "0"),
    ]
    assert inferred("0.13", *rows) == (24,)
    assert inferred("0.13", *rows[:-1], ("GETTUPLE", "float", (2,), "4")) == UNKNOWN


def test_a_node_without_operands_that_has_the_shape_of_its_first_is_not_known():
    assert inferred("0.14", ("LOAD", "float", (), "")) == UNKNOWN
    assert inferred("0.13", ("NOOP", "void", (), "")) == ABSENT
    assert inferred("0.13", *after(shaped(2, 3), "NOOP")) == (2, 3)


def test_rules_of_other_releases_are_those_of_the_newest():
    assert inferred("before 0.14", *after(shaped(2, 3, 4), "REDUCE", "(MAX, 2)")) == (4,)


def test_a_shape_of_too_many_dimensions_is_not_known():
    assert inferred("0.13", *shaped(*[1] * (MAX_DIMENSIONS + 1))) == UNKNOWN
    assert len(inferred("0.13", *shaped(*[1] * MAX_DIMENSIONS))) == MAX_DIMENSIONS


def test_a_node_without_a_shape_has_no_text_of_one():
    nodes, last = graph_of_rows(("SINK", "void", (), ""), ("CONST", "int", (), "3"))
    shapes = Shapes(nodes, "0.14")
    assert shapes.text(last) == ""
    shapes.infer(range(len(nodes)))
    assert [shapes.text(node) for node in range(len(nodes))] == ["", ""]


def test_a_number_is_taken_through_a_change_of_its_type_and_a_shape_may_be_one_number():
    cast = [BUFFER, number(24, "int"), ("CAST", "weakint", (1,), "")]
    assert inferred("0.13", *cast, ("RESHAPE", "float", (0, 2), "")) == (24,)
    assert inferred("0.13", BUFFER, number("x"), ("RESHAPE", "float", (0, 1), "")) == (None,)
    assert inferred("0.13", BUFFER, number(10**20), ("RESHAPE", "float", (0, 1), "")) == (None,)
    assert inferred(
        "0.12", BUFFER, ("VCONST", "index2", (), "(4, 6)"), ("RESHAPE", "float", (0, 1), "")
    ) == (4, 6)


@pytest.mark.parametrize("operation", ["RESHAPE", "EXPAND", "PAD", "SHRINK", "PERMUTE"])
@pytest.mark.parametrize("release", ["0.12", "0.13", "0.14"])
def test_a_movement_that_lacks_its_numbers_is_not_known(release, operation):
    assert inferred(release, BUFFER, (operation, "float", (0,), "(x)")) == UNKNOWN


def test_a_pad_or_shrink_by_an_expression_leaves_that_size_open():
    rows = [*shaped(2, 3), ("DEFINE_VAR", "weakint", (), "n"), number(1), number(0)]
    at = len(rows) - 4
    stacks = [stack((at + 1, at + 2)), stack((at + 2, at + 3))]
    for operation, shape in (("PAD", (None, 4)), ("SHRINK", (None, -1))):
        assert (
            inferred("0.13", *rows, *stacks, (operation, "float", (at, at + 4, at + 5), ""))
            == shape
        )


def test_a_reduction_over_axes_that_are_not_there_is_not_known():
    assert inferred("0.12", *after(shaped(2, 3), "REDUCE_AXIS", "(ADD, (2,))")) == UNKNOWN
    assert inferred("0.12", *after(shaped(2, 3), "REDUCE_AXIS", "(ADD, (x,))")) == UNKNOWN
    assert inferred("0.14", *after(shaped(2, 3), "REDUCE", "(ADD, (0, 1))")) == UNKNOWN


def test_constants_of_0_12_have_a_shape_where_they_have_a_device():
    assert inferred("0.12", ("DEVICE", "void", (), "CPU"), ("CONST", "float", (0,), "1")) == ()
    assert inferred("0.12", ("CONST", "float", (), "1")) == ABSENT


def test_buffers_and_parameters_of_later_releases_have_the_shape_of_their_operand():
    assert inferred("0.14", ("BUFFER", "float", (), "")) == ()
    assert inferred("0.14", number(24), ("BUFFER", "float", (0,), "")) == (24,)
    assert inferred("0.14", ("PARAM", "float", (), "0")) == UNKNOWN
    assert inferred("0.13", number(8), ("PARAM", "float", (0,), "0")) == (8,)
    assert inferred("0.13", ("PARAM", "float", (), "0")) == ABSENT
    assert inferred("0.12", ("BUFFER", "float", (), "x")) == UNKNOWN
    assert inferred("0.12", ("DEFINE_LOCAL", "float", (), "0")) == UNKNOWN


def test_a_stage_of_a_place_has_one_element_of_it():
    rows = [*shaped(7, 3), number(0), ("PARAM", "weakint", (), "")]
    at = len(rows) - 3
    assert inferred("0.14", *rows, ("STAGE", "float", (at, at + 1, at + 2), "")) == (1, None, 7, 3)
    assert inferred("0.14", ("SINK", "void", (), ""), ("STAGE", "float", (0,), "")) == UNKNOWN


def test_an_index_of_0_12_is_a_pointer_to_what_is_left():
    pointer, place = ("DEFINE_GLOBAL", "float.ptr(16)", (), "0"), number(3)
    assert inferred("0.12", pointer, place, ("INDEX", "float.ptr(16)", (0, 1), "")) == ABSENT
    assert inferred("0.12", pointer, ("INDEX", "float.ptr(16)", (0,), "")) == (16,)
    assert inferred("0.12", pointer, place, ("INDEX", "float", (0, 1), "")) == ABSENT
    assert (
        inferred("0.12", ("DEFINE_GLOBAL", "float", (), "0"), ("INDEX", "float.ptr(16)", (0,), ""))
        == UNKNOWN
    )
    assert inferred("0.14", ("INDEX", "float", (), "")) == UNKNOWN


def test_a_stack_adds_a_dimension_but_of_pointers_of_0_13():
    assert inferred("0.14", *after(shaped(2, 3), "STACK")) == (1, 2, 3)
    assert inferred("0.14", ("STACK", "float", (), "")) == ()
    assert inferred("0.14", ("SINK", "void", (), ""), ("STACK", "float", (0,), "")) == ABSENT
    pointer = ("PARAM", "float.ptr(16)", (), "0")
    assert inferred("0.13", pointer, ("STACK", "float.ptr(16)", (0, 0), "")) == (16,)


def test_casts_of_0_13_are_by_their_lanes():
    assert inferred("0.13", *after(shaped(2, 3), "CAST", dtype="half4")) == (4,)
    assert inferred("0.13", *after(shaped(2, 3), "CAST", dtype="half")) == (2, 3)
    pointer = ("PARAM", "float.ptr(16)", (), "0")
    assert inferred("0.13", pointer, ("CAST", "float", (0,), "")) == ()
    assert inferred("0.13", ("PARAM", "half", (), ""), ("GEP", "half", (0,), "(x)")) == UNKNOWN
    assert inferred("0.13", ("PARAM", "half", (), ""), ("GEP", "half", (0,), "(1,)")) == ()


def test_a_bitcast_of_what_has_no_dimensions_has_none():
    assert inferred("0.14", number(3), ("BITCAST", "float", (0,), "")) == ()
    assert inferred("0.14", *after(shaped(2, 3), "BITCAST", dtype="no type")) == (2, None)


def test_a_matrix_unit_gives_the_shape_of_what_is_added_to():
    operands = [
        *shaped(2, 4),
        *((op, t, tuple(s + 5 for s in sources), a) for op, t, sources, a in shaped(1, 8)),
    ]
    unit = ("WMMA", "float", (4, 4, 9), "")
    assert inferred("0.14", *operands, unit) == (2, 8)
    assert inferred("0.13", *operands, unit) == (1, 8)
    assert inferred("0.12", *operands, unit) == UNKNOWN
    assert inferred("0.14", *operands, ("WMMA", "float", (4, 4), "")) == UNKNOWN
    numbers = [number(5), stack((10, 1, 2)), ("RESHAPE", "float", (0, 11), "")]
    wide = [number(7), stack((13, 1, 2)), ("RESHAPE", "float", (0, 14), "")]
    assert (
        inferred("0.14", *operands, *numbers, *wide, ("WMMA", "float", (12, 15, 9), "")) == UNKNOWN
    )


def test_calls_and_own_code_of_0_14_have_a_shape_where_they_have_a_value():
    assert inferred("0.14", ("CALL", "void", (), "")) == ABSENT
    assert inferred("0.14", ("INS", "float", (), "")) == ()
    assert inferred("0.14", *after(shaped(2, 3), "CUSTOM", "code")) == (2, 3)
    assert inferred("0.14", *after(shaped(2, 3), "CUSTOMI", "code", dtype="void")) == ABSENT
    assert inferred("0.14", ("CUSTOM", "float", (), "code")) == ABSENT


def test_operands_of_0_12_that_do_not_agree_or_have_no_shape():
    assert inferred("0.12", ("SPECIAL", "int", (), ""), ("NEG", "int", (0,), "")) == ABSENT
    assert inferred("0.12", ("NO_SUCH", "int", (), ""), ("NEG", "int", (0,), "")) == UNKNOWN
    written = [*shaped(2, 3), ("ASSIGN", "float", (4, 4, 0), "")]
    assert inferred("0.12", *written) == (2, 3)


def test_sizes_that_do_not_agree_are_broadcast_to_nothing():
    assert broadcast([(2,), (3,)]) == UNKNOWN
    assert broadcast([]) == UNKNOWN
    assert broadcast([(1, None), (4, 1)]) == (4, None)


SIZES = st.lists(st.one_of(st.integers(1, 4), st.none()), max_size=5).map(tuple)


@given(SIZES)
def test_a_shape_is_broadcast_to_itself(shape):
    assert broadcast([shape, shape]) == shape
    assert broadcast([shape, ()]) == shape


@given(st.lists(st.one_of(SIZES, st.sampled_from([ABSENT, UNKNOWN])), max_size=4))
def test_broadcasting_does_not_depend_on_the_order(shapes):
    assert broadcast(shapes) == broadcast(shapes[::-1])
