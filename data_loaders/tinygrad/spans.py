"""Collect the intervals of tinygrad's timeline: ranges, and graphs of kernels that ran together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from data_loaders.tinygrad.capture import (
    BATCHED,
    GRAPH,
    MAX_NUMBER,
    SINGLE,
    UNKNOWN_BYTES,
    Capture,
    Fields,
    Label,
    Spans,
)
from data_loaders.tinygrad.columns import integers
from data_loaders.tinygrad.records import GraphEntry, Instant, TracingKey, list_items, record_fields
from data_loaders.tinygrad.stacks import NO_STACK
from data_loaders.tinygrad.times import Times, parse_times, times_from_numbers
from schema.array_types import Ints


class _Name(NamedTuple):
    """Label of an interval, and the fields of its TracingKey if it has one."""

    label: Label
    traced: Fields | None


class _Entry(NamedTuple):
    """A kernel of a graph."""

    device: str
    name: _Name
    start: Instant
    end: Instant
    copy: bool


class IntervalCollector:
    """Collects a capture's intervals and returns them as columns.

    Rare attributes are stored in dictionaries by the interval's index, because a column of a
    million items takes time and memory. For the same reason lists become arrays while they are
    short.
    """

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._plain: dict[str, int] = {}
        self._parts: dict[str, list[npt.NDArray[Any]]] = {}
        self._begin()

    def _begin(self) -> None:
        self._track: list[int] = []
        self._label: list[int] = []
        self._start: list[Instant] = []
        self._end: list[Instant] = []
        self._copy: list[bool] = []
        self._open: list[int] = []
        self._kinds: dict[int, int] = {}
        self._copied: dict[int, int] = {}
        self._stacks: dict[int, int] = {}

    def take_range(self, fields: Fields) -> str | None:
        """Add a range to the capture's intervals.

        Returns the reason if it is skipped, otherwise `None`.
        """
        device = fields.get("device")
        start = fields.get("st")
        end = fields.get("en")
        if (
            type(device) is not str
            or not isinstance(start, Instant)
            or not (end is None or isinstance(end, Instant))
        ):
            return "a range without device or times"
        name = fields.get("name")
        # A dictionary of plain names avoids a Label object for each of millions of ranges.
        label = self._plain.get(name) if type(name) is str and "profile_key" not in fields else None
        traced = None
        if label is None:
            full_name = _read_name(fields)
            if full_name is None:
                return "a range without a name"
            label = self._capture.label(full_name.label)
            traced = full_name.traced
            if traced is None and "profile_key" not in fields:
                self._plain[full_name.label.text] = label
        self._add(device, label, start, end, fields.get("is_copy") is True)
        if traced:
            self._add_traced(traced)
        return None

    def take_graph(self, fields: Fields) -> str | None:
        """Add a graph as an interval on track `<DEVICE> Graph`, and each of its kernels.

        Returns the reason if it is skipped, otherwise `None`. The graph has the times of its first
        kernel until `timeline` computes its extent.
        """
        entries = list_items(fields.get("ents"))
        signals = list_items(fields.get("sigs"))
        kernels = [
            kernel for kernel in (_entry(entry, signals) for entry in entries) if kernel is not None
        ]
        self._capture.skipped["a graph entry without device, name or times"] += len(entries) - len(
            kernels
        )
        if not kernels:
            return "a graph without entries"
        first = kernels[0]
        # Name and track of a graph are the same as in tinygrad's viewer.
        label = self._capture.label(Label(f"batched {len(entries)}", (), False))
        self._kinds[len(self._track)] = GRAPH
        self._add(f"{first.device.split(':')[0]} Graph", label, first.start, first.end, False)
        for kernel in kernels:
            self._kinds[len(self._track)] = BATCHED
            label = self._capture.label(kernel.name.label)
            self._add(kernel.device, label, kernel.start, kernel.end, kernel.copy)
            if kernel.name.traced:
                self._add_traced(kernel.name.traced)
        return None

    def _add(
        self, device: str, label: int, start: Instant, end: Instant | None, copy: bool
    ) -> None:
        if end is None:
            self._open.append(len(self._track))
        track = self._capture.devices.get(device)
        self._track.append(self._capture.device(device) if track is None else track)
        self._label.append(label)
        self._start.append(start)
        self._end.append(start if end is None else end)
        self._copy.append(copy)

    def _add_traced(self, traced: Fields) -> None:
        """Store the copied bytes and call stack of the interval that was added last."""
        place = len(self._track) - 1
        copied = traced.get("ret")
        if type(copied) is int and 0 <= copied < MAX_NUMBER:
            self._copied[place] = copied
        self._stacks[place] = self._capture.stacks.number(traced.get("tb"))

    def pause(self) -> None:
        """Convert the intervals that were added since the last pause to arrays in the host's time.

        The lists become empty. Raise UnsafePickleError if a time is not a plain number.
        """
        count = len(self._track)
        track = integers(self._track)
        copy = np.array(self._copy, np.bool_)
        kind = _sparse(count, self._kinds, SINGLE)
        clock = self._offsets()[2 * track + copy]
        start, end = (parse_times(instants).plus(clock) for instants in (self._start, self._end))
        graphs = np.flatnonzero(kind == GRAPH)
        for times in (start, end):
            times.micro[graphs] = times.micro[graphs + 1]
            times.pico[graphs] = times.pico[graphs + 1]
        closed = np.ones(count, np.bool_)
        closed[self._open] = False
        columns = {
            "track": track,
            "label": integers(self._label),
            "closed": closed,
            "kind": kind,
            "copy": copy,
            "start_micro": start.micro,
            "start_pico": start.pico,
            "end_micro": end.micro,
            "end_pico": end.pico,
            "copied": _sparse(count, self._copied, UNKNOWN_BYTES),
            "stack": _sparse(count, self._stacks, NO_STACK),
        }
        for name, column in columns.items():
            self._parts.setdefault(name, []).append(column)
        self._begin()

    def columns(self) -> Spans:
        """Join all intervals that were added, in order and in the host's time.

        The collector is empty afterwards. Raise UnsafePickleError if a time is not a plain number.
        """
        self.pause()
        # Parts are removed as their column is built, so that at most one column is in memory twice.
        whole: dict[str, Any] = {
            name: np.concatenate(self._parts.pop(name)) for name in tuple(self._parts)
        }
        start, end = (
            Times(whole.pop(f"{side}_micro"), whole.pop(f"{side}_pico"))
            for side in ("start", "end")
        )
        return Spans(start=start, end=end, **whole)

    def _offsets(self) -> Times:
        """Return two clock offsets per device of the capture, in its order: of the device's times,
        then of its copies' times.
        """
        offset = self._capture.offset
        return times_from_numbers(
            offset(device, copy) for device in self._capture.devices for copy in (False, True)
        )


def _sparse(count: int, values: Mapping[int, int], otherwise: int) -> Ints:
    column = np.full(count, otherwise)
    column[list(values)] = list(values.values())
    return column


def _entry(entry: object, signals: Sequence[object]) -> _Entry | None:
    """Read a kernel of a graph; its record has the indices of its start and end in `signals`.

    Returns `None` if device or name is missing, or if an index leads to no time.
    """
    fields = record_fields(entry, GraphEntry)
    if fields is None:
        return None
    device = fields.get("device")
    start = _signal(signals, fields.get("st_id"))
    end = _signal(signals, fields.get("en_id"))
    name = _read_name(fields)
    if type(device) is not str or start is None or end is None or name is None:
        return None
    return _Entry(device, name, start, end, fields.get("is_copy") is True)


def _signal(signals: Sequence[object], index: object) -> Instant | None:
    if type(index) is not int or not 0 <= index < len(signals):
        return None
    at = signals[index]
    return at if isinstance(at, Instant) else None


def _read_name(fields: Fields) -> _Name | None:
    """Read name and keys of an interval.

    `None` without a name. The key is the profile key since 0.14. Up to 0.13 the keys are the name
    itself, or the keys of the TracingKey.
    """
    name = fields.get("name")
    key = fields.get("profile_key")
    traced = None if type(name) is str else record_fields(name, TracingKey)
    text = traced.get("display_name") if traced else name
    if type(text) is not str:
        return None
    if type(key) is bytes:
        return _Name(Label(text, (key,), True), traced)
    if traced:
        keys = tuple(
            own for own in list_items(traced.get("keys")) if type(own) is str or type(own) is bytes
        )
        return _Name(Label(text, keys, False), traced)
    return _Name(Label(text, () if "profile_key" in fields else (text,), True), traced)
