"""Parse the setting `capacity`, the size of a memory in bytes."""

from __future__ import annotations

import re

from schema.byte_sizes import UNITS
from schema.memory import MAX_BYTES

_UNITS = {unit.lower(): size for unit, size in UNITS.items()}
"""Bytes per unit of a size, by the unit's name in lower case."""
_SIZE = re.compile(r"([0-9]{1,19})\s{0,9}([A-Za-z]{0,3})")
_MAX_TEXT_CHARS = 200


def parse_capacity(text: str) -> int:
    """Parse a size such as `131072` or `128KiB` to bytes: a whole number with a unit in any case.

    The units are those of `schema.byte_sizes`: KB is 1,000 bytes, KiB 1,024; bytes if the unit is
    missing. Raises ValueError with one sentence for any other text, and unless 0 < size < 2^62.
    """
    match = _SIZE.fullmatch(text.strip())
    value = int(match.group(1)) * _UNITS.get(match.group(2).lower(), 0) if match else 0
    if not 0 < value < MAX_BYTES:
        shown = text[:_MAX_TEXT_CHARS]
        raise ValueError(f"capacity={shown}: expected a size in bytes such as 131072 or 128KiB")
    return value
