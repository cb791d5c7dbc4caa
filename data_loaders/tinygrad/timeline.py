"""Frames `tracks` and `events` of a tinygrad capture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.tinygrad.capture import BATCHED, GRAPH, Capture
from data_loaders.tinygrad.clock import Clock
from data_loaders.tinygrad.names import plain
from data_loaders.tinygrad.rows import row_kind, row_order
from schema.array_types import Bools, Ints
from schema.arrays import category
from schema.frames import complete


@dataclass(frozen=True)
class Timeline:
    """Intervals in the order of frame `events`: by track, then by start.

    `span` is the interval's index in the capture's `spans`. `rows` are the names of the tracks in
    the viewer's order, `kinds` their kinds, and `row` is the track of each interval. Times are in
    ns.
    """

    span: Ints
    rows: list[str]
    kinds: list[str]
    row: Ints
    start: Ints
    end: Ints
    closed: Bools
    backwards: int
    """Number of intervals that end before they begin; they have length 0 here."""


def timeline(capture: Capture, clock: Clock, names: Sequence[str]) -> Timeline:
    """Sort the intervals by track and start, in ns from the clock's origin, and close open
    intervals at the end of the capture.

    `names` are the names of the capture's devices. An interval that ends before it begins gets
    length 0.
    """
    spans = capture.spans
    numbers = sorted(
        set(np.unique(spans.track).tolist()), key=lambda number: row_order(names[number])
    )
    rank = np.zeros(len(names), np.int64)
    rank[numbers] = np.arange(len(numbers))
    start = clock.all_since(spans.start)
    end = np.where(spans.closed, clock.all_since(spans.end), clock.length)
    _span_graphs(spans.kind, start, end)
    row = rank[spans.track]
    order = np.lexsort((start, row))
    return Timeline(
        span=order,
        rows=[names[number] for number in numbers],
        kinds=_kinds(capture, numbers, names),
        row=row[order],
        start=start[order],
        end=np.maximum(start, end)[order],
        closed=spans.closed[order],
        backwards=int((end < start).sum()),
    )


def _span_graphs(kind: Ints, start: Ints, end: Ints) -> None:
    """Extend each graph, in place, from the first begin to the last end of its kernels (ns), which
    follow it.
    """
    kernels = np.flatnonzero(kind == BATCHED)
    if len(kernels):
        graphs = np.flatnonzero(kind == GRAPH)
        first = np.searchsorted(kernels, graphs)
        times = start[kernels], end[kernels]
        start[graphs] = np.minimum.reduceat(np.minimum(*times), first)
        end[graphs] = np.maximum.reduceat(np.maximum(*times), first)


def _kinds(capture: Capture, numbers: Sequence[int], names: Sequence[str]) -> list[str]:
    """Return the kind of each track in `numbers`, in their order: gc (Python's garbage collector),
    user (the user's tensor methods), compiler (tinygrad itself), device, graph (graphs of a
    device's kernels), copy (a copy engine), disk (a file), or other (tracks that the user's program
    named).
    """
    graphs = set(capture.spans.track[capture.spans.kind == GRAPH].tolist())
    busy = {buffer.device for buffer in capture.buffers} | {
        launch.device for launch in capture.launches
    }
    devices = frozenset(names[number] for number in busy) | capture.offsets.keys()
    return [row_kind(names[number], number in graphs, devices) for number in numbers]


def tracks_frame(line: Timeline) -> pd.DataFrame:
    """Build frame `tracks`, a row per track in the viewer's order, with times in ns and the number
    of its intervals.
    """
    count = len(line.rows)
    begins = np.searchsorted(line.row, np.arange(count))
    rows = category(np.arange(count), line.rows)
    first = np.minimum.reduceat(line.start, begins)
    last = np.maximum.reduceat(line.end, begins)
    entries = np.bincount(line.row, minlength=count)
    columns = {"track": rows, "kind": pd.Categorical(line.kinds), "order": np.arange(count)}
    return complete("tracks", columns | {"first": first, "last": last, "entries": entries})


def events_frame(line: Timeline, capture: Capture, names: Sequence[str]) -> pd.DataFrame:
    """Build frame `events`, a row per interval in the order of `line`, with times in ns.

    `names` are the names of the capture's labels, with colour codes, which are removed.
    """
    rows = category(line.row, line.rows)
    shown = [plain(name) for name in names]
    distinct = {name: code for code, name in enumerate(dict.fromkeys(shown))}
    codes = np.array([distinct[name] for name in shown], np.int64)
    name = category(codes[capture.spans.label][line.span], list(distinct))
    columns = {"track": rows, "lane": rows, "name": name, "start": line.start, "end": line.end}
    return complete(
        "events", columns | {"opened": np.ones(len(line.span), np.bool_), "closed": line.closed}
    )
