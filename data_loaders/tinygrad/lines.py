"""Parse the JSON lines of `python -m tinygrad.viz.cli --json`: an event per line, with times from
the capture's begin.

They lack buffers, launches and the kernels of graphs. Numbers of kernels are rates (`FLOPS`, `B/s
mem`, `B/s lds`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from data_loaders.protocol import LoadError
from data_loaders.tinygrad.capture import GRAPH, MOST_NUMBER, NOT_SAID, SINGLE, Capture, Label, Marker, Spans
from data_loaders.tinygrad.columns import integers
from data_loaders.tinygrad.records import PICOSECONDS
from data_loaders.tinygrad.stacks import NO_STACK, Stacks
from data_loaders.tinygrad.times import times_of_numbers

MOST_MILLISECONDS = 1e14
"""Exclusive limit of times and durations, in milliseconds."""
_RATES = ("FLOPS", "B/s mem", "B/s lds")


@dataclass
class ExportLines:
    """Content of an export.

    `rates` maps an interval's index to its operations and bytes per second, `None` if missing.
    """

    capture: Capture
    rates: dict[int, tuple[float | None, ...]] = field(default_factory=dict)


class _Interval(NamedTuple):
    track: int
    label: int
    start: int
    end: int
    kind: int
    copied: int | None


def read_lines(data: bytes) -> ExportLines:
    """Parse an export and count invalid lines; raise LoadError if it contains no event."""
    found, intervals = ExportLines(Capture(Stacks(keep=False))), list[_Interval]()
    for said in _objects(data, found.capture):
        why = _take(found, intervals, said)
        if why is not None:
            found.capture.skipped[why] += 1
    if not intervals and not found.capture.markers:
        kinds = found.capture.skipped.most_common(1)
        raise LoadError("it holds no events" + (f" that can be read: {kinds[0][0]}" if kinds else ""))
    found.capture.spans = _spans(intervals)
    return found


def _spans(intervals: Sequence[_Interval]) -> Spans:
    count = len(intervals)
    return Spans(
        track=integers(interval.track for interval in intervals),
        label=integers(interval.label for interval in intervals),
        start=times_of_numbers(interval.start for interval in intervals),
        end=times_of_numbers(interval.end for interval in intervals),
        closed=np.ones(count, np.bool_),
        kind=integers(interval.kind for interval in intervals),
        copy=np.array([interval.copied is not None for interval in intervals], np.bool_),
        copied=integers(_bytes(interval.copied) for interval in intervals),
        stack=np.full(count, NO_STACK),
    )


def _bytes(copied: int | None) -> int:
    return copied if copied is not None and 0 <= copied < MOST_NUMBER else NOT_SAID


def _objects(data: bytes, capture: Capture) -> Iterator[Mapping[str, object]]:
    for line in data.splitlines():
        try:
            said = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            capture.skipped["a line that is no JSON"] += 1
            continue
        if type(said) is dict and "value" not in said:
            yield said


def _take(found: ExportLines, intervals: list[_Interval], said: Mapping[str, object]) -> str | None:
    """Add the event or marker of a line; return the reason if it is skipped."""
    device, name, start = said.get("device"), said.get("name"), _picoseconds(said.get("st_ms"))
    if device == "SOURCE":
        return None
    if "st_ms" not in said and "count" in said:
        return "a line of a summary (-t), which has no times"
    if type(device) is not str or type(name) is not str or start is None:
        return "a line without device, name or time"
    if device == "MARKER":
        found.capture.markers.append(Marker({"name": name}, start))
        return None
    duration = _picoseconds(said.get("dur_ms"))
    if duration is None:
        return "a line without a duration"
    about = said.get("fmt")
    fields: Mapping[str, object] = about if type(about) is dict else {}
    rates = tuple(_rate(fields.get(key)) for key in _RATES)
    if any(rate is not None for rate in rates):
        found.rates[len(intervals)] = rates
    copied, kind = fields.get("B"), GRAPH if device.endswith(" Graph") else SINGLE
    track, label = found.capture.device(device), found.capture.label(Label(name, (), False))
    intervals.append(_Interval(track, label, start, start + duration, kind, copied if type(copied) is int else None))
    return None


def _picoseconds(milliseconds: object) -> int | None:
    if type(milliseconds) not in (int, float) or not isinstance(milliseconds, (int, float)):
        return None
    # compared as it is: a whole number of hundreds of digits is no float
    fits = -MOST_MILLISECONDS < milliseconds < MOST_MILLISECONDS
    return round(milliseconds * 1000 * PICOSECONDS) if fits else None


def _rate(value: object) -> float | None:
    if not isinstance(value, (int, float)) or type(value) is bool:
        return None
    return float(value) if 0 <= value < 1e30 else None
