"""Slices of a trace buffer that several devices of a design share (mlir-aie, `trace_slices`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_SLICES = 64
"""Highest number of slices that are read."""
_SLICE = re.compile(r"#aie\.trace_slice\s{0,9}<([^<>\n]{1,1000})>")
_LIST = re.compile(r"trace_slices\s{0,9}=\s{0,9}\[([^\[\]]{1,100000})\]")
_RECORD = re.compile(r"\{([^{}]{1,1000})\}")
_TEXT = re.compile(r'\b(device|sequence)\s{0,9}=\s{0,9}(?:"([^"\n]{0,200})"|@([\w.$-]{1,200}))')
_NUMBER = re.compile(r"\b(offset|size)\s{0,9}=\s{0,9}(\d{1,12})\b")


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


def find_slices(text: str) -> list[Slice]:
    """Find the slices that a design declares, in both spellings, each once and in order.

    A slice that overlaps an earlier one is left out: its words would be read several times.
    """
    records = _SLICE.findall(text)
    if not records:
        records = [record for array in _LIST.findall(text) for record in _RECORD.findall(array)]
    slices: list[Slice] = []
    for part in filter(None, map(_parse_slice, records)):
        if len(slices) < MAX_SLICES and not any(part.overlaps(other) for other in slices):
            slices.append(part)
    return slices


def _parse_slice(record: str) -> Slice | None:
    """Parse the fields of a slice; None if it has no size or is not at whole words."""
    texts = {key: quoted or symbol for key, quoted, symbol in _TEXT.findall(record)}
    numbers = {key: int(value) for key, value in _NUMBER.findall(record)}
    offset = numbers.get("offset", 0)
    size = numbers.get("size", 0)
    if not size or offset % 4 or size % 4:
        return None
    return Slice(texts.get("device", ""), texts.get("sequence", ""), offset, size)
