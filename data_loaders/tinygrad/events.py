"""Validate the events of a profile.pkl of tinygrad 0.12 to 0.14 and sort them by kind.

The list is grouped by source, not sorted by time. The last ProfileDeviceEvent of a device has the
offset of its clock to the host's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from data_loaders.reading.safe_pickle import Event, state_of
from data_loaders.tinygrad.capture import Capture, Fields
from data_loaders.tinygrad.points import take_point
from data_loaders.tinygrad.records import (
    DeviceEvent,
    GraphEvent,
    Instant,
    PmcEvent,
    PointEvent,
    ProgramEvent,
    RangeEvent,
    SqttEvent,
    check,
    picoseconds,
)
from data_loaders.tinygrad.spans import IntervalCollector
from data_loaders.tinygrad.stacks import Stacks

_PART = 2**16
"""Events that are read, and freed, before the next part."""


def read_events(events: list[object], stacks: Stacks) -> Capture:
    """Move the events out of the list into a Capture, which counts unknown events in `skipped`.

    Raises UnsafePickleError if the state or a time of an event is malformed.
    """
    capture = Capture(stacks)
    for event in events:
        # Intervals are converted to the host's time in parts, so all offsets must be complete
        # before the first part.
        if type(event) is DeviceEvent:
            _take_device(capture, state_of(event))
    first = next((event for event in events if type(event) is RangeEvent), None)
    # Ranges have no `is_copy` since 0.13, the release that changed the order of launch and
    # allocation.
    capture.allocates_in_launch = first is not None and "is_copy" not in state_of(first)
    intervals = IntervalCollector(capture)
    take = _takers(capture, intervals)
    while events:
        part = events[:_PART]
        del events[:_PART]
        for event in part:
            reason = _take_event(event, take)
            if reason is not None:
                capture.skipped[reason] += 1
        intervals.pause()
    capture.spans = intervals.columns()
    return capture


def _take_event(event: object, take: Mapping[type, Callable[[Fields], str | None]]) -> str | None:
    """Add an event to the capture; returns the reason if it is skipped, otherwise `None`.

    Raises UnsafePickleError if its state is malformed.
    """
    taker = take.get(type(event))
    if taker is None or not isinstance(event, Event):
        check(event)
        return f"a {type(event).__name__} is not a known event"
    state = event[-1] if event else None
    # Names of fields are not checked: only text names are looked up, so other names have no effect.
    return taker(state if type(state) is dict else state_of(event))


def _take_device(capture: Capture, fields: Fields) -> None:
    """Store a device's clock offsets in picoseconds (for kernels and for copies) and its properties
    in the capture.

    An event without a device name is ignored; a missing offset is 0.
    """
    device = fields.get("device")
    properties = fields.get("props")
    if type(device) is not str:
        return
    # 0.13 replaced `comp_tdiff` and `copy_tdiff` by `tdiff`, since copies got tracks of their own.
    kernels = _picoseconds(fields.get("tdiff", fields.get("comp_tdiff")), 0)
    capture.offsets[device] = kernels, _picoseconds(fields.get("copy_tdiff"), kernels)
    if type(properties) is dict:
        capture.properties[device] = properties


def _picoseconds(value: object, otherwise: int) -> int:
    return picoseconds(value) if isinstance(value, Instant) else otherwise


def _taken_before(fields: Fields) -> str | None:
    return None if type(fields.get("device")) is str else "a device without a name"


def _takers(
    capture: Capture, intervals: IntervalCollector
) -> Mapping[type, Callable[[Fields], str | None]]:
    """Map each class of events to a function that adds an event to the capture and returns the
    reason if it is skipped, else `None`.
    """
    return {
        RangeEvent: intervals.take_range,
        PointEvent: partial(take_point, capture),
        GraphEvent: intervals.take_graph,
        # `read_events` handles these events first.
        DeviceEvent: _taken_before,
        ProgramEvent: capture.programs.append,
        PmcEvent: capture.counters.append,
        SqttEvent: capture.thread_traces.append,
    }
