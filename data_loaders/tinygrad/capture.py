"""What a profile.pkl holds, sorted by what it is: intervals, buffers, launches, markers, programs and counters.

Times are picoseconds of the host's clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.columns import Integers, integers
from data_loaders.tinygrad.stacks import Stacks
from data_loaders.tinygrad.times import Times, times_of
from schema.array_types import Bools

SINGLE, GRAPH, BATCHED = 0, 1, 2
"""What an interval is: one of its own, a whole graph of kernels, or one kernel of a graph."""
NOT_SAID = -1
MOST_NUMBER = 2**62
"""Numbers in a capture stay below this, so that sums of two fit into int64."""

Fields = Mapping[str, object]


class Label(NamedTuple):
    """An interval's name, what it may be found by among the contexts, and whether a context's name
    replaces it.
    """

    text: str
    keys: tuple[str | bytes, ...]
    renamed: bool


@dataclass(frozen=True)
class Spans:
    """Columns with one element per interval of the timeline, in the order of the file.

    `track` and `label` are numbers of the capture. `start` and `end` are in the host's time; an interval that the
    capture ended inside of is not `closed` and has its start for an end. Kernels of a graph follow it, and it has the
    times of the first of them. `copied` is in bytes, or NOT_SAID; `stack` may be NO_STACK.
    """

    track: Integers
    label: Integers
    start: Times
    end: Times
    closed: Bools
    kind: Integers
    copy: Bools
    copied: Integers
    stack: Integers

    def without_times(self) -> Spans:
        """Return them without start and end, the largest of their columns."""
        return replace(self, start=times_of([]), end=times_of([]))


def no_spans() -> Spans:
    """Return columns without an element."""
    none, no_times, nothing = np.zeros(0, np.bool_), times_of([]), integers([])
    return Spans(nothing, nothing, no_times, no_times, none, nothing, none, nothing, nothing)


class BufferMoment(NamedTuple):
    """A buffer that comes to be, or that goes where `dtype` is None."""

    device: int
    key: int
    dtype: Record | None
    elements: int
    at: int


class Launch(NamedTuple):
    """A call of a kernel or of a copy as the host saw it; `said` has its fields."""

    device: int
    key: int
    said: Fields
    at: int


class Marker(NamedTuple):
    """A moment that the user's program marked."""

    said: Fields
    at: int


@dataclass
class Capture:
    """A profile.pkl.

    Devices and other rows of the timeline are numbered in the order in which they appear.
    """

    stacks: Stacks
    devices: dict[str, int] = field(default_factory=dict)
    labels: dict[Label, int] = field(default_factory=dict)
    spans: Spans = field(default_factory=no_spans)
    buffers: list[BufferMoment] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    other_points: list[int] = field(default_factory=list)
    """Times of points that mean nothing here; they count to the capture's length."""
    offsets: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Device -> what is added to its clock's times, and to those of its copies."""
    properties: dict[str, Fields] = field(default_factory=dict)
    programs: list[Fields] = field(default_factory=list)
    counters: list[Fields] = field(default_factory=list)
    thread_traces: list[Fields] = field(default_factory=list)
    allocates_in_launch: bool = False
    """Since 0.13 a launch is dated before the buffers that it writes are allocated."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Why something was left out -> how often."""

    def device(self, name: str) -> int:
        """Return the number of a device or other row."""
        return self.devices.setdefault(name, len(self.devices))

    def label(self, label: Label) -> int:
        """Return the number of a label."""
        return self.labels.setdefault(label, len(self.labels))

    def offset(self, device: str, copy: bool) -> int:
        """Return what is added to a device's times."""
        return self.offsets.get(device, (0, 0))[copy]
