"""Numbers of bytes with units."""

import re

import pytest

from schema.byte_sizes import parse_bytes
from schema.memory import MAX_BYTES


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *[("4096", 4096), ("100KiB", 102_400), ("1.5 MiB", 3 << 19), ("64 kB", 64_000)],
        (str(MAX_BYTES), MAX_BYTES),
    ],
)
def test_units_are_those_of_settings(text, size):
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    "text", ["", "12x", "-3", "0", "0.3", "1e9", "٣", "9" * 19, str(MAX_BYTES + 1)]
)
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match=re.escape(repr(text))):
        parse_bytes(text)
