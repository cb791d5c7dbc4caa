"""Spans on the streams of a device, by class: computing, communication between devices, copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.timeline.covered import Covered
from schema.array_types import Ints
from schema.frames import Frames
from schema.torch_profiler import CLASSES, MAX_CLOCK_ERROR_NS, rank_label


@dataclass(frozen=True)
class DeviceSpans:
    """Executions of a device in order of frame `kernels`; times are ns.

    `device` is its number, or the file's text for it, `interface` the begin of the names of its
    tracks, such as `cuda`. `launch` is the row in frame `launches`, -1 if unknown; `kind` the
    position of the class in `CLASSES`. `untimed` counts further executions, of unknown time.
    """

    device: int | str
    streams: int
    start: Ints
    end: Ints
    kind: Ints
    launch: Ints
    name: npt.NDArray[np.object_]
    interface: str = ""
    untimed: int = 0

    @property
    def rank(self) -> str:
        """Label of the device's rank in a merged file, else ""."""
        return rank_label(str(self.device))

    def busy_time(self, *classes: str) -> Covered:
        """Compute the time in which executions of any of these classes ran."""
        wanted = np.isin(self.kind, [CLASSES.index(name) for name in classes])
        return Covered.of(self.start[wanted], self.end[wanted])


def device_spans(kernels: pd.DataFrame, tracks: pd.DataFrame) -> list[DeviceSpans]:
    """List the devices with executions whose time is known, by number.

    An execution whose class the source does not tell is a copy or computes.
    """
    is_timed = kernels["start"].notna().to_numpy(bool) & kernels["end"].notna().to_numpy(bool)
    pids = dict(zip(tracks["track"].astype("str"), tracks["pid"].astype("str"), strict=True))
    device = kernels["track"].astype("str").map(pids)
    spans = []
    for number in sorted(device[is_timed].unique().tolist(), key=_order):
        is_own = (device == number).to_numpy(bool)
        own = kernels[is_own & is_timed]
        spans.append(
            DeviceSpans(
                device=int(number) if number.isdigit() else number,
                streams=own["track"].nunique(),
                start=own["start"].to_numpy(np.int64),
                end=own["end"].to_numpy(np.int64),
                kind=_kinds(own),
                launch=own["launch"].fillna(-1).to_numpy(np.int64),
                name=own["name"].astype("str").to_numpy(object),
                interface=str(own["track"].iloc[0]).partition(" ")[0],
                untimed=int((is_own & ~is_timed).sum()),
            )
        )
    return spans


def _order(number: str) -> tuple[bool, int, str]:
    return not number.isdigit(), int(number) if number.isdigit() else 0, number


def _kinds(kernels: pd.DataFrame) -> Ints:
    is_copy = kernels["copy"].to_numpy(bool)
    by_copy = np.where(is_copy, CLASSES.index("copy"), CLASSES.index("compute"))
    positions = {name: place for place, name in enumerate(CLASSES)}
    known = kernels["class"].astype("object").map(positions)
    return np.where(known.isna().to_numpy(bool), by_copy, known.fillna(0).to_numpy(np.int64))


def launch_starts(frames: Frames) -> Ints:
    """Return the begins (ns) of frame `launches`, by row."""
    if "launches" not in frames:
        return np.zeros(0, np.int64)
    return np.asarray(frames["launches"]["start"].to_numpy(np.int64))


def share_clock(spans: DeviceSpans, launch_starts: Ints) -> bool:
    """Whether the clocks of device and host agree: no more than half of the launched executions
    begin more than MAX_CLOCK_ERROR_NS before their launch. `launch_starts` is by row of frame
    `launches`.
    """
    launched = spans.launch >= 0
    begun = launch_starts[spans.launch[launched]]
    early = np.count_nonzero(spans.start[launched] < begun - MAX_CLOCK_ERROR_NS)
    return 2 * int(early) <= int(np.count_nonzero(launched))
