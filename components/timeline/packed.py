"""Columns of whole numbers as short text: a browser gets thousands of bars in a few kilobytes."""

from __future__ import annotations

import base64

import numpy as np

from schema.array_types import Bools, Ints

_BITS = 7
"""Bits of a number in each byte; the eighth bit says that another byte follows (LEB128)."""
_MORE = 1 << _BITS


def pack_numbers(values: Ints) -> str:
    """Encode whole numbers (0 or more) as base64 of LEB128: small numbers take a byte each.

    `assets/timeline_bytes.js` decodes them. Raises ValueError if a number is negative.
    """
    numbers = np.asarray(values, np.uint64 if np.size(values) == 0 else np.int64)
    if numbers.size and numbers.min() < 0:
        raise ValueError("only numbers of 0 or more can be packed")
    rest = numbers.astype(np.uint64)
    planes = []
    used = [np.ones(len(rest), bool)]
    while True:
        planes.append((rest % _MORE).astype(np.uint8))
        rest >>= np.uint64(_BITS)
        if not rest.any():
            break
        used.append(rest > 0)
    digits = np.column_stack(planes)
    present = np.column_stack(used)
    # A byte is followed by another byte of its number if that one is used.
    digits[:, :-1] |= np.where(present[:, 1:], np.uint8(_MORE), np.uint8(0))
    return base64.b64encode(digits[present].tobytes()).decode("ascii")


def pack_flags(flags: Bools) -> str:
    """Encode booleans as base64, eight in a byte, the first in the lowest bit; "" if all are
    False.
    """
    flags = np.asarray(flags, bool)
    if not flags.any():
        return ""
    return base64.b64encode(np.packbits(flags, bitorder="little").tobytes()).decode("ascii")
