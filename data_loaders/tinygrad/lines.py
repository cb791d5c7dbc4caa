"""Parse the JSON lines of `python -m tinygrad.viz.cli --json`: an event per line.

Times count from the capture's begin. The lines lack buffers, launches and the kernels of graphs.
Numbers of kernels are rates (`FLOPS`, `B/s mem`, `B/s lds`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from data_loaders.protocol import LoadError
from data_loaders.tinygrad.capture import (
    GRAPH,
    MAX_NUMBER,
    SINGLE,
    UNKNOWN_BYTES,
    Capture,
    Label,
    Marker,
    Spans,
)
from data_loaders.tinygrad.columns import integers
from data_loaders.tinygrad.records import PICOSECONDS
from data_loaders.tinygrad.stacks import NO_STACK, Stacks
from data_loaders.tinygrad.times import times_from_numbers

MAX_MILLISECONDS = 1e14
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
    """Parse the JSON lines of an export.

    Invalid lines are counted by reason in the capture's `skipped`. Raises LoadError if there is no
    interval or marker. Times are picoseconds from the capture's begin.
    """
    export = ExportLines(Capture(Stacks(keep=False)))
    intervals: list[_Interval] = []
    for fields in _objects(data, export.capture):
        reason = _take(export, intervals, fields)
        if reason is not None:
            export.capture.skipped[reason] += 1
    if not intervals and not export.capture.markers:
        kinds = export.capture.skipped.most_common(1)
        raise LoadError(
            "it contains no events" + (f" that can be read: {kinds[0][0]}" if kinds else "")
        )
    export.capture.spans = _spans(intervals)
    return export


def _spans(intervals: Sequence[_Interval]) -> Spans:
    count = len(intervals)
    return Spans(
        track=integers(interval.track for interval in intervals),
        label=integers(interval.label for interval in intervals),
        start=times_from_numbers(interval.start for interval in intervals),
        end=times_from_numbers(interval.end for interval in intervals),
        closed=np.ones(count, np.bool_),
        kind=integers(interval.kind for interval in intervals),
        copy=np.array([interval.copied is not None for interval in intervals], np.bool_),
        copied=integers(_bytes(interval.copied) for interval in intervals),
        stack=np.full(count, NO_STACK),
    )


def _bytes(copied: int | None) -> int:
    return copied if copied is not None and 0 <= copied < MAX_NUMBER else UNKNOWN_BYTES


def _objects(data: bytes, capture: Capture) -> Iterator[Mapping[str, object]]:
    for line in data.splitlines():
        try:
            fields = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            capture.skipped["a line that is not valid JSON"] += 1
            continue
        if type(fields) is dict and "value" not in fields:
            yield fields


def _take(
    export: ExportLines, intervals: list[_Interval], fields: Mapping[str, object]
) -> str | None:
    """Add the interval or marker of a line to the export.

    Returns the reason if the line is skipped, otherwise `None`. Source text is ignored without a
    reason.
    """
    device = fields.get("device")
    name = fields.get("name")
    start = _picoseconds(fields.get("st_ms"))
    if device == "SOURCE":
        return None
    if "st_ms" not in fields and "count" in fields:
        return "a line of a summary (-t), which has no times"
    if type(device) is not str or type(name) is not str or start is None:
        return "a line without device, name or time"
    if device == "MARKER":
        export.capture.markers.append(Marker({"name": name}, start))
        return None
    duration = _picoseconds(fields.get("dur_ms"))
    if duration is None:
        return "a line without a duration"
    formatted = fields.get("fmt")
    format_fields: Mapping[str, object] = formatted if type(formatted) is dict else {}
    rates = tuple(_rate(format_fields.get(key)) for key in _RATES)
    if any(rate is not None for rate in rates):
        export.rates[len(intervals)] = rates
    copied = format_fields.get("B")
    interval = _Interval(
        track=export.capture.device(device),
        label=export.capture.label(Label(name, (), False)),
        start=start,
        end=start + duration,
        kind=GRAPH if device.endswith(" Graph") else SINGLE,
        copied=copied if type(copied) is int else None,
    )
    intervals.append(interval)
    return None


def _picoseconds(milliseconds: object) -> int | None:
    if type(milliseconds) not in (int, float) or not isinstance(milliseconds, (int, float)):
        return None
    # Compared before any conversion: an integer with hundreds of digits does not fit into a float.
    fits = -MAX_MILLISECONDS < milliseconds < MAX_MILLISECONDS
    return round(milliseconds * 1000 * PICOSECONDS) if fits else None


def _rate(value: object) -> float | None:
    if not isinstance(value, (int, float)) or type(value) is bool:
        return None
    return float(value) if 0 <= value < 1e30 else None
