"""Hand-made devices of a profile: maps whose steps are nanoseconds and whose blocks are buffers."""

from dataclasses import replace

from analysis.memory.attempt_map import MapFacts
from analysis.memory.live_curve import DeviceCurves
from tests.support.memory import amap, attempts, block, blocks

DEVICES = MapFacts("ns", addressed=False, devices=True)
"""Facts of the maps of a profile."""


def buffer(name, start, end, size, *, attempt=0, dtype="float"):
    """Build the row of `allocations` of a buffer that is alive in [start, end) ns."""
    return block(
        name, start, end, size=size, attempt=attempt, kind="buffer", dtype=dtype, tensor_bytes=size
    )


def device(rows, length, label="CPU", number=0):
    """Build the map of a device with these buffers; its capture is `length` ns long."""
    return replace(
        amap(rows, length=length, level=label, outcome="unsolved", attempt=number), facts=DEVICES
    )


def curves(rows, length, labels=("CPU",)):
    """Build the curves of devices with these buffers; `labels` are their names in the order of
    their attempts.
    """
    return DeviceCurves.of(blocks(rows), attempts(len(labels), steps=length, level=list(labels)))
