"""Parse sizes in bytes such as `4096`, `100KiB`, `1.5 MiB` or `64 kB`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from schema.memory import MAX_BYTES

UNITS: Mapping[str, int] = MappingProxyType(
    {"": 1, "B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9}
    | {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
)
"""Unit -> bytes: those of the decimal system are powers of 1000, those with an `i` of 1024."""
# Bounded repeats, so that a long hostile text is rejected in linear time.
_SIZE = re.compile(r"\s{0,9}([0-9]{1,19}(?:\.[0-9]{1,9})?) {0,9}([A-Za-z]{0,3})\s{0,9}", re.ASCII)


def parse_bytes(text: str) -> int:
    """Parse a size such as `4096` or `1.5 MiB` to its number of bytes, from 1 to 2^62.

    Units: B, kB, KB, MB, GB (powers of 1000), KiB, MiB, GiB; bytes if the unit is missing. Raises
    ValueError with one sentence if the text is not a size or not a whole number of bytes.
    """
    match = _SIZE.fullmatch(text)
    # A float would round sizes above 2^53.
    size = Fraction(match[1]) * UNITS[match[2]] if match and match[2] in UNITS else Fraction(0)
    if size.denominator != 1 or not 0 < size <= MAX_BYTES:
        raise ValueError(
            f"{text!r} is not a whole number of bytes above 0, such as 4096, 100KiB or 1.5MiB"
        )
    return int(size)
