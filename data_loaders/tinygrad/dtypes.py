"""Element types of tinygrad's buffers: name and size.

The second value of a DType is its size in bytes up to December 2025, and in bits from 0.12.0 on.
The two generations are distinguished by types with a known size.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from data_loaders.reading.safe_pickle import Record

MAX_ITEM_BYTES = 2**16
"""Largest element, in bytes."""
_FORMATS = frozenset("bBhHiIqQefd")
# Types without a `struct` format.
_BYTES_BY_NAME = {"__bf16": 2, "bfloat16": 2, "float8_e4m3": 1, "float8_e5m2": 1}


def has_bit_sizes(dtypes: Iterable[Record]) -> bool:
    """Whether the sizes of these types are in bits, not bytes.

    The first type that decides it counts, False if there is none.
    """
    for dtype in dtypes:
        scalar_bytes = _known_bytes(dtype)
        size = _value(dtype, 1)
        # Types with four values exist only since 0.14, which counts bits.
        if len(dtype.args) == 4:
            return True
        if scalar_bytes and size in (scalar_bytes, 8 * scalar_bytes):
            return size == 8 * scalar_bytes
    return False


def _known_bytes(dtype: Record) -> int:
    """Return the bytes of a scalar type, from its `struct` format or name.

    0 for vectors and unknown types.
    """
    name = _value(dtype, 2)
    code = _value(dtype, 3)
    count = _value(dtype, 4)
    if count not in (None, 1):
        return 0
    if type(code) is str and code in _FORMATS:
        return struct.calcsize(code)
    return _BYTES_BY_NAME.get(name, 0) if type(name) is str else 0


def item_bytes(dtype: Record, bits: bool) -> int | None:
    """Return the bytes of an element, rounded up.

    `None` if the type has no size, or one of more than 65,536 bytes. `bits`: whether the size in
    the type is in bits.
    """
    size = _value(dtype, 1)
    if type(size) is not int or size < 0:
        return None
    size = (size + 7) // 8 if bits else size
    return size if size <= MAX_ITEM_BYTES else None


def dtype_name(dtype: Record) -> str:
    """Return the type's name in C, such as `float`; "" if it has none."""
    name = _value(dtype, 2)
    return name if type(name) is str else ""


def _value(dtype: Record, place: int) -> object:
    return dtype.args[place] if len(dtype.args) > place else None
