"""Frames of a snapshot's devices: peaks, reserved bytes over time, and requests that failed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from data_loaders.torch_snapshot.call_stacks import NO_STACK
from data_loaders.torch_snapshot.curves import ByteCurve, allocated_curve, reserved_curve
from data_loaders.torch_snapshot.devices import Device
from data_loaders.torch_snapshot.free_ranges import largest_free_range
from data_loaders.torch_snapshot.values import UNKNOWN
from schema.frames import complete, frame_of_records

_MAX_RANGES = 10
"""Maximum number of failed requests of a device, the largest first, whose largest free range is
computed.
"""


def device_memory_frame(devices: Sequence[Device], names: Sequence[str]) -> pd.DataFrame:
    """Build frame `device_memory`, a row per device; `names` has the innermost line of each stack.

    Peaks are null if no device has entries: then no history was recorded.
    """
    has_history = any(len(device.trace.action) for device in devices)
    records = []
    for rank, device in enumerate(devices):
        allocated = allocated_curve(device.lives)
        reserved = _reserved_bytes(device)
        knows_reserved = reserved.peak > 0
        records.append(
            {
                "device": device.level,
                "attempt": rank,
                "entries": len(device.trace.action),
                "peak_allocated": allocated.peak if has_history else None,
                "peak_at": allocated.peak_step if has_history and allocated.peak else None,
                "peak_reserved": reserved.peak if has_history and knows_reserved else None,
                "end_allocated": allocated.end,
                "end_reserved": reserved.end if knows_reserved else None,
                "device_total": None,
                "relative": False,
                "op": None,
                "python": _innermost_line(device, allocated.peak_step, names)
                if has_history
                else None,
            }
        )
    return frame_of_records("device_memory", records)


def reserved_frame(devices: Sequence[Device]) -> pd.DataFrame:
    """Build frame `counters`: the reserved bytes of each device at the steps where they change."""
    parts = []
    for device in devices:
        steps, values = _reserved_bytes(device).changes
        if values.any():
            parts.append((device.level, steps, values))
    count = [len(steps) for _, steps, _ in parts]
    code = np.repeat(np.arange(len(parts)), count)
    columns = {
        "track": pd.Categorical.from_codes(code, [level for level, _, _ in parts]),
        "name": pd.Categorical.from_codes(code, [f"{level} reserved" for level, _, _ in parts]),
        "value": np.concatenate([np.zeros(0), *(values for _, _, values in parts)]),
        "start": np.concatenate([np.zeros(0, np.int64), *(steps for _, steps, _ in parts)]),
    }
    return complete("counters", columns)


def out_of_memory_frame(devices: Sequence[Device]) -> pd.DataFrame:
    """Build frame `out_of_memory`: a row per failed request, by device and step."""
    records = []
    for rank, device in enumerate(devices):
        steps = device.trace.places("oom")
        if not len(steps):
            continue
        allocated = allocated_curve(device.lives)
        reserved = _reserved_bytes(device)
        # The free range costs time per request, so only the largest requests have it.
        largest = steps[np.argsort(-device.trace.size[steps], kind="stable")][:_MAX_RANGES]
        free = {step: largest_free_range(device, step) for step in largest.tolist()}
        records += [
            {
                "device": device.level,
                "attempt": rank,
                "step": step,
                "requested": _null_if_unknown(int(device.trace.size[step])),
                "device_free": _null_if_unknown(int(device.trace.device_free[step])),
                "allocated": allocated.at(step),
                "reserved": reserved.at(step),
                "largest_free": free.get(step),
            }
            for step in steps.tolist()
        ]
    return frame_of_records("out_of_memory", records)


def _reserved_bytes(device: Device) -> ByteCurve:
    at_end = device.blocks.reserved if device.blocks is not None else 0
    return reserved_curve(device.trace, at_end)


def _innermost_line(device: Device, step: int, names: Sequence[str]) -> str | None:
    """Return the innermost line of the stack that allocated at a step; None if nothing did."""
    lives = device.lives
    has_entry = device.trace.places("alloc")
    # The curve can begin at its peak, with blocks from before the trace.
    if step not in has_entry:
        return None
    rows = np.flatnonzero((lives.start == step) & (lives.stack != NO_STACK))
    return names[int(lives.stack[rows[-1]])] if len(rows) else None


def _null_if_unknown(value: int) -> int | None:
    return None if value == UNKNOWN else value
