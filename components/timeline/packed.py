"""Columns of whole numbers as short text: a browser gets thousands of bars in a few kilobytes."""

from __future__ import annotations

import base64

import numpy as np
import numpy.typing as npt

from schema.array_types import Bools, Ints

_BITS = 7
"""Bits of a number in each byte; the eighth bit says that another byte follows (LEB128)."""
_MORE = 1 << _BITS


def pack_numbers(values: Ints) -> str:
    """Encode whole numbers (0 or more) as base64 of LEB128: small numbers take a byte each.

    `assets/timeline_bytes.js` decodes them. Raises ValueError if a number is negative.
    """
    if not np.size(values):
        return ""
    numbers = np.asarray(values, np.int64)
    if numbers.min() < 0:
        raise ValueError("only numbers of 0 or more can be packed")
    return base64.b64encode(_digits(numbers).tobytes()).decode("ascii")


def _digits(numbers: Ints) -> npt.NDArray[np.uint8]:
    """Encode numbers of 0 or more as LEB128."""
    largest = int(numbers.max())
    if largest < _MORE:
        return numbers.astype(np.uint8)
    shifts = np.arange(0, largest.bit_length(), _BITS)
    # Column i is the number without its i lowest digits.
    rest = numbers[:, None] >> shifts
    # A cast keeps the lowest eight bits; the highest of them says whether a byte follows.
    digits = np.where(rest < _MORE, rest, rest | _MORE).astype(np.uint8)
    is_used = rest > 0
    is_used[:, 0] = True
    return digits[is_used]


def pack_flags(flags: Bools) -> str:
    """Encode booleans as base64, eight in a byte, the first in the lowest bit; "" if all are
    False.
    """
    flags = np.asarray(flags, bool)
    if not flags.any():
        return ""
    return base64.b64encode(np.packbits(flags, bitorder="little").tobytes()).decode("ascii")
