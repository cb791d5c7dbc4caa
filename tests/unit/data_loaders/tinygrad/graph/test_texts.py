"""Arguments, types and records as short text, whatever a capture holds in their place."""

import pytest

from data_loaders.reading.safe_pickle import Event, record_classes
from data_loaders.tinygrad.graph.texts import MAX_TEXT, Texts
from data_loaders.tinygrad.records import (
    AddrSpace,
    ConstFloat,
    DType,
    ImageDType,
    InvalidType,
    Kernel,
    KernelInfo,
    Metadata,
    Ops,
    Opt,
    OptOps,
    PtrDType,
    RangeEvent,
    UOp,
)
from data_loaders.tinygrad.versions import RELEASES, Version

TEXTS = Texts(Version("0.12", RELEASES["0.12"]))
(Thing,) = record_classes(["tinygrad.some.Thing"]).values()


def with_fields(record, **fields):
    record.fields = fields
    return record


def dtype(kind=DType, *more):
    return kind(0, 4, "float", "f", 1, None, *more)


def pointer(space, length=1, size=16, kind=PtrDType):
    return dtype(kind, dtype(), space, length, size)


def operation(name):
    return Ops(RELEASES["0.12"].index(name) + 1)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("ADD", "ADD"),
        (b"abc", "3 bytes"),
        (7, "7"),
        (1.5, "1.5"),
        (True, "True"),
        ((), "()"),
        ((1,), "(1,)"),
        ((1, None, "a"), "(1, None, 'a')"),
        ([1, (2, 3)], "[1, (2, 3)]"),
        ({"a": 1, "b": None}, "{a=1, b=None}"),
        (object(), "{}"),
    ],
)
def test_plain_values_are_written_as_python_does(value, text):
    assert TEXTS.text(value) == text


def test_a_number_of_thousands_of_digits_is_told_by_its_size():
    assert TEXTS.text(1 << 5_000) == "an integer of 5001 bits"


def test_operations_and_nodes_go_by_the_names_of_the_release():
    assert TEXTS.text(operation("ADD")) == "ADD"
    assert TEXTS.text((operation("MUL"), (0, 1))) == "(MUL, (0, 1))"
    assert TEXTS.text(UOp(operation("CONST"), None)) == "node CONST"


def test_constants_of_a_class_are_their_numbers():
    assert TEXTS.text(ConstFloat(0.5)) == "0.5"
    assert TEXTS.text(InvalidType()) == "Invalid"


def test_records_show_name_and_fields_that_hold_something():
    assert TEXTS.text(
        with_fields(KernelInfo(), name="r_4", axis_types=(), dont_use_locals=False, opts=None)
    ) == ("KernelInfo(name='r_4')")
    assert TEXTS.text(Thing()) == "Thing()"
    assert TEXTS.text(Thing(3)) == "Thing 3"
    assert TEXTS.text(with_fields(Thing(1), a=2)) == "Thing(1, a=2)"
    assert TEXTS.text(with_fields(Metadata(), name="matmul")) == "Metadata(name='matmul')"


def test_a_zero_is_something():
    assert TEXTS.text(Opt(OptOps(1), 0, None)) == "Opt(OptOps 1, 0)"
    assert TEXTS.text(with_fields(Opt(), axis=0, arg=4, name=None)) == "Opt(axis=0, arg=4)"


def test_the_body_of_a_kernel_is_left_out():
    assert TEXTS.text(with_fields(Kernel(), ast=7, metadata=(1,))) == "Kernel(metadata=(1,))"


def test_events_show_their_fields():
    event = RangeEvent()
    assert isinstance(event, Event)
    assert TEXTS.text(event) == "{}"
    event.append({"device": "CPU", "st": 1})
    assert TEXTS.text(event) == "{device='CPU', st=1}"


@pytest.mark.parametrize(
    ("space", "text"),
    [
        (AddrSpace(1), ""),
        (AddrSpace(2), ", local"),
        (AddrSpace(3), ", register"),
        (AddrSpace("REG"), ", register"),
    ],
)
def test_a_pointer_says_size_and_address_space(space, text):
    assert TEXTS.dtype(pointer(space)) == f"float.ptr(16{text})"


@pytest.mark.parametrize(
    "space", [None, 2, AddrSpace(), AddrSpace(None), AddrSpace(99), AddrSpace(True)]
)
def test_a_space_that_is_none_is_not_said(space):
    assert TEXTS.dtype(pointer(space)) == "float.ptr(16)"


def test_spaces_of_later_captures_have_names():
    assert TEXTS.text(AddrSpace("GLOBAL")) == "global"
    assert TEXTS.text(AddrSpace(3)) == "register"
    assert TEXTS.text(AddrSpace(99)) == "AddrSpace 99"


@pytest.mark.parametrize(
    ("size", "text"), [(-1, ""), (None, ""), ("16", ""), (True, ""), (1 << 5_000, "")]
)
def test_a_size_that_is_none_is_not_said(size, text):
    assert TEXTS.dtype(pointer(None, size=size)) == f"float.ptr({text})"


def test_vectors_and_images_are_said():
    assert TEXTS.dtype(pointer(None, length=4)) == "float.ptr(16).vec(4)"
    assert TEXTS.dtype(pointer(None, length=10**7)) == "float.ptr(16)"
    assert TEXTS.dtype(pointer(AddrSpace(1), kind=ImageDType)) == "float.ptr(16, image)"
    assert TEXTS.text((dtype(),)) == "(float,)"
    assert TEXTS.dtype(dtype(PtrDType)) == "float.ptr()"


@pytest.mark.parametrize("value", [None, "float", 3, Thing("float")])
def test_what_is_no_type_has_no_text_of_one(value):
    assert TEXTS.dtype(value) == ""


@pytest.mark.parametrize(
    "value", ["x" * 10**5, ["y" * 900] * 900, list(range(10**5)), {f"k{i}": i for i in range(999)}]
)
def test_texts_are_cut(value):
    assert len(TEXTS.text(value)) <= MAX_TEXT + 1
    assert "…" in TEXTS.text(value) or len(TEXTS.text(value)) == MAX_TEXT


def test_values_inside_of_each_other_end():
    value = inner = []
    for _ in range(10_000):
        inner.append([])
        inner = inner[0]
    assert TEXTS.text(value) == "[" * 8 + "…" + "]" * 8
