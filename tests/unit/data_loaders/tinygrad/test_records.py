from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.tinygrad.records import (
    Instant,
    RangeEvent,
    list_items,
    picoseconds,
    read_pickle,
    record_fields,
    text_field,
)
from samples.tinygrad_capture import training
from samples.tinygrad_objects import dumps, fields_class
from samples.tinygrad_writer import GENERATIONS


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1594154372.618", 1_594_154_372_618_000),
        ("0", 0),
        ("-91947736063.95775", -91_947_736_063_957_750),
        ("110892573269.42", 110_892_573_269_420_000),
        ("5775.104166666666666666666667", 5_775_104_166),
        ("0.1000000000000000055511151231257827021181583404541015625", 100_000),
        ("1E-7", 0),
        ("0E-9", 0),
        ("-1.25E-12", 0),
    ],
)
def test_microseconds_become_picoseconds(text, value):
    assert picoseconds(Instant(text)) == value


@given(st.decimals(-(10**15), 10**15, allow_nan=False, places=6))
def test_six_places_stay_exact(value):
    assert picoseconds(Instant(str(value))) == int(value.scaleb(6))


@pytest.mark.parametrize(
    "text",
    [
        "1E+999999999",
        "1E+2",
        "NaN",
        "Infinity",
        "-Infinity",
        "",
        " 1",
        "1 ",
        "1_0",
        "0x1",
        "١",
        "1" * 19,
        "1.",
        5,
    ],
)
def test_what_is_no_time_is_refused(text):
    with pytest.raises(UnsafePickleError, match="not a time"):
        picoseconds(Instant(text))


def test_decimals_are_times():
    (at,) = read_pickle(dumps([Decimal("1.5")])).root
    assert type(at) is Instant
    assert picoseconds(at) == 1_500_000


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_class_of_a_capture_is_known(generation):
    maker = training(generation)
    assert read_pickle(maker.profile()).unknown == ()
    assert read_pickle(maker.rewrites()).unknown == ()


def test_instructions_of_handwritten_kernels_are_no_surprise():
    made = [
        fields_class("tinygrad.runtime.autogen.amd.rdna3.ins.VOP3"),
        fields_class("tinygrad.later.Thing"),
    ]
    assert read_pickle(dumps([kind() for kind in made], *made)).unknown == ("tinygrad.later.Thing",)


def test_fields_are_taken_with_their_type():
    event = read_pickle(training().profile()).root[0]
    assert record_fields(event, RangeEvent) is None
    assert record_fields(3, RangeEvent) is None
    assert text_field({"a": "b"}, "a") == "b"
    assert text_field({"a": 1}, "a") == ""
    assert list_items([1]) == list_items((1,)) == (1,)
    assert list_items("ab") == list_items(None) == ()
