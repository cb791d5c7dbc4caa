"""Curves of the bytes alive over time, for each device of a profile and for all
devices together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from schema.array_types import Ints
from schema.arrays import distinct


@dataclass(frozen=True)
class LiveCurve:
    """Step function: from `at[i]` to `at[i + 1]`, `bytes[i]` bytes are alive in `blocks[i]`
    buffers; int64 arrays.

    `at` are ns, ascending, and begin at 0. The last value holds up to `end`.
    """

    at: Ints
    bytes: Ints
    blocks: Ints
    end: int

    @property
    def peak(self) -> int:
        """Maximum of the curve: the most bytes alive at once."""
        return int(self.bytes.max())

    @property
    def peak_time(self) -> int:
        """First time in ns when the most bytes of the curve are alive."""
        return int(self.at[int(self.bytes.argmax())])

    def index(self, time: int) -> int:
        """Find the index of the curve's value that holds at a time (ns); 0 for times before the
        curve.
        """
        return max(0, int(np.searchsorted(self.at, time, side="right")) - 1)

    def changes(self, window: tuple[int, int]) -> slice:
        """Slice of the curve's values that hold at some time of a window [begin, end) in ns; never
        empty.
        """
        return slice(
            self.index(window[0]), max(1, int(np.searchsorted(self.at, window[1], side="left")))
        )


@dataclass(frozen=True)
class Binned:
    """Curve in equal parts of a window: part i is [edge[i], edge[i + 1]), `highest[i]` its maximum
    of live bytes.

    `time[i]` is the first time of the maximum, or the middle of the part if the curve does not
    change in it; `blocks[i]` is the number of buffers at that time.
    """

    edge: Ints
    highest: Ints
    time: Ints
    blocks: Ints


def live_curve(blocks: pd.DataFrame, end: int) -> LiveCurve:
    """Compute the curve of the bytes alive in blocks (rows of frame `allocations` with starts and
    ends in ns), up to `end`, which is at least 1. Without blocks it is 0 throughout.
    """
    size = blocks["size"].to_numpy(np.int64)
    times = np.concatenate(
        [[0], blocks["start"].to_numpy(np.int64), blocks["end"].to_numpy(np.int64)]
    )
    at, spot = np.unique(np.minimum(times, end), return_inverse=True)
    # Changes at the same time are summed first: a buffer that begins when another ends adds no
    # peak.
    bytes_ = np.zeros(len(at), dtype=np.int64)
    count = np.zeros(len(at), dtype=np.int64)
    comes = spot[1 : len(blocks) + 1]
    goes = spot[len(blocks) + 1 :]
    np.add.at(bytes_, comes, size)
    np.subtract.at(bytes_, goes, size)
    np.add.at(count, comes, 1)
    np.subtract.at(count, goes, 1)
    inside = at < end
    return LiveCurve(at[inside], np.cumsum(bytes_)[inside], np.cumsum(count)[inside], end)


@dataclass(frozen=True)
class DeviceCurves:
    """Curves of all devices by attempt, in the order of frame `attempts`, and the curve of their
    sum.
    """

    devices: Mapping[int, LiveCurve]
    labels: Mapping[int, str]
    total: LiveCurve

    @classmethod
    def of(cls, allocations: pd.DataFrame, attempts: pd.DataFrame) -> DeviceCurves:
        """Compute a curve per device, and that of all together, from frames `allocations` and
        `attempts` of a profile, with times in ns. A device without buffers has a curve of 0.
        """
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

    def sum_devices(self, numbers: Iterable[int]) -> LiveCurve:
        """Compute the curve of the summed live bytes of the devices with these attempt numbers; 0
        throughout without devices. Raises KeyError for an unknown number.
        """
        return sum_curves([self.devices[number] for number in numbers], self.total.end)


def sum_curves(curves: Sequence[LiveCurve], end: int) -> LiveCurve:
    """Add the bytes and blocks of curves at every time, as a new curve up to `end`; 0 throughout
    without curves.
    """
    at = distinct(np.concatenate([np.zeros(1, dtype=np.int64), *(curve.at for curve in curves)]))
    places = [np.searchsorted(curve.at, at, side="right") - 1 for curve in curves]
    zeros = np.zeros(len(at), dtype=np.int64)
    alive = sum((curve.bytes[place] for curve, place in zip(curves, places, strict=True)), zeros)
    count = sum((curve.blocks[place] for curve, place in zip(curves, places, strict=True)), zeros)
    return LiveCurve(at, alive, count, end)


def bin_curve(curve: LiveCurve, window: tuple[int, int], parts: int) -> Binned:
    """Reduce a curve over a window [begin, end) (ns) to at most `parts` equal parts, each at least
    1 ns long, with the maximum in each.
    """
    begin, end = window
    count = max(1, min(parts, end - begin))
    edge = (
        begin
        + (end - begin) // count * np.arange(count + 1)
        + (end - begin) % count * np.arange(count + 1) // count
    )
    first = np.maximum(np.searchsorted(curve.at, edge[:-1], side="right") - 1, 0)
    last = np.maximum(np.searchsorted(curve.at, edge[1:], side="left"), first + 1)
    # Adjacent parts share the value that holds across their border, so their index ranges overlap.
    places = np.stack([first, last], axis=1).ravel()
    padded = np.append(curve.bytes, -1)
    highest = np.maximum.reduceat(padded, places)[::2]
    spans = last - first
    owner = np.repeat(np.arange(count), spans)
    row = np.arange(len(owner)) - np.repeat(np.cumsum(spans) - spans, spans) + first[owner]
    peaks = np.flatnonzero(curve.bytes[row] == highest[owner])
    at = row[peaks[np.unique(owner[peaks], return_index=True)[1]]]
    time = np.where(spans == 1, (edge[:-1] + edge[1:]) // 2, np.maximum(curve.at[at], edge[:-1]))
    return Binned(edge, highest, time, curve.blocks[at])
