"""Read the header of an array of trace words that `numpy.save` wrote."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MAGIC = b"\x93NUMPY"
_MAX_HEADER = 1 << 14
"""Longest header in bytes; that of an array of words has about a hundred."""
_DESCR = re.compile(r"'descr'\s{0,9}:\s{0,9}'([<>|=]?[A-Za-z]\d{1,4})'")
_ORDER = re.compile(r"'fortran_order'\s{0,9}:\s{0,9}(True|False)")
_SHAPE = re.compile(
    r"'shape'\s{0,9}:\s{0,9}\(\s{0,9}(\d{1,12})\s{0,9}(?:,\s{0,9}(\d{1,12})?\s{0,9})?,?\s{0,9}\)"
)
_TYPES = {"<u4": 4, "<i4": 4, "|u1": 1}
"""Types of arrays that hold words -> bytes of an element."""


@dataclass(frozen=True)
class NumpyHeader:
    """Header of an array: its length and that of the data behind it, in bytes."""

    length: int
    data: int


def is_numpy(head: bytes) -> bool:
    """Whether the bytes begin with the six bytes that mark numpy's array files."""
    return head.startswith(_MAGIC)


def numpy_refusal(head: bytes) -> str | None:
    """Return why an array cannot hold trace words, as the end of a sentence; `None` if it can."""
    header = parse_header(head)
    return header if isinstance(header, str) else None


def parse_header(head: bytes) -> NumpyHeader | str:
    """Parse the header of an array, or return the reason, as the end of a sentence, why its
    elements cannot be trace words.

    Trace words are `<u4`, `<i4` or `|u1` in C order with one or two dimensions.
    """
    if len(head) < 12 or head[6] not in (1, 2, 3):
        return "a NumPy array of an unknown format version"
    wide = head[6] > 1
    begin = 12 if wide else 10
    length = int.from_bytes(head[8:begin], "little")
    if length > _MAX_HEADER or len(head) < begin + length:
        return "a NumPy array whose header is cut off or too long"
    text = head[begin : begin + length].decode("latin-1")
    descr = _DESCR.search(text)
    order = _ORDER.search(text)
    shape = _SHAPE.search(text)
    if descr is None or descr[1] not in _TYPES:
        kind = descr[1] if descr else "objects or records"
        return f"a NumPy array of {kind}: trace words must be little-endian uint32 or int32, or bytes (uint8)"
    if order is None or order[1] == "True":
        return "a NumPy array in Fortran order: trace words must be in C order"
    if shape is None:
        return "a NumPy array whose number of dimensions is neither 1 nor 2"
    return NumpyHeader(begin + length, int(shape[1]) * int(shape[2] or 1) * _TYPES[descr[1]])
