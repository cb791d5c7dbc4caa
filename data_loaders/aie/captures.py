"""Divide the words of a buffer into captures: a slice per device, then a part per start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from data_loaders.aie.segments import Words
from data_loaders.aie.slices import Slice
from data_loaders.aie.starts import (
    MAX_CAPTURES,
    Starts,
    capture_timers,
    count_captures,
    find_starts,
    select_capture,
)
from data_loaders.aie.words import Packets, split_packets

_MAX_NAME_CHARS = 100


@dataclass(frozen=True)
class Capture:
    """One capture of a buffer: its packets, and what distinguishes it from the others.

    `name` is "" if the buffer holds one capture. `number` counts the starts within the slice from 1
    to `count`; `timer` is the units' timer at the start. `words` is the number of words of the
    slice or buffer.
    """

    name: str
    packets: Packets
    words: int
    slice: Slice | None = None
    number: int = 1
    count: int = 1
    timer: int | None = None


@dataclass(frozen=True)
class Captures:
    """Captures of a buffer, and the slices without a packet; `outside` counts words in no slice."""

    captures: list[Capture]
    unwritten: list[Slice]
    outside: int = 0

    @property
    def are_joined(self) -> bool:
        """Whether all captures are slices that were started once, so that one run has them all.

        A unit that was started again gives a run per start: its times are of one unit's timer.
        """
        return len(self.captures) > 1 and all(
            capture.slice is not None and capture.count == 1 for capture in self.captures
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the captures that are runs of their own.

        Empty if the buffer is a single capture without slices, or if one run has all slices.
        """
        if self.are_joined:
            return ()
        return tuple(capture.name for capture in self.captures if capture.name)

    def of_run(self, name: str) -> list[Capture]:
        """Return the captures of the run called `name`: all slices if one run has them, else the
        capture of this name or the first one; empty without captures.
        """
        if self.are_joined:
            return self.captures
        capture = self.find(name)
        return [] if capture is None else [capture]

    def find(self, name: str) -> Capture | None:
        """Return the capture of this name, or the first capture if no name matches.

        `None` if there are no captures.
        """
        matches = [capture for capture in self.captures if capture.name == name]
        return next(iter(matches or self.captures), None)


def divide(words: Words, slices: Sequence[Slice]) -> Captures:
    """Divide the words of a buffer into captures.

    A capture per slice and start, at most MAX_CAPTURES (256). Slices without a packet, or behind
    the end of the words, count as unwritten. Without slices the buffer is one slice.
    """
    if not slices:
        return Captures(_list_captures(words, None, ""), [])
    captures = []
    unwritten = []
    for part, name in zip(slices, _slice_names(slices), strict=True):
        own = words[part.offset // 4 : (part.offset + part.size) // 4]
        of_slice = _list_captures(own, part, name)
        captures += of_slice
        unwritten += [] if of_slice else [part]
    return Captures(captures[:MAX_CAPTURES], unwritten, _words_outside(words, slices))


def _list_captures(words: Words, part: Slice | None, name: str) -> list[Capture]:
    """Return a capture per start of the units, named `NAME start 1` and so on.

    If there is a single start, a capture called `name`. Empty if the words contain no packet.
    """
    packets = split_packets(words)
    if not packets.streams:
        return []
    starts: list[Starts] = [find_starts(stream.content) for stream in packets.streams]
    count = count_captures(starts)
    if count == 1:
        return [Capture(name, packets, len(words), part)]
    captures = []
    for rank, timer in enumerate(capture_timers(starts)):
        streams = select_capture(packets.streams, starts, rank)
        own = replace(packets, streams=streams, full=packets.full and rank == count - 1)
        title = f"{name} start {rank + 1}".strip()
        captures.append(Capture(title, own, len(words), part, rank + 1, count, timer))
    return captures


def _slice_names(slices: Sequence[Slice]) -> list[str]:
    """Name the slices, in their order, by device (`slice 1` ... without a device), cut to 100
    characters.

    If a device has several slices, the sequence is added; a name that is already used gets ` #` and
    the slice's number from 1.
    """
    names: list[str] = []
    devices = Counter(part.device for part in slices)
    for rank, part in enumerate(slices, start=1):
        name = part.device or f"slice {rank}"
        if devices[part.device] > 1 and part.sequence:
            name = f"{name} {part.sequence}"
        name = name[:_MAX_NAME_CHARS]
        names.append(name if name not in names else f"{name} #{rank}")
    return names


def _words_outside(words: Words, slices: Sequence[Slice]) -> int:
    """Count the words of packets that are in no slice.

    Headers, padding and unwritten words do not count.
    """
    rest = words.copy()
    for part in slices:
        rest[part.offset // 4 : (part.offset + part.size) // 4] = 0
    return sum(len(stream.content) // 4 for stream in split_packets(rest).streams)
