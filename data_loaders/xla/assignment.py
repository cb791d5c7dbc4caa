"""Parser of XLA's buffer assignment text: allocations and the values placed in each allocation.

Texts of releases before 2023 also have the total, the uses of the values and their live ranges, one
behind another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from schema.memory import MAX_BYTES

KINDS = ("preallocated-temp", "parameter", "maybe-live-out", "constant", "thread-local", "temp")
"""Kinds of allocations in the order of display; each is a level of the memory map."""
_PRECEDENCE = ("parameter", "constant", "thread-local", "preallocated-temp", "maybe-live-out")
"""Kinds by precedence: a parameter may also live out, and is a parameter then."""
MAX_TEXT_BYTES = 256 * 1024**2
"""Maximum size of a text, in bytes."""

_ALLOCATION = re.compile(
    r"allocation \d{1,12}: (?:0x[0-9a-f]{1,16}, )?size (\d{1,18})\b,?([^\n]{0,100000})"
)
_VALUE = re.compile(
    r"\A value: <\d{1,12} (\S[^\n]{0,2000}?) @(\d{1,4})> \(size=(\d{1,18}),offset=(\d{1,18})\): ?(.{0,100000})"
)
_COLOR = re.compile(r"\A,? ?color (\d{1,9})\b")
_TOTAL = "\nTotal bytes used:"
_BYTES = re.compile(r"\A {1,9}(\d{1,18}) ?(?=[(\n])")
_RANGES = "\nHloLiveRange "
_SHAPE = re.compile(r"([a-z]\w{0,15})\[([\d,<=]{0,200})\]")


@dataclass(frozen=True)
class Value:
    """A value: name as printed, size and offset in its allocation in bytes, element type and
    dimensions ("" for a tuple).
    """

    name: str
    size: int
    offset: int
    dtype: str
    shape: str


@dataclass(frozen=True)
class Allocation:
    """An allocation: its kind, size in bytes, memory space (`color`, 0 if none is named) and values."""

    kind: str
    size: int
    color: int
    values: list[Value] = field(default_factory=list)

    @property
    def level(self) -> str:
        """The level of the memory map: a memory space other than 0 has levels of its own."""
        return self.kind if not self.color else f"{self.kind}, memory space {self.color}"


@dataclass(frozen=True)
class Assignment:
    """The allocations in the order of the file.

    `skipped` counts lines of values or allocations that could not be parsed. `cut` is True if the
    last line is not terminated; that line is not counted. `total` is the sum in bytes that the text
    itself states, None if it states none. `uses` and `ranges` are the texts of uses and live
    ranges; "" if they have files of their own.
    """

    allocations: list[Allocation]
    skipped: int
    cut: bool
    total: int | None
    uses: str
    ranges: str


def read_assignment(text: str) -> Assignment:
    """Parse the text of a buffer assignment.

    Lines that are neither allocations nor values are ignored.
    """
    whole, begin, ranges = text.partition(_RANGES)
    placed, total_begin, rest = whole.partition(_TOTAL)
    allocations: list[Allocation] = []
    skipped = 0
    is_cut = not text.endswith("\n")
    for line in placed.split("\n"):
        if line.startswith("allocation "):
            read = _allocation(line)
            skipped += read is None
            allocations += [read] if read is not None else []
        elif line.startswith(" value: "):
            value = _value(line)
            skipped += value is None or not allocations
            if value is not None and allocations:
                allocations[-1].values.append(value)
    # Only the last line can be the one that was cut.
    cut_lines = int(is_cut and skipped > 0 and placed == text)
    return Assignment(
        allocations,
        skipped - cut_lines,
        is_cut,
        stated_bytes(rest),
        rest if total_begin else "",
        f"{begin.lstrip()}{ranges}",
    )


def stated_bytes(text: str) -> int | None:
    """Parse the number of bytes at the beginning of a text; None if it does not begin with one, or
    if it is out of range.
    """
    match = _BYTES.match(text)
    return int(match[1]) if match and int(match[1]) < MAX_BYTES else None


def _allocation(line: str) -> Allocation | None:
    match = _ALLOCATION.match(line)
    if match is None or int(match[1]) >= MAX_BYTES:
        return None
    flags = set(_flags(match[2]))
    kind = next((kind for kind in _PRECEDENCE if kind in flags), "temp")
    color = _COLOR.match(match[2])
    return Allocation(kind, int(match[1]), int(color[1]) if color else 0)


def _flags(text: str) -> Iterator[str]:
    """Yield the first word of each comma-separated part, "" for an empty part, without shapes in
    bars (`|s32[1]|`).
    """
    outside = "".join(text.split("|")[::2])
    for part in outside.rstrip(":").split(","):
        word = part.strip().split(" ")[0]
        yield word


def _value(line: str) -> Value | None:
    match = _VALUE.match(line)
    if match is None or int(match[3]) + int(match[4]) >= MAX_BYTES:
        return None
    name, _, size, offset, shape = match.groups()
    plain = None if shape.startswith("(") else _SHAPE.match(shape)
    if plain is None:
        return Value(name, int(size), int(offset), "", "")
    return Value(name, int(size), int(offset), plain[1], plain[2].replace(",", "x"))
