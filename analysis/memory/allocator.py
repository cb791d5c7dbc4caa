"""Memory that a caching allocator gave out while a program ran, such as that of PyTorch.

Its addresses are no plan: segments that never existed together have different addresses, so a
highest address says nothing. Allocated and reserved bytes count.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from schema.diagnostics import Diagnostic
from schema.plurals import plural


def allocator_numbers(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return frame `attempts` of devices with the numbers that hold for an allocator.

    Extent, waste and fragmentation are null. `utilization` is the share of the capacity that is
    allocated at the peak, null without a capacity.
    """
    capacity = numbers["capacity"].to_numpy(np.float64, na_value=np.nan)
    peak = numbers["live_peak"].to_numpy(np.float64, na_value=np.nan)
    share = np.divide(peak, capacity, out=np.full(len(peak), np.nan), where=capacity > 0)
    unknown = pd.array([pd.NA] * len(numbers), dtype="Int64")
    return numbers.assign(extent=unknown, waste=unknown, fragmentation=np.nan, utilization=share)


def allocator_headline(
    attempts: pd.DataFrame, device_memory: pd.DataFrame
) -> dict[str, float | None]:
    """Map the metrics of an allocator to the values of the device with the highest peak, in bytes;
    None if unknown.

    `attempts` has the capacities. Without a history the peaks are not known.
    """
    device = main_device(device_memory)
    if device is None:
        return {}
    own = attempts[attempts["attempt"] == device["attempt"]]
    capacity = _number(own["capacity"].iloc[0]) if len(own) else None
    peak = _number(device["peak_allocated"])
    return {
        "peak_memory": peak,
        "peak_reserved": _number(device["peak_reserved"]),
        "memory_capacity": capacity,
        "capacity_use": None if peak is None or not capacity else peak / capacity,
    }


def with_peak_as_extent(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return frame `attempts` with the most bytes allocated at once as the extent of each device.

    Comparisons split changes of the extent by block, and of an allocator its peak counts.
    """
    return numbers.assign(extent=numbers["live_peak"])


def main_device(device_memory: pd.DataFrame) -> pd.Series | None:
    """Return the row of frame `device_memory` with the highest peak, of equals the first.

    The host counts only if there is no other device. Without peaks the bytes at the end decide.
    None if the frame is empty.
    """
    is_host = device_memory["device"] == "cpu"
    rows = device_memory if is_host.all() else device_memory[~is_host]
    if not len(rows):
        return None
    peaks = rows["peak_allocated"].fillna(rows["end_allocated"]).to_numpy(np.int64)
    return rows.iloc[int(peaks.argmax())]


def reserved_findings(attempts: pd.DataFrame, device_memory: pd.DataFrame) -> list[Diagnostic]:
    """Report devices that reserved more than their capacity, as a setting gives it; a list of a
    single finding, or [].
    """
    columns = ["attempt", "device", "peak_reserved"]
    rows = device_memory[columns].merge(attempts[["attempt", "capacity"]], on="attempt")
    over = rows[(rows["peak_reserved"] > rows["capacity"]).fillna(False).astype(bool)]
    if not len(over):
        return []
    worst = over.iloc[int((over["peak_reserved"] - over["capacity"]).to_numpy(np.int64).argmax())]
    text = (
        f"{plural(len(over), 'device')} reserved more than the capacity: {worst['device']} reserved "
        f"{worst['peak_reserved']} of {plural(worst['capacity'], 'byte')}"
    )
    return [Diagnostic("error", "capacity_exceeded", text, str(worst["device"]), len(over))]


def _number(value: object) -> float | None:
    return None if pd.isna(value) else float(str(value))
