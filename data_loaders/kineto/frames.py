"""Build the frames of a torch.profiler trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from data_loaders.kineto.categories import EXECUTIONS, device_class
from data_loaders.kineto.counters import CounterSamples
from data_loaders.kineto.rows import Rows
from data_loaders.kineto.spans import (
    MISSING,
    Details,
    Linked,
    OperatorArguments,
    Samples,
    Spans,
)
from data_loaders.kineto.step_numbers import step_numbers
from schema.array_types import Ints
from schema.arrays import category
from schema.frames import complete
from schema.torch_profiler import CLASSES, is_call

_CPU = 0
_ALLOCATORS = {_CPU: "cpu", 1: "cuda", 6: "hip", 12: "xpu"}
"""Number of the device type in memory samples -> name of the device."""


@dataclass(frozen=True)
class Trace:
    """A trace as columns; `names` and `categories` decode the codes of `spans`, `texts` those of
    arguments.

    Times are ns from the first span or sample on.
    """

    names: list[str]
    categories: list[str]
    spans: Spans
    linked: Linked
    details: Details
    operators: OperatorArguments
    texts: list[str]
    samples: Samples
    allocators: list[tuple[int, int]]
    counters: CounterSamples
    counter_names: list[tuple[str, str]]
    """Process and name of each counter."""
    rows: Rows
    ranks: Ints
    """Rank of each thread as a position in `rank_labels`."""
    rank_labels: list[str]
    """Labels of the ranks of a merged file, "" for processes that name none."""
    untimed: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Spans of executions whose begin is unknown."""
    endless: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Spans of executions whose end is unknown."""

    @property
    def end(self) -> Ints:
        return self.spans.start + self.spans.duration

    def span_ranks(self, spans: Ints) -> Ints:
        """Return the rank of each span as a position in `rank_labels`."""
        return np.asarray(self.ranks[self.spans.thread[spans]])

    def ids(self, linked: Ints, numbers: Ints) -> Ints:
        """Make `numbers` of rows of `linked` distinct between ranks, which count by themselves."""
        count = int(self.ranks.max(initial=0)) + 1
        if count == 1:
            return numbers
        return numbers * count + self.span_ranks(self.linked.span[linked])

    def places(self, categories: frozenset[str]) -> Ints:
        """Return the indices of the trace's spans that have one of these categories, in order.

        Empty if there are none.
        """
        wanted = [code for code, category in enumerate(self.categories) if category in categories]
        return np.flatnonzero(np.isin(self.spans.category, wanted))


def tracks_frame(trace: Trace) -> pd.DataFrame:
    """Build frame `tracks`: a row per host thread, Python thread or device stream, in display
    order, with times in ns.
    """
    rows = trace.rows
    count = len(rows.names)
    shown = np.flatnonzero(rows.row >= 0)
    row = rows.row[shown]
    first = np.full(count, 2**62)
    last = np.zeros(count, np.int64)
    np.minimum.at(first, row, trace.spans.start[shown])
    np.maximum.at(last, row, trace.end[shown])
    columns = {
        "track": category(np.arange(count), rows.names),
        "kind": pd.Categorical(rows.kinds),
        "pid": rows.pids,
        "tid": rows.tids,
        "process": rows.processes,
        "order": np.arange(count),
        "first": first,
        "last": last,
        "entries": np.bincount(row, minlength=count),
    }
    return complete("tracks", columns)


def events_frame(trace: Trace) -> pd.DataFrame:
    """Build frame `events` from all spans that have a row, except executions, which are in frame
    `kernels`.

    Sorted by row and start, then the longer span first, since it contains the shorter. Times are
    ns.
    """
    is_event = trace.rows.row >= 0
    is_event[trace.places(EXECUTIONS)] = False
    events = np.flatnonzero(is_event)
    row = trace.rows.row[events]
    start = trace.spans.start[events]
    end = trace.end[events]
    order = np.lexsort((-end, start, row))
    rows = category(row[order], trace.rows.names)
    columns = {
        "track": rows,
        "lane": rows,
        "name": category(trace.spans.name[events][order], trace.names),
        "start": start[order],
        "end": end[order],
        "opened": np.ones(len(order), np.bool_),
        "closed": np.ones(len(order), np.bool_),
        "category": category(trace.spans.category[events][order], trace.categories),
    }
    return complete("events", columns)


@dataclass(frozen=True)
class Launched:
    """Executions in the order of frame `kernels`, and the calls that launched them.

    `call`: indices of call spans, in order of time. `execution`: indices of execution spans, sorted
    by row and start. `launch`: per execution the position of its call in `call`, -1 if unknown.
    `linked`: per execution its index in the trace's `linked`.
    """

    call: Ints
    execution: Ints
    launch: Ints
    linked: Ints


def join_launches(trace: Trace) -> Launched:
    """Join executions on devices with the calls of the same correlation number.

    Number 0 means no number. Executions without a call have `launch` -1; calls without an execution
    are left out.
    """
    spans = trace.spans
    linked = trace.linked
    place = np.full(len(spans.start), -1)
    place[linked.span] = np.arange(len(linked.span))
    execution = trace.places(EXECUTIONS)
    execution = execution[np.lexsort((spans.start[execution], trace.rows.row[execution]))]
    rows = place[execution]
    numbers = trace.ids(rows, linked.correlation[rows])
    calls = trace.places(frozenset(filter(is_call, trace.categories)))
    call_numbers = linked.correlation[place[calls]]
    calls = calls[(call_numbers != MISSING) & (call_numbers != 0)]
    call_numbers = trace.ids(place[calls], linked.correlation[place[calls]])
    launches = np.isin(call_numbers, numbers)
    order = np.argsort(spans.start[calls[launches]], kind="stable")
    calls = calls[launches][order]
    # If several calls have the same number, the first call counts.
    distinct, first = np.unique(call_numbers[launches][order], return_index=True)
    position = np.minimum(np.searchsorted(distinct, numbers), max(0, len(distinct) - 1))
    has_call = distinct[position] == numbers if len(distinct) else np.zeros(len(numbers), np.bool_)
    launch = np.where(has_call, first[position] if len(distinct) else -1, -1)
    return Launched(calls, execution, launch, rows)


def kernels_frame(
    trace: Trace, runs: Launched, steps: pd.DataFrame, operator: Ints, python: Ints
) -> pd.DataFrame:
    """Build frame `kernels`.

    `steps` are those of `profiler_steps`. `operator` and `python` are the spans
    from which each execution was launched, -1 if unknown.
    """
    spans = trace.spans
    places = runs.execution
    row = trace.rows.row[places]
    duration = spans.duration[places]
    untimed = np.isin(places, trace.untimed)
    endless = np.isin(places, trace.endless)
    classes = _classes(trace, places)
    is_copy = classes == CLASSES.index("copy")
    batched = np.array(["GraphLaunch" in name for name in trace.names], np.bool_)
    copied = _nullable(trace.linked.bytes[runs.linked])
    copied[~is_copy] = pd.NA
    has_launch = runs.launch >= 0
    columns: dict[str, object] = {
        "track": category(row, trace.rows.names),
        "kernel": np.arange(len(row)) - np.searchsorted(row, np.arange(len(trace.rows.names)))[row],
        "name": category(spans.name[places], trace.names),
        "start": pd.arrays.IntegerArray(spans.start[places], untimed),
        "end": pd.arrays.IntegerArray(spans.start[places] + duration, endless),
        "duration": pd.arrays.IntegerArray(duration, endless),
        # The step is that of the launch: the device executes a kernel later, maybe in another step.
        "iteration": step_numbers(
            steps, _launch_times(trace, runs), trace.span_ranks(places), has_launch
        ),
        "kept": np.ones(len(row), np.bool_),
        "copy": is_copy,
        "batched": has_launch & batched[spans.name[_execution_calls(runs)]]
        if len(runs.call)
        else False,
        "launch": pd.arrays.IntegerArray(runs.launch.astype(np.int64), ~has_launch),
        "copied_bytes": copied,
        "memory_rate": copied.to_numpy(np.float64, na_value=np.nan)
        / np.where(duration > 0, duration * 1e-9, np.nan),
        "class": category(classes, CLASSES),
        "op": _span_names(trace, operator),
        "python": _span_names(trace, python),
        **_detail_columns(trace, places),
    }
    frame = complete("kernels", columns)
    turn = frame.groupby(["track", "name"], observed=True).cumcount() + 1
    return frame.assign(run=turn.astype("Int64"))


def _classes(trace: Trace, executions: Ints) -> Ints:
    """Return the position in `CLASSES` of the class of each execution."""
    spans = trace.spans
    pairs = spans.category[executions] * len(trace.names) + spans.name[executions]
    distinct, place = np.unique(pairs, return_inverse=True)
    codes = [
        CLASSES.index(
            device_class(
                trace.names[pair % len(trace.names)], trace.categories[pair // len(trace.names)]
            )
        )
        for pair in distinct.tolist()
    ]
    return np.array(codes, np.int64)[place]


def _span_names(trace: Trace, spans: Ints) -> pd.Categorical:
    """Return the name of each span, null for -1."""
    codes = np.where(spans >= 0, trace.spans.name[spans], -1)
    return _text_values(codes, trace.names)


def _text_values(codes: Ints, texts: Sequence[str]) -> pd.Categorical:
    """Decode texts, null for -1; the categories are those that occur."""
    distinct, place = np.unique(codes[codes >= 0], return_inverse=True)
    positions = np.full(len(codes), -1)
    positions[codes >= 0] = place
    return category(positions, [texts[code] for code in distinct.tolist()])


def _detail_columns(trace: Trace, executions: Ints) -> dict[str, object]:
    """Return the columns of kernels that are arguments of their spans."""
    details = trace.details
    place = np.full(len(trace.spans.start), -1)
    place[details.span] = np.arange(len(details.span))
    rows = place[executions]
    shown = ["grid", "block", "group"]
    texts = [text.strip("[]").replace(" ", "") for text in trace.texts]
    occupancy = details.occupancy[rows]
    return {
        "registers": _nullable(details.registers[rows]),
        "shared_memory": _nullable(details.shared_memory[rows]),
        "occupancy": np.where(occupancy >= 0, occupancy / 1000, np.nan),
        **{name: _text_values(getattr(details, name)[rows], texts) for name in shown},
    }


def _execution_calls(runs: Launched) -> Ints:
    """Return the span index of each execution's call; of the first call if it is unknown.

    Fails without calls.
    """
    return runs.call[np.maximum(runs.launch, 0)]


def _launch_times(trace: Trace, runs: Launched) -> Ints:
    return (
        trace.spans.start[_execution_calls(runs)]
        if len(runs.call)
        else np.zeros(len(runs.launch), np.int64)
    )


def launches_frame(trace: Trace, runs: Launched) -> pd.DataFrame:
    """Build frame `launches`: a row per call that launched an execution, in order of time (ns).

    Device and `copy` are those of the call's first execution.
    """
    calls = len(runs.call)
    first = np.zeros(calls, np.int64)
    with_call = np.flatnonzero(runs.launch >= 0)[::-1]
    first[runs.launch[with_call]] = with_call  # in reverse: the first execution wins
    first_execution = runs.execution[first]
    device = trace.rows.device[trace.rows.row[first_execution]] if calls else np.zeros(0, np.int64)
    columns = {
        "kernel": np.arange(calls),
        "device": category(device, trace.rows.devices),
        "number": trace.linked.correlation[runs.linked[first]] if calls else np.zeros(0, np.int64),
        "name": category(trace.spans.name[runs.call], trace.names),
        "track": category(trace.rows.row[runs.call], trace.rows.names),
        "start": trace.spans.start[runs.call],
        "end": trace.end[runs.call],
        "copy": _classes(trace, first_execution) == CLASSES.index("copy"),
    }
    return complete("launches", columns)


def counters_frame(trace: Trace) -> pd.DataFrame:
    """Build frame `counters`: bytes that each allocator has allocated and reserved, and counters of
    the file.

    A row per sample and value, sorted by name and time.
    """
    samples = trace.samples
    owners = allocator_names(trace)
    series: list[tuple[str, str]] = []
    parts = []
    for column, word in ((samples.allocated, "allocated"), (samples.reserved, "reserved")):
        sampled = np.flatnonzero(column != MISSING)
        first = len(series)
        series += [(owner, f"{owner} {word}") for owner in owners]
        value = column[sampled].astype(np.float64)
        parts.append((samples.device[sampled] + first, value, samples.at[sampled]))
    parts.append((trace.counters.counter + len(series), trace.counters.value, trace.counters.at))
    series += trace.counter_names
    place, value, at = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    used = np.unique(place)
    tracks, names = ([series[code][part] for code in used.tolist()] for part in (0, 1))
    code = np.searchsorted(used, place)
    named = pd.Categorical(np.array(names, object)[code]) if len(code) else pd.Categorical([])
    owner = pd.Categorical(np.array(tracks, object)[code]) if len(code) else pd.Categorical([])
    order = np.lexsort((at, named.codes))
    columns = {
        "track": owner[order],
        "name": named[order],
        "value": value[order],
        "start": at[order],
    }
    return complete("counters", columns)


def allocator_names(trace: Trace) -> list[str]:
    """Name the device of each allocator, such as `cpu` or `cuda:0`."""
    return [_allocator_name(kind, number) for kind, number in trace.allocators]


def _allocator_name(kind: int, number: int) -> str:
    name = _ALLOCATORS.get(kind, f"device type {kind}" if kind != MISSING else "device")
    return name if kind == _CPU or number in (MISSING, -1) else f"{name}:{number}"


def _nullable(values: Ints) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(values.astype(np.int64), values < 0)
