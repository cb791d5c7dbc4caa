"""Content of a trace in nanoseconds, independent of the file format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schema.array_types import Ints

BEGIN, END = True, False
"""Kinds of the steps of `Slices.steps`."""


@dataclass(frozen=True)
class Slices:
    """The slices of a thread, which nest or are disjoint, outer slices first.

    `name` has positions in `names`; times in ns.
    """

    process: str
    thread: str
    begin: Ints
    end: Ints
    name: Ints
    names: Sequence[str]

    def steps(self) -> Iterator[tuple[bool, int, int]]:
        """Yield (BEGIN or END, row of the slice, ns) in the order of time; a slice ends before the
        next slice of its depth begins.
        """
        opened: list[int] = []
        begins = self.begin.tolist()
        ends = self.end.tolist()
        for row, begin in enumerate(begins):
            while opened and ends[opened[-1]] <= begin:
                yield END, opened[-1], ends[opened.pop()]
            yield BEGIN, row, begin
            opened.append(row)
        for row in reversed(opened):
            yield END, row, ends[row]


@dataclass(frozen=True)
class Instants:
    """Named moments (ns) on a thread."""

    process: str
    thread: str
    at: Ints
    names: Sequence[str]


@dataclass(frozen=True)
class Counter:
    """A value in bytes over time (ns)."""

    process: str
    name: str
    at: Ints
    value: Ints


@dataclass(frozen=True)
class Trace:
    """The content of a trace.

    `processes` has all process names in order; threads are in the order of `slices`.
    """

    processes: Sequence[str]
    slices: Sequence[Slices]
    instants: Sequence[Instants]
    counters: Sequence[Counter]
