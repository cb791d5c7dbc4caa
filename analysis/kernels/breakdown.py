"""Split the time of a device, and of each step on it, into classes of work and idle time."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

import numpy as np
import pandas as pd

from analysis.kernels.device_spans import DeviceSpans, share_clock
from schema.array_types import Ints


@dataclass(frozen=True)
class Split:
    """Times of a window, in ns.

    `busy` is the union of all streams: compute + communication_exposed + copy_exposed. Exposed
    communication runs while nothing computes, exposed copies while nothing computes or
    communicates.
    """

    total: int
    busy: int
    idle: int
    compute: int
    communication: int
    communication_exposed: int
    communication_overlapped: int
    copy: int
    copy_exposed: int

    def share(self, part: str) -> float | None:
        """Return a part as a share of the window, 0 to 1; None if the window has no length."""
        return getattr(self, part) / self.total if self.total else None


@dataclass(frozen=True)
class DeviceBreakdown:
    """Times of a device: of its whole window, of each step in order, and of the counted steps
    together.

    The window reaches from the begin of the first execution to the end of the last. `counted` is
    None if no step counts. `windows` are the steps of the device's rank, of which `steps` has the
    splits.
    """

    spans: DeviceSpans
    window: Split
    windows: pd.DataFrame
    steps: tuple[Split, ...]
    counted: Split | None
    counted_steps: int

    @property
    def main_split(self) -> Split:
        """The split that captions and metrics report: the sum of the counted steps, or the whole
        window if no step counts.
        """
        return self.counted or self.window


def device_breakdown(
    spans: DeviceSpans, steps: pd.DataFrame, launch_starts: Ints | None = None
) -> DeviceBreakdown:
    """Split the time of a device; of `steps` (those of `find_steps`) the device's rank has its own.

    `launch_starts` is column `start` of frame `launches`. No step counts if these starts show that
    the clocks of device and host differ, because steps are windows on the host's clock.
    """
    steps = own_steps(spans, steps)
    start = np.append(steps["start"].to_numpy(np.int64), spans.start.min())
    end = np.append(steps["end"].to_numpy(np.int64), spans.end.max())
    *by_step, window = _splits(spans, start, end)
    counted = [
        split for split, counts in zip(by_step, steps["counted"].tolist(), strict=True) if counts
    ]
    if launch_starts is not None and not share_clock(spans, launch_starts):
        counted = []
    together = _sum(counted) if counted else None
    return DeviceBreakdown(spans, window, steps, tuple(by_step), together, len(counted))


def own_steps(spans: DeviceSpans, steps: pd.DataFrame) -> pd.DataFrame:
    """Return the steps of the rank of a device; all of them if the file names no ranks."""
    return steps[(steps["rank"] == spans.rank).to_numpy(bool)].reset_index(drop=True)


def device_window(spans: DeviceSpans) -> Split:
    """Split the time of a device from the begin of its first execution to the end of the last."""
    return _splits(spans, spans.start.min(keepdims=True), spans.end.max(keepdims=True))[0]


def busiest(devices: list[DeviceBreakdown]) -> DeviceBreakdown | None:
    """Return the device with the most busy time, the first of equals; None without devices."""
    return max(devices, key=lambda device: device.main_split.busy, default=None)


def _splits(spans: DeviceSpans, start: Ints, end: Ints) -> list[Split]:
    """Divide the time of each window [start, end) by class of work: a `Split` per window."""
    compute = spans.busy_time("compute").within(start, end)
    communication = spans.busy_time("communication").within(start, end)
    copy = spans.busy_time("copy").within(start, end)
    both = spans.busy_time("compute", "communication").within(start, end)
    busy = spans.busy_time("compute", "communication", "copy").within(start, end)
    columns = {
        "total": end - start,
        "busy": busy,
        "idle": end - start - busy,
        "compute": compute,
        "communication": communication,
        "communication_exposed": both - compute,
        "communication_overlapped": communication - (both - compute),
        "copy": copy,
        "copy_exposed": busy - both,
    }
    rows = zip(*(columns[field.name].tolist() for field in fields(Split)), strict=True)
    return [Split(*row) for row in rows]


def _sum(splits: list[Split]) -> Split:
    return Split(*map(sum, zip(*map(astuple, splits), strict=True)))
