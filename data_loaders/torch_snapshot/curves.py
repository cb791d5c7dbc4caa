"""Allocated and reserved bytes of a device, or of one of its pools, over the entries of its trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data_loaders.torch_snapshot.replay import Lives
from data_loaders.torch_snapshot.traces import Trace
from schema.array_types import Bools, Ints

GAINS = ("segment_alloc", "segment_map")
LOSSES = ("segment_free", "segment_unmap")


@dataclass(frozen=True)
class ByteCurve:
    """Bytes before the first entry, and after each entry of a trace (int64, a value per entry)."""

    before: int
    after: Ints

    @property
    def peak(self) -> int:
        """Most bytes at any moment."""
        return max(self.before, int(self.after.max(initial=self.before)))

    @property
    def peak_step(self) -> int:
        """First entry after which the most bytes are held; 0 if that was before the trace."""
        if self.before >= self.after.max(initial=self.before):
            return 0
        return int(self.after.argmax())

    @property
    def end(self) -> int:
        """Bytes when the snapshot was taken."""
        return int(self.after[-1]) if len(self.after) else self.before

    def at(self, step: int) -> int:
        """Return the bytes after an entry."""
        return int(self.after[step])

    @property
    def changes(self) -> tuple[Ints, Ints]:
        """Steps at which the bytes change, with the bytes from there on; the first step is 0."""
        values = self.after if len(self.after) else np.array([self.before])
        is_new = np.append(True, values[1:] != values[:-1])
        return np.flatnonzero(is_new), values[is_new]


def allocated_curve(lives: Lives, chosen: Bools | None = None) -> ByteCurve:
    """Compute the bytes alive after each step of a device; a device without entries has one step.

    `chosen` masks the allocations that count, by default all.
    """
    own = np.ones(len(lives.size), np.bool_) if chosen is None else chosen
    change = np.zeros(lives.steps + 1, np.int64)
    np.add.at(change, lives.start[own], lives.size[own])
    np.subtract.at(change, np.minimum(lives.end[own], lives.steps), lives.size[own])
    return ByteCurve(0, np.cumsum(change)[: lives.steps])


def reserved_curve(trace: Trace, at_end: int, chosen: Bools | None = None) -> ByteCurve:
    """Compute the reserved bytes after each entry, backwards from the bytes at the end.

    The snapshot has only the segments of its end. `chosen` masks the entries that count, by default
    all.
    """
    own = np.ones(len(trace.action), np.bool_) if chosen is None else chosen
    gains = trace.places(*GAINS)
    losses = trace.places(*LOSSES)
    change = np.zeros(len(trace.action), np.int64)
    change[gains] = np.where(own[gains], trace.size[gains], 0)
    change[losses] = -np.where(own[losses], trace.size[losses], 0)
    held = np.cumsum(change)
    before = at_end - (int(held[-1]) if len(held) else 0)
    return ByteCurve(before, held + before)
