"""Intervals of tinygrad's timeline: ranges, and graphs of kernels that ran as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from data_loaders.tinygrad.capture import BATCHED, GRAPH, MOST_NUMBER, NOT_SAID, SINGLE, Capture, Fields, Label
from data_loaders.tinygrad.records import GraphEntry, Instant, TracingKey, fields_of, items_of
from data_loaders.tinygrad.stacks import NO_STACK


class _Interval(NamedTuple):
    device: str
    label: Label
    start: int
    end: int | None
    copy: bool
    traced: Fields | None


def take_range(capture: Capture, said: Fields) -> str | None:
    """Add a range; return why it is left out."""
    device, start, end = said.get("device"), said.get("st"), said.get("en")
    if type(device) is not str or type(start) is not Instant or not (end is None or type(end) is Instant):
        return "a range without device or times"
    interval = _interval(capture, said, device, start, end)
    if interval is None:
        return "a range without a name"
    _add(capture, interval, SINGLE)
    return None


def take_graph(capture: Capture, said: Fields) -> str | None:
    """Add a graph as one interval on the row `<DEVICE> Graph`, and each of its kernels; return why it is left out."""
    entries, signals = items_of(said.get("ents")), items_of(said.get("sigs"))
    known = [entry for entry in (_entry(capture, found, signals) for found in entries) if entry is not None]
    capture.skipped["an entry of a graph without device, name or times"] += len(entries) - len(known)
    if not known:
        return "a graph without entries"
    times = [time for entry in known for time in (entry.start, entry.end) if time is not None]
    label = Label(f"batched {len(entries)}", (), False)
    row = f"{known[0].device.split(':')[0]} Graph"
    _add(capture, _Interval(row, label, min(times), max(times), False, None), GRAPH)
    for entry in known:
        _add(capture, entry, BATCHED)
    return None


def _entry(capture: Capture, entry: object, signals: Sequence[object]) -> _Interval | None:
    """Return a kernel of a graph; its times are places in the graph's list of signals."""
    said = fields_of(entry, GraphEntry)
    if said is None:
        return None
    device, start, end = said.get("device"), _signal(signals, said.get("st_id")), _signal(signals, said.get("en_id"))
    if type(device) is not str or start is None or end is None:
        return None
    return _interval(capture, said, device, start, end)


def _signal(signals: Sequence[object], index: object) -> int | None:
    if type(index) is not int or not 0 <= index < len(signals):
        return None
    at = signals[index]
    return at if type(at) is Instant else None


def _interval(capture: Capture, said: Fields, device: str, start: int, end: int | None) -> _Interval | None:
    """Return it in the host's time; None where it has no name."""
    traced = fields_of(said.get("name"), TracingKey)
    label = _label(said, traced)
    copy = said.get("is_copy") is True
    offset = capture.offset(device, copy)
    ends = None if end is None else end + offset
    return None if label is None else _Interval(device, label, start + offset, ends, copy, traced)


def _label(said: Fields, traced: Fields | None) -> Label | None:
    """Return how it is called and found: by its key in newer versions, else by its name or its own keys."""
    text = traced.get("display_name") if traced else said.get("name")
    key = said.get("profile_key")
    if type(text) is not str:
        return None
    if type(key) is bytes:
        return Label(text, (key,), True)
    if traced:
        keys = tuple(key for key in items_of(traced.get("keys")) if type(key) is str or type(key) is bytes)
        return Label(text, keys, False)
    return Label(text, () if "profile_key" in said else (text,), True)


def _add(capture: Capture, interval: _Interval, kind: int) -> None:
    spans, traced = capture.spans, interval.traced
    copied = traced.get("ret") if traced else None
    spans.track.append(capture.device(interval.device))
    spans.label.append(capture.labels.setdefault(interval.label, len(capture.labels)))
    spans.start.append(interval.start)
    spans.end.append(interval.end)
    spans.kind.append(kind)
    spans.copy.append(interval.copy)
    spans.copied.append(copied if type(copied) is int and 0 <= copied < MOST_NUMBER else NOT_SAID)
    spans.stack.append(capture.stacks.number(traced.get("tb")) if traced else NO_STACK)
