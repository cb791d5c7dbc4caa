"""The setting `capacity` has the units of every other size."""

import pytest

from schema.byte_sizes import UNITS, parse_bytes
from schema.memory_capacity import parse_capacity


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_has_one_size_wherever_a_size_is_read(unit):
    assert parse_capacity(f"128{unit}") == parse_bytes(f"128{unit}") == 128 * UNITS[unit]
    assert parse_capacity(f"128 {unit.lower()}") == parse_capacity(f"128 {unit.upper()}")


def test_only_units_with_an_i_are_powers_of_1024():
    assert (parse_capacity("64KB"), parse_capacity("64KiB")) == (64_000, 65_536)


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5KiB", "64 sheep", "9" * 20, str(1 << 62)])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="expected a size in bytes"):
        parse_capacity(text)
