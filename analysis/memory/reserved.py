"""Bytes that a caching allocator reserved of a device, over the steps of its trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from schema.array_types import Ints


@dataclass(frozen=True)
class ReservedBytes:
    """Step function: from `step[i]` to `step[i + 1]`, `bytes[i]` bytes are reserved; int64.

    The first step is 0, the last value holds to the end.
    """

    step: Ints
    bytes: Ints

    @property
    def peak(self) -> int:
        """Most bytes that were reserved at once, at least 0."""
        return int(self.bytes.max(initial=0))

    def highest_between(self, start: Ints, end: Ints) -> Ints:
        """Return the most reserved bytes in each range [start, end) of steps, which is not empty;
        the ranges are in order and do not overlap.
        """
        if not len(self.step):
            return np.zeros(len(start), np.int64)
        at_start = np.searchsorted(self.step, start, side="right") - 1
        highest = self.bytes[np.maximum(at_start, 0)]
        place = np.searchsorted(start, self.step, side="right") - 1
        inside = (place >= 0) & (self.step < end[np.maximum(place, 0)])
        np.maximum.at(highest, place[inside], self.bytes[inside])
        return highest


def reserved_bytes(
    counters: pd.DataFrame, device_memory: pd.DataFrame
) -> Mapping[int, ReservedBytes]:
    """Map each attempt of `device_memory` to its reserved bytes in frame `counters`; attempts
    without reserved bytes are left out.
    """
    by_attempt = {}
    for device, attempt in zip(device_memory["device"], device_memory["attempt"], strict=True):
        rows = counters[counters["name"] == f"{device} reserved"]
        if len(rows) and not pd.isna(attempt):
            steps = rows["start"].to_numpy(np.int64)
            by_attempt[int(attempt)] = ReservedBytes(steps, rows["value"].to_numpy(np.int64))
    return by_attempt
