"""Buffers with an invalid size: a driver mapped a whole address space, and the capture clamps the
size to a maximum.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.dtype_bytes import dtype_bytes
from analysis.memory.live_curve import live_curve
from schema.array_types import Bools
from schema.memory import MAX_ELEMENTS


def clamped_buffers(allocations: pd.DataFrame) -> Bools:
    """Mask of the buffers (rows of a profile's frame `allocations`) with at least MAX_ELEMENTS
    (10^12) elements, the most that a capture can have. False if the size of the data type is
    unknown.
    """
    large = (allocations["size"] >= MAX_ELEMENTS).to_numpy(bool)
    clamped = np.zeros(len(allocations), np.bool_)
    for row in np.flatnonzero(large).tolist():
        item = dtype_bytes(allocations["dtype"].iloc[row])
        clamped[row] = (
            item is not None and int(allocations["size"].iloc[row]) >= MAX_ELEMENTS * item
        )
    return clamped


def device_peaks(devices: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, float]:
    """Map each device of frame `attempts` to the most bytes alive at once on it, without clamped
    buffers.

    Devices without other buffers, or without a peak, are missing.
    """
    clamped = clamped_buffers(allocations)
    with_peak = devices[devices["live_peak"].notna()]
    peaks = {
        str(level): float(peak)
        for level, peak in zip(with_peak["level"], with_peak["live_peak"], strict=True)
    }
    for number in np.unique(allocations["attempt"].to_numpy(np.int64)[clamped]).tolist():
        rows = devices[devices["attempt"] == number]
        own = allocations[(allocations["attempt"] == number).to_numpy(bool) & ~clamped]
        for level, steps in zip(rows["level"].astype("str"), rows["steps"], strict=True):
            peak = live_curve(own, max(int(steps), 1)).peak if len(own) else 0
            peaks.pop(level, None)
            peaks |= {level: float(peak)} if peak else {}
    return peaks
