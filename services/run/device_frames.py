"""Frames of the time of a profile's devices, from its breakdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from analysis.kernels.breakdown import DeviceBreakdown
from analysis.kernels.idle import REASONS
from schema.frames import FRAMES, build_frame
from services.run.breakdown import Breakdown

COUNTED, WHOLE, STEP = "counted", "whole", "step"
"""Windows of frame `device_times`."""


def device_times(result: Breakdown) -> pd.DataFrame:
    """Build frame `device_times`: per device the counted steps, its whole window, then its steps."""
    rows = [row for device in result.devices for row in _device_rows(device)]
    return _frame("device_times", rows)


def _device_rows(device: DeviceBreakdown) -> Iterator[dict[str, Any]]:
    name = str(device.spans.device)
    if device.counted is not None:
        counted = {"window": COUNTED, "steps": device.counted_steps, **asdict(device.counted)}
        yield {"device": name, **counted}
    span = {"start": int(device.spans.start.min()), "end": int(device.spans.end.max())}
    yield {"device": name, "window": WHOLE, **span, **asdict(device.window)}
    for step, split in zip(device.windows.to_dict("records"), device.steps, strict=True):
        yield {
            "device": name,
            "window": STEP,
            "name": str(step["name"]),
            "start": step["start"],
            "end": step["end"],
            "left_out": step["left_out"] or None,
            **asdict(split),
        }


def idle_times(result: Breakdown) -> pd.DataFrame:
    """Build frame `idle_times`: a row per device and reason, also for reasons without time."""
    rows = [
        {
            "device": str(device.device),
            "reason": reason,
            "idle": device.reasons[reason],
            "counted": None if device.counted is None else device.counted[reason],
        }
        for device in result.idle
        for reason in REASONS
    ]
    return _frame("idle_times", rows)


def idle_gaps(result: Breakdown) -> pd.DataFrame:
    """Build frame `idle_gaps`: the longest gaps of each device."""
    rows = [
        {
            "device": str(device.device),
            "start": gap.start,
            "end": gap.start + gap.duration,
            "duration": gap.duration,
            "reason": gap.reason,
            "part": gap.parts[gap.reason],
            "next": gap.next or None,
            "op": gap.op,
            "python": gap.python,
        }
        for device in result.idle
        for gap in device.top
    ]
    return _frame("idle_gaps", rows)


def _frame(name: str, rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    columns = FRAMES[name].names
    values = {column: [row.get(column) for row in rows] for column in columns}
    return build_frame(name, values)
