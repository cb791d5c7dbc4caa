"""A memory snapshot as frames and findings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from data_loaders.protocol import LoadError
from data_loaders.reading.answer import Reading
from data_loaders.reading.safe_pickle import unpickle_plain
from data_loaders.torch_snapshot.call_stacks import CallStacks
from data_loaders.torch_snapshot.entries import Snapshot, read_snapshot
from data_loaders.torch_snapshot.frames import (
    Device,
    allocations_frame,
    annotation_events,
    attempts_frame,
    devices_of,
    markers_frame,
    steps_frame,
)
from schema.diagnostics import Diagnostic
from schema.memory import MOST_BYTES
from schema.plurals import plural

_MOST_KINDS = 20
_US = 10**6
_PLAUSIBLE = range(10**9, 2**32)
"""Seconds since 1970 that are a time of day, from 2001 on."""


def read_run(data: bytes) -> Reading:
    """Return a snapshot's frames; raises LoadError or UnsafePickleError where nothing can be read."""
    size = len(data)
    snapshot = read_snapshot(unpickle_plain(data), size)
    devices = devices_of(snapshot)
    if sum(int(device.lives.size.astype(np.float64).sum()) for device in devices) >= MOST_BYTES:
        raise LoadError("its allocations add up to more bytes than any machine has")
    strategy = "expandable_segments" if snapshot.expandable else "caching"
    tracks, events = annotation_events(snapshot, devices)
    frames = {
        "attempts": attempts_frame(devices, strategy),
        "allocations": allocations_frame(devices, snapshot.stacks.names),
        "calls": snapshot.stacks.calls_frame(),
        "steps": steps_frame(devices),
        "markers": markers_frame(snapshot, devices),
        "tracks": tracks,
        "events": events,
    }
    return Reading(_metadata(devices), frames, _findings(snapshot, devices))


def _metadata(devices: Sequence[Device]) -> dict[str, object]:
    said: dict[str, object] = {"time_unit": "steps"}
    seconds = max((int(device.trace.time.max(initial=0)) for device in devices), default=0) // _US
    if seconds in _PLAUSIBLE:
        said["taken_at"] = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return said


def _findings(snapshot: Snapshot, devices: Sequence[Device]) -> list[Diagnostic]:
    kinds = snapshot.skipped.most_common(_MOST_KINDS)
    left_out = [
        Diagnostic("warning", "entries_skipped", f"{plural(count, 'entry')} skipped: {why}", "", count)
        for why, count in kinds
    ]
    return [*_out_of_memory(devices), *_incomplete(devices), *_shortened_findings(snapshot.stacks), *left_out]


def _shortened_findings(stacks: CallStacks) -> list[Diagnostic]:
    count = stacks.shortened
    text = f"{plural(count, 'call stack')} kept with the innermost line alone: the others fill the limit of lines"
    return [Diagnostic("note", "stacks_shortened", text, "", count)] if count else []


def _out_of_memory(devices: Sequence[Device]) -> list[Diagnostic]:
    found = []
    for device in devices:
        places = device.trace.places("oom")
        if not len(places):
            continue
        worst = places[device.trace.size[places].argmax()]
        asked, free = int(device.trace.size[worst]), int(device.trace.device_free[worst])
        left = f", where {_mebibytes(free)} of the device were free" if free >= 0 else ""
        text = f"out of memory {plural(len(places), 'time')}: at most {_mebibytes(max(0, asked))} were asked for{left}"
        found.append(Diagnostic("warning", "out_of_memory", text, f"{device.level}, step {worst}", len(places)))
    return found


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:,.1f} MiB"


def _incomplete(devices: Sequence[Device]) -> list[Diagnostic]:
    return [
        Diagnostic(
            "warning",
            "trace_incomplete",
            "the trace does not explain what is alive at its end: its ring of entries has lost some, and bytes alive "
            "are not exact",
            device.level,
            max(1, device.lives.lost),
        )
        for device in devices
        if not device.closes
    ]
