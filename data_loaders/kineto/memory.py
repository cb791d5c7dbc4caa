"""Peak memory of each device in a torch.profiler trace, and the operator that ran at the peak."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from data_loaders.kineto.attribution import operator_spans
from data_loaders.kineto.frames import Trace, allocator_names
from data_loaders.kineto.spans import MISSING
from schema.array_types import Ints
from schema.frames import frame_of_records
from schema.nesting import Nesting
from schema.torch_profiler import PYTHON


def device_memory_frame(trace: Trace, sizes: Mapping[int, int]) -> pd.DataFrame:
    """Build frame `device_memory`: a row per device with memory events, in order of its number.

    `sizes` maps numbers of devices to the bytes of their memory. If the events of a device contain
    only changes and no totals, its bytes are the running sum of the changes from 0.
    """
    owners = allocator_names(trace)
    totals = {
        name: sizes[number]
        for name, (kind, number) in zip(owners, trace.allocators, strict=True)
        if kind > 0 and number in sizes
    }
    in_order = sorted(zip(trace.allocators, owners, strict=True))
    names = dict.fromkeys(name for _, name in in_order)
    rows = [_device_row(trace, name, owners, totals.get(name)) for name in names]
    return frame_of_records("device_memory", [row for row in rows if row is not None])


def _device_row(
    trace: Trace, name: str, owners: list[str], total: int | None
) -> dict[str, object] | None:
    """Find the peak of a device among its memory events; None if no event tells its bytes."""
    samples = trace.samples
    codes = [code for code, owner in enumerate(owners) if owner == name]
    events = np.flatnonzero(np.isin(samples.device, codes))
    is_relative = bool((samples.allocated[events] == MISSING).all())
    column = samples.change if is_relative else samples.allocated
    events = events[column[events] != MISSING]
    if not len(events):
        return None
    events = events[np.argsort(samples.at[events], kind="stable")]
    allocated = np.cumsum(column[events]) if is_relative else column[events]
    place = int(allocated.argmax())
    reserved = samples.reserved[events]
    peak_reserved = int(reserved.max())
    at = int(samples.at[events[place]])
    thread = int(samples.thread[events[place]])
    return {
        "device": name,
        "entries": len(events),
        # Before the first event a running sum is 0.
        "peak_allocated": max(0, int(allocated[place])) if is_relative else int(allocated[place]),
        "peak_at": at,
        # The profiler writes 0 for allocators that reserve nothing, such as the host's.
        "peak_reserved": peak_reserved if peak_reserved > 0 else None,
        "end_allocated": int(allocated[-1]),
        "end_reserved": int(reserved[-1]) if peak_reserved > 0 and reserved[-1] >= 0 else None,
        "device_total": total,
        "relative": is_relative,
        "op": _innermost_name(trace, operator_spans(trace), thread, at),
        "python": _innermost_name(trace, trace.places(frozenset({PYTHON})), thread, at),
    }


def _innermost_name(trace: Trace, candidates: Ints, thread: int, at: int) -> str | None:
    """Return the name of the innermost candidate span of a thread at a time in ns; None if there is
    none.
    """
    spans = trace.spans
    own = candidates[spans.thread[candidates] == thread]
    nesting = Nesting.of(spans.start[own], spans.start[own] + spans.duration[own])
    row = int(nesting.rows(nesting.innermost(np.array([at])))[0])
    return trace.names[int(spans.name[own[row]])] if row >= 0 else None
