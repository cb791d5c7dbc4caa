"""Bytes alive over time of the devices of a profile, each by itself and all together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from schema.array_types import Ints
from schema.arrays import distinct


@dataclass(frozen=True)
class LiveCurve:
    """A stepped curve: from `at[i]` to the next one `bytes[i]` are alive in `blocks[i]` buffers; all int64.

    `at` are ns, rising, the first of them 0; the last value holds up to `end`.
    """

    at: Ints
    bytes: Ints
    blocks: Ints
    end: int

    @property
    def peak(self) -> int:
        """Return the most bytes that are alive at once."""
        return int(self.bytes.max())

    @property
    def peak_time(self) -> int:
        """Return when the most bytes are alive for the first time, in ns."""
        return int(self.at[int(self.bytes.argmax())])

    def index(self, time: int) -> int:
        """Return the position of the value that holds at a time."""
        return max(0, int(np.searchsorted(self.at, time, side="right")) - 1)

    def changes(self, window: tuple[int, int]) -> slice:
        """Return the positions of the values that hold at some time of a window [begin, end), not empty."""
        return slice(self.index(window[0]), max(1, int(np.searchsorted(self.at, window[1], side="left"))))


@dataclass(frozen=True)
class Binned:
    """Equal parts of a window: part i is [edge[i], edge[i + 1]), `highest[i]` the most bytes alive in it.

    `time[i]` is when they first are, or the middle of a part in which nothing changes; `blocks[i]` the buffers then.
    """

    edge: Ints
    highest: Ints
    time: Ints
    blocks: Ints


def live_curve(blocks: pd.DataFrame, end: int) -> LiveCurve:
    """Return the bytes of rows of frame `allocations` over time, whose starts and ends are ns; `end` is at least 1."""
    size = blocks["size"].to_numpy(np.int64)
    times = np.concatenate([[0], blocks["start"].to_numpy(np.int64), blocks["end"].to_numpy(np.int64)])
    at, spot = np.unique(np.minimum(times, end), return_inverse=True)
    bytes_, count = np.zeros(len(at), dtype=np.int64), np.zeros(len(at), dtype=np.int64)
    comes, goes = spot[1 : len(blocks) + 1], spot[len(blocks) + 1 :]
    np.add.at(bytes_, comes, size)
    np.subtract.at(bytes_, goes, size)
    np.add.at(count, comes, 1)
    np.subtract.at(count, goes, 1)
    inside = at < end
    return LiveCurve(at[inside], np.cumsum(bytes_)[inside], np.cumsum(count)[inside], end)


@dataclass(frozen=True)
class DeviceCurves:
    """The curve of every device, by its attempt and in the order of frame `attempts`, and that of all together."""

    devices: Mapping[int, LiveCurve]
    labels: Mapping[int, str]
    total: LiveCurve

    @classmethod
    def of(cls, allocations: pd.DataFrame, attempts: pd.DataFrame) -> DeviceCurves:
        """Return the curves of frames `allocations` and `attempts` of a profile, whose steps are ns."""
        numbers = attempts["attempt"].tolist()
        names = attempts["level"].astype("str").tolist()
        ends = np.maximum(attempts["steps"].to_numpy(np.int64, na_value=0), 1)
        groups = dict(list(allocations.groupby("attempt", sort=False)))
        devices = {
            number: live_curve(groups.get(number, allocations.head(0)), end)
            for number, end in zip(numbers, ends.tolist(), strict=True)
        }
        labels = dict(zip(numbers, names, strict=True))
        return cls(devices, labels, live_curve(allocations, int(ends.max(initial=1))))

    def sum_of(self, numbers: Iterable[int]) -> LiveCurve:
        """Return the curve of some devices together."""
        return sum_curves([self.devices[number] for number in numbers], self.total.end)


def sum_curves(curves: Sequence[LiveCurve], end: int) -> LiveCurve:
    """Return the sum of curves at every time."""
    at = distinct(np.concatenate([np.zeros(1, dtype=np.int64), *(curve.at for curve in curves)]))
    places = [np.searchsorted(curve.at, at, side="right") - 1 for curve in curves]
    none = np.zeros(len(at), dtype=np.int64)
    alive = sum((curve.bytes[place] for curve, place in zip(curves, places, strict=True)), none)
    count = sum((curve.blocks[place] for curve, place in zip(curves, places, strict=True)), none)
    return LiveCurve(at, alive, count, end)


def bin_curve(curve: LiveCurve, window: tuple[int, int], parts: int) -> Binned:
    """Return a curve over a window [begin, end) in at most so many equal parts, each at least 1 ns long."""
    begin, end = window
    count = max(1, min(parts, end - begin))
    edge = begin + (end - begin) // count * np.arange(count + 1) + (end - begin) % count * np.arange(count + 1) // count
    first = np.maximum(np.searchsorted(curve.at, edge[:-1], side="right") - 1, 0)
    last = np.maximum(np.searchsorted(curve.at, edge[1:], side="left"), first + 1)
    # Neighbours share the value that holds over their border, so their spans of values overlap.
    places = np.stack([first, last], axis=1).ravel()
    padded = np.append(curve.bytes, -1)
    highest = np.maximum.reduceat(padded, places)[::2]
    spans = last - first
    owner = np.repeat(np.arange(count), spans)
    row = np.arange(len(owner)) - np.repeat(np.cumsum(spans) - spans, spans) + first[owner]
    found = np.flatnonzero(curve.bytes[row] == highest[owner])
    at = row[found[np.unique(owner[found], return_index=True)[1]]]
    time = np.where(spans == 1, (edge[:-1] + edge[1:]) // 2, np.maximum(curve.at[at], edge[:-1]))
    return Binned(edge, highest, time, curve.blocks[at])
