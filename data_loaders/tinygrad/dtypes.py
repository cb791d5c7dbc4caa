"""Element types of tinygrad's buffers: name and bytes.

The second of a DType's values is its size in bytes up to December 2025 and in bits from 0.12.0 on, at the same place:
a capture's generation is recognised by types whose size is known.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from data_loaders.reading.safe_pickle import Record

MOST_ITEM_BYTES = 2**16
_FORMATS = frozenset("bBhHiIqQefd")
_BYTES_BY_NAME = {"__bf16": 2, "bfloat16": 2, "float8_e4m3": 1, "float8_e5m2": 1}


def in_bits(dtypes: Iterable[Record]) -> bool:
    """Return whether the sizes of these types are bits; False where nothing shows it."""
    for dtype in dtypes:
        known = _known_bytes(dtype)
        size = _value(dtype, 1)
        if len(dtype.args) == 4:
            return True
        if known and size in (known, 8 * known):
            return size == 8 * known
    return False


def _known_bytes(dtype: Record) -> int:
    """Return the bytes of a scalar type that a `struct` format or its name gives, else 0."""
    code, name, count = _value(dtype, 3), _value(dtype, 2), _value(dtype, 4)
    if count not in (None, 1):
        return 0
    if type(code) is str and code in _FORMATS:
        return struct.calcsize(code)
    return _BYTES_BY_NAME.get(name, 0) if type(name) is str else 0


def item_bytes(dtype: Record, bits: bool) -> int | None:
    """Return the bytes of an element; None where the type does not say."""
    size = _value(dtype, 1)
    if type(size) is not int or size < 0:
        return None
    size = (size + 7) // 8 if bits else size
    return size if size <= MOST_ITEM_BYTES else None


def dtype_name(dtype: Record) -> str:
    """Return what the type is called, as in C."""
    name = _value(dtype, 2)
    return name if type(name) is str else ""


def _value(dtype: Record, place: int) -> object:
    return dtype.args[place] if len(dtype.args) > place else None
