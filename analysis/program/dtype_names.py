"""Parses the texts of tinygrad's data types: elements of a pointer, lanes of a vector, bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_BYTES: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("bool", "signed char", "unsigned char"), 1),
        **dict.fromkeys(("float8_e4m3", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"), 1),
        **dict.fromkeys(("short", "unsigned short", "half", "__bf16"), 2),
        **dict.fromkeys(("int", "unsigned int", "float"), 4),
        **dict.fromkeys(("long", "unsigned long", "double"), 8),
    }
)
"""Scalar type -> bytes."""
_UNSIZED = frozenset(("index", "weakint", "weakfloat", "uchar", "ushort", "uint", "ulong", "char"))
"""Scalar types without an entry in `_BYTES`, which may be elements of a vector."""
# Bounded repeats keep the matching time linear for any text of a damaged capture.
_POINTER = re.compile(r"\A([^.]{0,60})\.ptr\((\d{1,18})[,)]")
_VECTOR = re.compile(r"\A(\D{1,60})(\d{1,6})\Z")


def pointer_size(dtype: str) -> int | None:
    """Parse the number of elements of a pointer type: 1024 for `float.ptr(1024)`; `None` for other
    types and for pointers without a size.
    """
    match = _POINTER.match(dtype)
    return int(match[2]) if match else None


def vector_count(dtype: str) -> int:
    """Parse the number of lanes of a vector type, or of a pointer's target: 4 for `float4`; 1 for a
    scalar or an unknown type.
    """
    base = dtype.partition(".")[0]
    match = _VECTOR.fullmatch(base) if base not in _BYTES else None
    return int(match[2]) if match and (match[1] in _BYTES or match[1] in _UNSIZED) else 1


def item_bytes(dtype: str) -> int | None:
    """Look up the bytes of a scalar type such as `float`; `None` for vectors, pointers and types
    that C does not have.
    """
    return _BYTES.get(dtype)
