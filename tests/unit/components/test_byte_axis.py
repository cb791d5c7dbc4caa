import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.byte_axis import MAX_STEPS_FLAT, address_ticks, byte_ticks, log_byte_ticks

_BYTES = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


def read(label: str) -> tuple[int, str]:
    """Return the bytes and the unit of a label."""
    number, unit = re.fullmatch(r"([\d\u202f]+?)(?:\u202f([KMGT]?i?B))?", label).groups("")
    return int(number.replace("\u202f", "")) * _BYTES[unit], unit


def test_sizes_are_multiples_of_a_power_of_two() -> None:
    labels = [label.replace("\u202f", " ") for label in byte_ticks(0, 300_000)["ticktext"]]
    assert labels == ["0", "64 KiB", "128 KiB", "192 KiB", "256 KiB"]


@given(st.integers(0, 2**50), st.integers(2, 2**50))
def test_every_label_is_exact_in_one_unit_and_no_two_are_alike(low: int, span: int) -> None:
    ticks = byte_ticks(low, low + span)
    values = ticks["tickvals"]
    assert 3 <= len(values) <= 7
    assert low <= values[0] and values[-1] <= low + span
    assert len(set(ticks["ticktext"])) == len(values)
    step = values[1] - values[0]
    assert step & (step - 1) == 0
    assert all(value % step == 0 for value in values)
    assert [read(label)[0] for label in ticks["ticktext"]] == values
    assert len({read(label)[1] for label in ticks["ticktext"] if label != "0"}) == 1


@given(st.floats(0.1, 1e15))
def test_a_flat_axis_from_zero_has_three_to_five_labels(top: float) -> None:
    assert 1 <= len(byte_ticks(0, top, max_steps=MAX_STEPS_FLAT)["tickvals"]) <= 5


def test_addresses_count_from_the_floor_of_their_axis() -> None:
    ticks = address_ticks(0, 0x3000, floor=100)
    assert ticks["ticktext"] == [hex(at) for at in range(0, 0x3001, 0x800)]
    assert ticks["tickvals"] == [int(text, 16) + 100 for text in ticks["ticktext"]]


def test_addresses_beyond_the_digits_of_a_float_are_exact() -> None:
    low = 0xFFFF_FFFF_FFFF_0000
    assert address_ticks(low, low + 0x40)["tickvals"][0] == low


@pytest.mark.parametrize(("low", "high"), [(1, 2**30), (48, 70_000), (512, 2048)])
def test_a_logarithmic_axis_has_powers_of_two(low: int, high: int) -> None:
    ticks = log_byte_ticks(low, high)
    assert 3 <= len(ticks["tickvals"]) <= 7
    assert all(low <= at <= high and at & (at - 1) == 0 for at in ticks["tickvals"])
    assert [read(label)[0] for label in ticks["ticktext"]] == ticks["tickvals"]
