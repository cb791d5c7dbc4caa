"""Parse the setting `capacity`, the size of a memory in bytes."""

from __future__ import annotations

import re

from schema.memory import MAX_BYTES

_UNITS = {
    "": 1,
    "b": 1,
    "kib": 2**10,
    "kb": 2**10,
    "mib": 2**20,
    "mb": 2**20,
    "gib": 2**30,
    "gb": 2**30,
}
"""Bytes per unit of a size, by the unit's name in lower case.

`kb` means 1,024 bytes, as `kib` does.
"""
_SIZE = re.compile(r"([0-9]{1,19})\s{0,9}([A-Za-z]{0,3})")
_MAX_TEXT_CHARS = 200


def parse_capacity(text: str) -> int:
    """Parse a size such as `131072` or `128KiB` to bytes: a whole number with a unit in any case.

    Units: B, KB or KiB (both 1,024 bytes), MB or MiB, GB or GiB; bytes if the unit is missing.
    Raises ValueError with one sentence for any other text, and unless 0 < size < 2^62.
    """
    match = _SIZE.fullmatch(text.strip())
    value = int(match.group(1)) * _UNITS.get(match.group(2).lower(), 0) if match else 0
    if not 0 < value < MAX_BYTES:
        shown = text[:_MAX_TEXT_CHARS]
        raise ValueError(f"capacity={shown}: expected a size in bytes such as 131072 or 128KiB")
    return value
