"""What a trace holds, in nanoseconds, whatever format it is written in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schema.array_types import Ints

BEGIN, END = True, False
"""What a step through the slices of a thread is."""


@dataclass(frozen=True)
class Slices:
    """The slices of a thread, which nest or lie apart: outer ones first; `name` is a rank in `names`."""

    process: str
    thread: str
    begin: Ints
    end: Ints
    name: Ints
    names: Sequence[str]

    def steps(self) -> Iterator[tuple[bool, int, int]]:
        """Give (BEGIN or END, slice, ns) in the order of time; a slice ends before the next one of its depth begins."""
        opened: list[int] = []
        begins, ends = self.begin.tolist(), self.end.tolist()
        for row, begin in enumerate(begins):
            while opened and ends[opened[-1]] <= begin:
                yield END, opened[-1], ends[opened.pop()]
            yield BEGIN, row, begin
            opened.append(row)
        for row in reversed(opened):
            yield END, row, ends[row]


@dataclass(frozen=True)
class Instants:
    """Moments on a thread."""

    process: str
    thread: str
    at: Ints
    names: Sequence[str]


@dataclass(frozen=True)
class Counter:
    """A value over time, in bytes."""

    process: str
    name: str
    at: Ints
    value: Ints


@dataclass(frozen=True)
class Trace:
    """A run: `processes` are the names of all of them in their order, threads come in the order of `slices`."""

    processes: Sequence[str]
    slices: Sequence[Slices]
    instants: Sequence[Instants]
    counters: Sequence[Counter]
