"""Slices of a trace buffer that several devices of a design share (mlir-aie, `trace_slices`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_SLICES = 64
"""Highest number of slices that are read."""
MAX_LAYOUTS = 256
"""Highest number of host sequences whose layout is read."""
_SLICE = re.compile(r"#aie\.trace_slice\s{0,9}<([^<>]{1,1000})>")
_LIST = re.compile(r"trace_slices\s{0,9}=\s{0,9}\[([^\[\]]{1,100000})\]")
_DECLARED = re.compile(r"\btrace_slices\s{0,9}=(?!\s{0,9}\[\s{0,9}\])")
_RECORD = re.compile(r"\{([^{}]{1,1000})\}")
_TEXT = re.compile(r'\b(device|sequence)\s{0,9}=\s{0,9}(?:"([^"\n]{0,200})"|@([\w.$-]{1,200}))')
_NUMBER = re.compile(r"\b(offset|size)\s{0,9}=\s{0,9}(-?\d{1,20})")
_MAX_BYTES = 10**12
"""Highest offset and size of a slice; trace buffers have at most gigabytes."""


@dataclass(frozen=True)
class Slice:
    """Part of a trace buffer that one sequence of one device writes; offset and size in bytes."""

    device: str
    sequence: str
    offset: int
    size: int

    def overlaps(self, other: Slice) -> bool:
        """Whether both slices have a byte in common."""
        return self.offset < other.offset + other.size and other.offset < self.offset + self.size


Layout = list[Slice]
"""Slices of the buffer of one host sequence."""


def find_layouts(text: str) -> list[Layout]:
    """Find the layouts that a design's text declares, in both spellings.

    At most MAX_LAYOUTS (256), in order. Each host sequence has a layout of its own, also one that
    another sequence runs. Layouts without a valid slice are left out.
    """
    layouts = [_parse_layout(_records(content)) for content in _lists(text)]
    return [layout for layout in layouts if layout]


def count_unread(text: str) -> int:
    """Count the declared slices that are not read; a list that cannot be read counts as one."""
    lists = _lists(text)
    unread = len(_DECLARED.findall(text)) - len(lists)
    for records in map(_records, lists):
        unread += max(len(records), 1) - len(_parse_layout(records))
    return max(unread, 0)


def _lists(text: str) -> list[str]:
    return [match[1] for match in _LIST.finditer(text)][:MAX_LAYOUTS]


def _records(content: str) -> list[str]:
    """Return the texts of the slices of a list, in either spelling."""
    return _SLICE.findall(content) or _RECORD.findall(content)


def choose_layout(layouts: Iterable[Layout], size: int) -> Layout:
    """Return the layout whose last slice ends at `size` bytes, else the layout that ends last.

    Returns an empty list if there are no layouts.
    """
    return max(layouts, key=lambda layout: (_end(layout) == size, _end(layout)), default=[])


def _end(layout: Layout) -> int:
    return max(part.offset + part.size for part in layout)


def _parse_layout(records: Iterable[str]) -> Layout:
    """Parse the slices of a list, in order.

    A slice that overlaps an earlier one is left out: its words would be read several times. Invalid
    slices, and slices behind the first MAX_SLICES (64), are left out as well.
    """
    slices: list[Slice] = []
    for part in filter(None, map(_parse_slice, records)):
        if len(slices) < MAX_SLICES and not any(part.overlaps(other) for other in slices):
            slices.append(part)
    return slices


def _parse_slice(record: str) -> Slice | None:
    """Parse the fields of a slice; None if it is outside of all buffers or not at whole words."""
    texts = {key: quoted or symbol for key, quoted, symbol in _TEXT.findall(record)}
    numbers = {key: int(value) for key, value in _NUMBER.findall(record)}
    offset = numbers.get("offset", 0)
    size = numbers.get("size", 0)
    if not 0 <= offset <= _MAX_BYTES or not 0 < size <= _MAX_BYTES:
        return None
    if offset % 4 or size % 4:
        return None
    return Slice(texts.get("device", ""), texts.get("sequence", ""), offset, size)
