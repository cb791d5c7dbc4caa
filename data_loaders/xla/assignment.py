"""Parser of XLA's buffer assignment text: allocations and the values placed in each allocation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from schema.memory import MAX_BYTES

LEVELS = ("preallocated-temp", "parameter", "maybe-live-out", "constant", "thread-local", "temp")
"""Kinds of allocations in the order of display; each is a level of the memory map."""
MAX_TEXT_BYTES = 256 * 1024**2
"""Maximum size of a text, in bytes."""

_ALLOCATION = re.compile(
    r"allocation \d{1,12}: (?:0x[0-9a-f]{1,16}, )?size (\d{1,18})\b,?([^\n]{0,100000})"
)
_VALUE = re.compile(
    r"\A value: <\d{1,12} (\S[^\n]{0,2000}?) @(\d{1,4})> \(size=(\d{1,18}),offset=(\d{1,18})\): ?(.{0,100000})"
)
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
    """An allocation: its level, size in bytes and values.

    `output` is True if it is returned to the caller.
    """

    level: str
    size: int
    output: bool
    values: list[Value] = field(default_factory=list)


@dataclass(frozen=True)
class Assignment:
    """The allocations in the order of the file.

    `skipped` counts lines of values or allocations that could not be parsed. `cut` is True if the
    last line is not terminated; that line is not counted.
    """

    allocations: list[Allocation]
    skipped: int
    cut: bool


def read_assignment(text: str) -> Assignment:
    """Parse the text of a buffer assignment.

    Lines that are neither allocations nor values are ignored.
    """
    allocations: list[Allocation] = []
    skipped = 0
    lines = text.split("\n")
    cut = bool(lines[-1])
    for line in lines:
        if line.startswith("allocation "):
            read = _allocation(line)
            skipped += read is None
            allocations += [read] if read is not None else []
        elif line.startswith(" value: "):
            value = _value(line)
            skipped += value is None or not allocations
            if value is not None and allocations:
                allocations[-1].values.append(value)
    return Assignment(allocations, skipped - (cut and skipped > 0), cut)


def _allocation(line: str) -> Allocation | None:
    match = _ALLOCATION.match(line)
    if match is None or int(match[1]) >= MAX_BYTES:
        return None
    flags = set(_flags(match[2]))
    # A thread-local or constant allocation can have further flags, for example "maybe-live-out":
    # these two are tested first.
    level = next(
        (level for level in ("thread-local", "constant", *LEVELS) if level in flags), "temp"
    )
    return Allocation(level, int(match[1]), "maybe-live-out" in flags)


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
    if match is None or max(int(match[3]), int(match[4])) >= MAX_BYTES:
        return None
    name, _, size, offset, shape = match.groups()
    plain = None if shape.startswith("(") else _SHAPE.match(shape)
    if plain is None:
        return Value(name, int(size), int(offset), "", "")
    return Value(name, int(size), int(offset), plain[1], plain[2].replace(",", "x"))
