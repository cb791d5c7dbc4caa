"""Devices of a profile made by hand: maps whose steps are nanoseconds and whose blocks are buffers."""

from dataclasses import replace

from analysis.memory.attempt_map import MapFacts
from analysis.memory.live_curve import DeviceCurves
from tests.support.memory import amap, attempts, block, blocks

DEVICES = MapFacts("ns", addressed=False, devices=True)
"""What the maps of a profile are like."""


def buffer(name, start, end, size, *, attempt=0, dtype="float"):
    """Return a row of `allocations` as the loader makes it of a buffer, alive [start, end) ns."""
    return block(
        name, start, end, size=size, attempt=attempt, kind="buffer", dtype=dtype, tensor_bytes=size
    )


def device(rows, length, label="CPU", number=0):
    """Return the map of a device whose capture is `length` ns long."""
    return replace(
        amap(rows, length=length, level=label, outcome="unsolved", attempt=number), facts=DEVICES
    )


def curves(rows, length, labels=("CPU",)):
    """Return the curves of devices, called by `labels` in the order of their attempts."""
    return DeviceCurves.of(blocks(rows), attempts(len(labels), steps=length, level=list(labels)))
