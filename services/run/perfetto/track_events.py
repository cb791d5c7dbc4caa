"""Writer of a trace as TrackEvent protobuf: the message `Trace` of Perfetto with packets of slices,
instants and counters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from services.run.perfetto.ids import Ids
from services.run.perfetto.protobuf import message, number, text
from services.run.perfetto.trace import BEGIN, Counter, Instants, Slices, Trace

_AT_ONCE = 1 << 20
"""Bytes that are collected before they are written."""
_PACKET = 1
# field numbers of TracePacket, from Perfetto's trace_packet.proto
_TIMESTAMP, _SEQUENCE, _EVENT, _INTERNED, _FLAGS, _TRACK = 8, 10, 11, 12, 13, 60
_CLEARED, _NEEDS_STATE = 1, 2
# field numbers and types of TrackEvent, from track_event.proto
_TYPE, _NAME_ID, _OF_TRACK, _NAME, _VALUE = 9, 10, 11, 23, 30
_SLICE_BEGIN, _SLICE_END, _INSTANT, _COUNTED = 1, 2, 3, 4
# field numbers of TrackDescriptor, from track_descriptor.proto
_UUID, _TRACK_NAME, _PROCESS, _THREAD, _PARENT, _COUNTER = 1, 2, 3, 4, 5, 8
_COUNTER_UNIT, _SIZE_BYTES = 3, 3
_SEQUENCE_ID = number(_SEQUENCE, 1)


def write_protobuf(trace: Trace, stream: BinaryIO) -> None:
    """Write the trace to a binary stream as protobuf, a bounded part at a time.

    Raises ValueError before anything is written if a time is negative, which the format cannot
    hold.
    """
    times_of_parts = [
        *(part.begin for part in trace.slices),
        *(part.at for part in trace.instants),
        *(part.at for part in trace.counters),
    ]
    if any(len(part) and part.min() < 0 for part in times_of_parts):
        raise ValueError(
            "times of this run are below zero, which protobuf traces do not support: use format json"
        )
    held = bytearray()
    for packet in _packets(trace):
        held += message(_PACKET, packet)
        if len(held) >= _AT_ONCE:
            stream.write(bytes(held))
            held.clear()
    stream.write(bytes(held))


def _packets(trace: Trace) -> Iterator[bytes]:
    ids = Ids(trace.processes)
    names = _Names()
    yield _SEQUENCE_ID + number(_FLAGS, _CLEARED)
    for name in trace.processes:
        process = ids.process(name)
        yield _track(process, b"", message(_PROCESS, number(1, process) + text(6, name)))
    for slices in trace.slices:
        thread = ids.next_id()
        yield _thread(ids.process(slices.process), thread, slices.thread)
        yield from _slices(slices, thread, names)
    for instants in trace.instants:
        thread = ids.next_id()
        yield _thread(ids.process(instants.process), thread, instants.thread)
        yield from _instants(instants, thread)
    for counter in trace.counters:
        track = ids.next_id()
        unit = message(_COUNTER, number(_COUNTER_UNIT, _SIZE_BYTES))
        yield _track(
            track,
            number(_PARENT, ids.process(counter.process)),
            text(_TRACK_NAME, counter.name) + unit,
        )
        yield from _values(counter, track)


class _Names:
    """Numbers of interned names: a name is written once and referred to by its number
    afterwards.
    """

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def number(self, name: str) -> tuple[int, bytes]:
        """Return (number of a name, from 1; packet part that defines it, b"" if it was defined
        before).
        """
        if name in self._known:
            return self._known[name], b""
        new = self._known[name] = len(self._known) + 1
        return new, message(_INTERNED, message(2, number(1, new) + text(2, name)))


def _track(uuid: int, parent: bytes, what: bytes) -> bytes:
    return _SEQUENCE_ID + message(_TRACK, number(_UUID, uuid) + parent + what)


def _thread(process: int, thread: int, name: str) -> bytes:
    what = number(1, process) + number(2, thread) + text(5, name)
    return _track(thread, number(_PARENT, process), message(_THREAD, what))


def _packet(at: int, event: bytes, more: bytes = b"") -> bytes:
    return (
        number(_TIMESTAMP, at)
        + _SEQUENCE_ID
        + number(_FLAGS, _NEEDS_STATE)
        + message(_EVENT, event)
        + more
    )


def _slices(slices: Slices, thread: int, names: _Names) -> Iterator[bytes]:
    begins = number(_TYPE, _SLICE_BEGIN) + number(_OF_TRACK, thread)
    ends = number(_TYPE, _SLICE_END) + number(_OF_TRACK, thread)
    rank = slices.name.tolist()
    for kind, row, at in slices.steps():
        if kind is BEGIN:
            name, definition = names.number(slices.names[rank[row]])
            yield _packet(at, begins + number(_NAME_ID, name), definition)
        else:
            yield _packet(at, ends)


def _instants(instants: Instants, thread: int) -> Iterator[bytes]:
    event = number(_TYPE, _INSTANT) + number(_OF_TRACK, thread)
    for at, name in zip(instants.at.tolist(), instants.names, strict=True):
        yield _packet(at, event + text(_NAME, name))


def _values(counter: Counter, track: int) -> Iterator[bytes]:
    event = number(_TYPE, _COUNTED) + number(_OF_TRACK, track)
    for at, value in zip(counter.at.tolist(), counter.value.tolist(), strict=True):
        yield _packet(at, event + number(_VALUE, value))
