"""Turn a memory snapshot into frames and findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pandas as pd

from data_loaders.reading.result_folder import Reading
from data_loaders.torch_snapshot.annotation_frames import annotation_events, markers_frame
from data_loaders.torch_snapshot.annotations import match_steps, pair_spans
from data_loaders.torch_snapshot.call_stacks import CallStacks
from data_loaders.torch_snapshot.device_memory import (
    device_memory_frame,
    out_of_memory_frame,
    reserved_frame,
)
from data_loaders.torch_snapshot.devices import Device, replay_devices
from data_loaders.torch_snapshot.entries import Snapshot
from data_loaders.torch_snapshot.frames import (
    allocations_frame,
    attempts_frame,
    calls_frame,
    steps_frame,
)
from data_loaders.torch_snapshot.left_out import level_name
from data_loaders.torch_snapshot.pools import pools_frame
from data_loaders.torch_snapshot.segment_lives import segments_frame
from data_loaders.torch_snapshot.values import UNKNOWN
from schema.byte_text import size_text
from schema.diagnostics import Diagnostic, occurrences
from schema.plurals import plural

_US = 10**6
_PLAUSIBLE = range(10**9, 2**32)
"""Seconds since 1970 that count as a date: 2001 to 2106."""


def make_reading(snapshot: Snapshot) -> Reading:
    """Build the frames of a snapshot, with metadata and findings.

    Raises LoadError if no device of it can be read.
    """
    devices, empty = replay_devices(snapshot)
    frames = {
        "attempts": attempts_frame(
            devices, "expandable_segments" if snapshot.expandable else "caching"
        ),
        "allocations": allocations_frame(devices, snapshot.stacks.names),
        "calls": calls_frame(snapshot.stacks),
        "steps": steps_frame(devices),
        "counters": reserved_frame(devices),
        "device_memory": device_memory_frame(devices, snapshot.stacks.names),
        "memory_pools": pools_frame(devices),
        "memory_segments": segments_frame(devices, snapshot.stacks.names),
        "out_of_memory": out_of_memory_frame(devices),
    }
    frames |= _annotation_frames(snapshot, devices)
    findings = [
        *_out_of_memory(devices),
        *_empty_findings(snapshot, empty),
        *_incomplete(devices),
        *_shortened_findings(snapshot.stacks),
        *snapshot.left_out.findings(empty),
    ]
    return Reading(_metadata(devices), frames, findings)


def _annotation_frames(snapshot: Snapshot, devices: Sequence[Device]) -> dict[str, pd.DataFrame]:
    steps = match_steps(snapshot.annotations, {device.number: device.trace for device in devices})
    placeless = int((steps == UNKNOWN).sum())
    snapshot.left_out.add(
        None, "annotation", "ignored: no entry of its device has a time", placeless
    )
    lengths = {device.number: device.lives.steps for device in devices}
    spans = pair_spans(snapshot.annotations, steps, lengths)
    tracks, events = annotation_events(spans, is_single=len(devices) == 1)
    return {
        "markers": markers_frame(snapshot.annotations, steps),
        "tracks": tracks,
        "events": events,
    }


def _metadata(devices: Sequence[Device]) -> dict[str, object]:
    metadata: dict[str, object] = {"time_unit": "steps"}
    seconds = max((int(device.trace.time.max(initial=0)) for device in devices), default=0) // _US
    if seconds in _PLAUSIBLE:
        metadata["taken_at"] = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return metadata


def _empty_findings(snapshot: Snapshot, empty: Mapping[int, str]) -> list[Diagnostic]:
    return [
        Diagnostic(
            "warning",
            "device_empty",
            f"{level_name(device)} is shown empty, {reason}",
            level_name(device),
            snapshot.left_out.count(device),
        )
        for device, reason in empty.items()
    ]


def _shortened_findings(stacks: CallStacks) -> list[Diagnostic]:
    shortened = "stored with the innermost line only: the limit of lines is reached"
    return [
        *occurrences("info", "stacks_shortened", stacks.shortened, "call stack", shortened),
        *occurrences(
            "warning",
            "entries_skipped",
            stacks.unreadable,
            "call stack",
            "ignored: not a list of calls",
        ),
    ]


def _out_of_memory(devices: Sequence[Device]) -> list[Diagnostic]:
    findings = []
    for device in devices:
        places = device.trace.places("oom")
        if len(places):
            worst = int(places[device.trace.size[places].argmax()])
            text = f"out of memory {plural(len(places), 'time')}{_shortage(device, worst)}"
            where = f"{device.level}, step {worst}"
            findings.append(Diagnostic("warning", "out_of_memory", text, where, len(places)))
    return findings


def _shortage(device: Device, place: int) -> str:
    """Describe requested and free bytes of the out-of-memory entry at `place`, as the end of a
    sentence; "" if the requested are unknown.
    """
    requested = int(device.trace.size[place])
    free = int(device.trace.device_free[place])
    if requested == UNKNOWN:
        return ""
    left = "" if free == UNKNOWN else f", while {size_text(free)} of the device were free"
    return f": the largest request was {size_text(requested)}{left}"


def _incomplete(devices: Sequence[Device]) -> list[Diagnostic]:
    return [
        Diagnostic(
            "warning",
            "trace_incomplete",
            "the trace does not match the blocks alive at its end: its ring buffer lost entries, so bytes alive are not exact",
            device.level,
            max(1, device.lives.lost),
        )
        for device in devices
        if not device.closes
    ]
