"""A profile.pkl's list of events, of tinygrad 0.12 to 0.14, checked one by one and sorted by what they are.

The list is grouped by source, not sorted by time. A device's clock is brought to the host's by what its last
ProfileDeviceEvent says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from data_loaders.reading.safe_pickle import Record
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
    fields_of,
)
from data_loaders.tinygrad.spans import take_graph, take_range
from data_loaders.tinygrad.stacks import Stacks


def read_events(events: Sequence[object], stacks: Stacks) -> Capture:
    """Return the events sorted by what they are; unknown ones are counted in `skipped`."""
    capture = Capture(stacks)
    for event in events:
        if (said := fields_of(event, DeviceEvent)) is not None:
            _take_device(capture, said)
    ranges = (said for event in events if (said := fields_of(event, RangeEvent)) is not None)
    capture.allocates_in_launch = "is_copy" not in next(ranges, {"is_copy": False})
    for event in events:
        take = _TAKE.get(type(event))
        if take is None or not isinstance(event, Record):
            capture.skipped[f"a {type(event).__name__} is no event that is known"] += 1
        elif (why := take(capture, event.fields)) is not None:
            capture.skipped[why] += 1
    return capture


def _take_device(capture: Capture, said: Fields) -> None:
    """Keep a device's offsets (0.12: one for kernels and one for copies) and properties."""
    device, properties = said.get("device"), said.get("props")
    if type(device) is not str:
        return
    kernels = _picoseconds(said.get("tdiff", said.get("comp_tdiff")), 0)
    capture.offsets[device] = kernels, _picoseconds(said.get("copy_tdiff"), kernels)
    if type(properties) is dict:
        capture.properties[device] = properties


def _picoseconds(value: object, otherwise: int) -> int:
    return value if type(value) is Instant else otherwise


def _taken_before(capture: Capture, said: Fields) -> str | None:
    return None if type(said.get("device")) is str else "a device without a name"


def _program(capture: Capture, said: Fields) -> None:
    capture.programs.append(said)


def _counters(capture: Capture, said: Fields) -> None:
    capture.counters.append(said)


def _thread_trace(capture: Capture, said: Fields) -> None:
    capture.thread_traces.append(said)


_TAKE: Mapping[type, Callable[[Capture, Fields], str | None]] = MappingProxyType(
    {
        RangeEvent: take_range,
        PointEvent: take_point,
        GraphEvent: take_graph,
        DeviceEvent: _taken_before,
        ProgramEvent: _program,
        PmcEvent: _counters,
        SqttEvent: _thread_trace,
    }
)
