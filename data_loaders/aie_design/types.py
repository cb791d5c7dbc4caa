"""Sizes of MLIR's memref types, and aliases of types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_MAX_BYTES = 2**62
"""Upper limit of a size in bytes, as in frame `allocations`."""
_MEMREF = re.compile(r"memref\s{0,99}<\s{0,99}((?:[\d?]{1,20}\s{0,99}x\s{0,99}){0,16})(\w{1,40})")
_DIMENSION = re.compile(r"[\d?]+")
_ELEMENT = re.compile(r"(?:[us]?i|f|bf)(\d{1,5})(?:E\d{1,2}M\d{1,2}\w{0,10})?")
_MAX_TYPE_CHARS = 4000


@dataclass(frozen=True)
class BufferType:
    """Elements of a memref and bits of one; `None` if the text does not tell."""

    elements: int | None = None
    element_bits: int | None = None

    def count_bytes(self, elements: int | None) -> int | None:
        """Return the bytes of a number of elements, rounded up; `None` if they are not known."""
        if elements is None or self.element_bits is None:
            return None
        size = -(-elements * self.element_bits // 8)
        return size if 0 <= size < _MAX_BYTES else None

    @property
    def bytes(self) -> int | None:
        """Size of the whole memref in bytes; `None` if it is not known."""
        return self.count_bytes(self.elements)


def parse_memref(text: str, aliases: Mapping[str, str]) -> BufferType:
    """Parse the first memref of a text, or the first alias of one (`!name`).

    A memory space or a layout behind the elements is no size.
    """
    alias = re.search(r"![\w$.-]{1,200}+", text[:_MAX_TYPE_CHARS])
    match = _MEMREF.search(text[:_MAX_TYPE_CHARS])
    if alias and (match is None or alias.start() < match.start()):
        match = _MEMREF.search(aliases.get(alias[0], "")[:_MAX_TYPE_CHARS]) or match
    if match is None:
        return BufferType()
    element = _ELEMENT.fullmatch(match[2])
    elements: int | None = 1
    for size in _DIMENSION.findall(match[1]):
        elements = None if elements is None or not size.isdecimal() else elements * int(size)
    if elements is not None and elements >= _MAX_BYTES:
        elements = None
    return BufferType(elements, int(element[1]) if element else None)


def end_of_type(text: str, start: int) -> int:
    """Return the index behind a type that begins at `start`: brackets `<>` closed, `->` skipped."""
    depth = 0
    position = start
    while position < len(text):
        char = text[position]
        if char == "<":
            depth += 1
        elif char == ">" and text[position - 1] != "-":
            depth -= 1
            if depth <= 0:
                return position + (depth == 0)
        elif depth == 0 and (char in ",)" or (char.isspace() and position > start)):
            return position
        position += 1
    return position
