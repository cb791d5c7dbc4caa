"""Content of a profile.pkl by kind: intervals, buffers, launches, markers, programs and counters.

Times are picoseconds of the host's clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.columns import integers
from data_loaders.tinygrad.stacks import Stacks
from data_loaders.tinygrad.times import Times, parse_times
from schema.array_types import Bools, Ints

SINGLE, GRAPH, BATCHED = 0, 1, 2
"""Kinds of intervals: a single range, a whole graph of kernels, a kernel of a graph."""
UNKNOWN_BYTES = -1
"""Marks an unknown number of copied bytes."""
MAX_NUMBER = 2**62
"""Exclusive limit of numbers in a capture, so that a sum of two fits into int64."""

Fields = Mapping[str, object]


class Label(NamedTuple):
    """Name of an interval with its keys.

    `keys` look up the interval's context. If `renamed`, the context's name replaces the text.
    """

    text: str
    keys: tuple[str | bytes, ...]
    renamed: bool


@dataclass(frozen=True)
class Spans:
    """Columns with an item per interval of the timeline, in the order of the file.

    `track` and `label` are numbers of the capture. `start` and `end` are in the host's time. If the
    capture ended inside an interval, it is not `closed` and its end equals its start. The kernels
    of a graph follow the graph, which has the times of its first kernel. `copied` is in bytes, or
    UNKNOWN_BYTES; `stack` may be NO_STACK.
    """

    track: Ints
    label: Ints
    start: Times
    end: Times
    closed: Bools
    kind: Ints
    copy: Bools
    copied: Ints
    stack: Ints

    def without_times(self) -> Spans:
        """Return a copy whose columns `start` and `end`, the largest columns, have length 0."""
        return replace(self, start=parse_times([]), end=parse_times([]))


def no_spans() -> Spans:
    """Return interval columns of length 0."""
    flags = np.zeros(0, np.bool_)
    times = parse_times([])
    numbers = integers([])
    return Spans(numbers, numbers, times, times, flags, numbers, flags, numbers, numbers)


class BufferMoment(NamedTuple):
    """Allocation of a buffer of `elements` of type `dtype` on a device; if `dtype` is `None`, the
    free of buffer `key`.

    `device` is a code, `at` is in picoseconds.
    """

    device: int
    key: int
    dtype: Record | None
    elements: int
    at: int


class Launch(NamedTuple):
    """A call of a kernel or copy on the host, at `at` picoseconds.

    `fields` has the argument of the point.
    """

    device: int
    key: int
    fields: Fields
    at: int


class Marker(NamedTuple):
    """A moment that the user's program marked, at `at` picoseconds."""

    fields: Fields
    at: int


@dataclass
class Capture:
    """A profile.pkl.

    Devices and other tracks of the timeline are numbered in the order of their first occurrence.
    """

    stacks: Stacks
    devices: dict[str, int] = field(default_factory=dict)
    labels: dict[Label, int] = field(default_factory=dict)
    spans: Spans = field(default_factory=no_spans)
    buffers: list[BufferMoment] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    other_points: list[int] = field(default_factory=list)
    """Times of points of unknown kinds; they count only for the capture's length."""
    offsets: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Device -> offsets to the host's clock, in picoseconds, of the device's times and of its
    copies' times.
    """
    properties: dict[str, Fields] = field(default_factory=dict)
    programs: list[Fields] = field(default_factory=list)
    counters: list[Fields] = field(default_factory=list)
    thread_traces: list[Fields] = field(default_factory=list)
    allocates_in_launch: bool = False
    """Whether a launch is dated before the allocation of its output buffers, which is so since
    0.13.
    """
    skipped: Counter[str] = field(default_factory=Counter)
    """Reason -> number of skipped items."""

    def device(self, name: str) -> int:
        """Return the number (from 0) of a device or other track of the capture.

        A new name gets the next number.
        """
        return self.devices.setdefault(name, len(self.devices))

    def label(self, label: Label) -> int:
        """Return the number (from 0) of a label of the capture; a new label gets the next number."""
        return self.labels.setdefault(label, len(self.labels))

    def offset(self, device: str, copy: bool) -> int:
        """Return the offset of a device's clock (of its copies' clock if `copy`) to the host's, in
        picoseconds; 0 if unknown.
        """
        return self.offsets.get(device, (0, 0))[copy]
