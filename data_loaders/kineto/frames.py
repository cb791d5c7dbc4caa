"""Build the frames of a torch.profiler trace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.kineto.entries import CALLS, MISSING, Linked, Samples, Spans
from data_loaders.kineto.rows import COPIES, EXECUTIONS, Rows
from schema.array_types import Ints
from schema.frames import complete

_STEP = re.compile(r"ProfilerStep ?#([0-9]{1,9})", re.ASCII)
_ALLOCATORS = {0: "cpu", 1: "cuda", 6: "hip"}
"""Number of the device type in memory samples -> name of the device."""


@dataclass(frozen=True)
class Trace:
    """A trace as columns; `names` and `categories` decode the codes of `spans`.

    Times are ns from the first span or sample on.
    """

    names: list[str]
    categories: list[str]
    spans: Spans
    linked: Linked
    samples: Samples
    allocators: list[tuple[int, int]]
    rows: Rows

    @property
    def end(self) -> Ints:
        """End of each span of the trace (start + duration), in ns."""
        return self.spans.start + self.spans.duration

    def places(self, categories: frozenset[str]) -> Ints:
        """Return the indices of the trace's spans that have one of these categories, in order.

        Empty if there are none.
        """
        wanted = [code for code, category in enumerate(self.categories) if category in categories]
        return np.flatnonzero(np.isin(self.spans.category, wanted))


def _category(codes: Ints, names: Sequence[str]) -> pd.Categorical:
    small = codes.astype(np.int8 if len(names) < 128 else np.int32)
    return pd.Categorical.from_codes(small, categories=pd.Index(list(names), dtype="str"))


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
        "track": _category(np.arange(count), rows.names),
        "kind": pd.Categorical(rows.kinds),
        "pid": rows.pids,
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
    rows = _category(row[order], trace.rows.names)
    columns = {
        "track": rows,
        "lane": rows,
        "name": _category(trace.spans.name[events][order], trace.names),
        "start": start[order],
        "end": end[order],
        "opened": np.ones(len(order), np.bool_),
        "closed": np.ones(len(order), np.bool_),
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
    numbers = linked.correlation[place[execution]]
    calls = trace.places(CALLS)
    call_numbers = linked.correlation[place[calls]]
    calls = calls[(call_numbers != MISSING) & (call_numbers != 0) & np.isin(call_numbers, numbers)]
    calls = calls[np.argsort(spans.start[calls], kind="stable")]
    # If several calls have the same number, the first call counts.
    distinct, first = np.unique(linked.correlation[place[calls]], return_index=True)
    position = np.minimum(np.searchsorted(distinct, numbers), max(0, len(distinct) - 1))
    has_call = distinct[position] == numbers if len(distinct) else np.zeros(len(numbers), np.bool_)
    launch = np.where(has_call, first[position] if len(distinct) else -1, -1)
    return Launched(calls, execution, launch, place[execution])


def kernels_frame(trace: Trace, runs: Launched, steps: pd.DataFrame) -> pd.DataFrame:
    """Build frame `kernels`: a row per execution or copy on a device, in the order of `runs`, with
    times in ns.

    `steps` has number, start and end of the profiler's steps. `launch` and `iteration` are null if
    the call is unknown, `copied_bytes` for kernels.
    """
    spans = trace.spans
    places = runs.execution
    row = trace.rows.row[places]
    duration = spans.duration[places]
    is_copy = np.array([category in COPIES for category in trace.categories], np.bool_)[
        spans.category[places]
    ]
    batched = np.array(["GraphLaunch" in name for name in trace.names], np.bool_)
    copied = _nullable(trace.linked.bytes[runs.linked])
    copied[~is_copy] = pd.NA
    has_launch = runs.launch >= 0
    columns: dict[str, object] = {
        "track": _category(row, trace.rows.names),
        "kernel": np.arange(len(row)) - np.searchsorted(row, np.arange(len(trace.rows.names)))[row],
        "name": _category(spans.name[places], trace.names),
        "start": spans.start[places],
        "end": spans.start[places] + duration,
        "duration": duration,
        # The step is that of the launch: the device executes a kernel later, maybe in another step.
        "iteration": _step_numbers(steps, _launch_times(trace, runs), has_launch),
        "kept": np.ones(len(row), np.bool_),
        "copy": is_copy,
        "batched": has_launch & batched[spans.name[_execution_calls(runs)]]
        if len(runs.call)
        else False,
        "launch": pd.arrays.IntegerArray(runs.launch.astype(np.int64), ~has_launch),
        "copied_bytes": copied,
        "memory_rate": copied.to_numpy(np.float64, na_value=np.nan)
        / np.where(duration > 0, duration * 1e-9, np.nan),
    }
    frame = complete("kernels", columns)
    turn = frame.groupby(["track", "name"], observed=True).cumcount() + 1
    return frame.assign(run=turn.astype("Int64"))


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


def _step_numbers(steps: pd.DataFrame, times: Ints, has_launch: np.ndarray) -> pd.Series:
    """Return the number (Int64) of the step that contains each time.

    Null if no step does or `has_launch` is False.
    """
    if not len(steps):
        return pd.Series(pd.NA, index=range(len(times)), dtype="Int64")
    begins, ends, numbers = (steps[name].to_numpy(np.int64) for name in ("start", "end", "number"))
    position = np.searchsorted(begins, times, side="right") - 1
    inside = has_launch & (position >= 0) & (times < ends[np.maximum(position, 0)])
    return pd.Series(pd.arrays.IntegerArray(numbers[np.maximum(position, 0)], ~inside))


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
    is_copy = np.array([category in COPIES for category in trace.categories], np.bool_)
    columns = {
        "kernel": np.arange(calls),
        "device": _category(device, trace.rows.devices),
        "number": trace.linked.correlation[runs.linked[first]] if calls else np.zeros(0, np.int64),
        "name": _category(trace.spans.name[runs.call], trace.names),
        "start": trace.spans.start[runs.call],
        "copy": is_copy[trace.spans.category[first_execution]] if calls else np.zeros(0, np.bool_),
    }
    return complete("launches", columns)


def profiler_steps(trace: Trace) -> pd.DataFrame:
    """Return columns number, name, start and end (ns) of the profiler's steps on the host.

    Sorted by start. The first span of a number counts. No rows without steps.
    """
    matches = [_STEP.fullmatch(name) for name in trace.names]
    numbers = np.array([int(match[1]) if match else -1 for match in matches], np.int64)
    places = trace.places(frozenset({"user_annotation", "cpu_op"}))
    places = places[numbers[trace.spans.name[places]] >= 0]
    name = trace.spans.name[places]
    steps = pd.DataFrame(
        {
            "number": numbers[name],
            "name": [trace.names[code] for code in name.tolist()],
            "start": trace.spans.start[places],
            "end": trace.end[places],
        }
    )
    return steps.sort_values("start", kind="stable").drop_duplicates("number", ignore_index=True)


def markers_frame(steps: pd.DataFrame) -> pd.DataFrame:
    """Build frame `markers`: a row for the begin of each step, and one for the end of the last
    step; no rows without steps.
    """
    end = [int(steps["end"].iloc[-1])] if len(steps) else []
    names = [*steps["name"], *(["end of the last step"] if end else [])]
    start = np.array([*steps["start"].tolist(), *end], np.int64)
    return complete(
        "markers", {"name": pd.Series(names, dtype="str"), "start": start, "colour": "gray"}
    )


def counters_frame(trace: Trace) -> pd.DataFrame:
    """Build frame `counters`: bytes that each allocator has allocated and reserved.

    A row per sample and value, sorted by name and time.
    """
    samples = trace.samples
    owners = [_owner(kind, number) for kind, number in trace.allocators]
    parts = []
    for column, word in ((samples.allocated, "allocated"), (samples.reserved, "reserved")):
        sampled = np.flatnonzero(column != MISSING)
        device = samples.device[sampled]
        names = [f"{owner} {word}" for owner in owners]
        parts.append(
            (
                device,
                [names[code] for code in device.tolist()],
                column[sampled],
                samples.at[sampled],
            )
        )
    device, value, at = (np.concatenate([part[index] for part in parts]) for index in (0, 2, 3))
    named = pd.Categorical([name for part in parts for name in part[1]])
    order = np.lexsort((at, named.codes))
    columns = {
        "track": pd.Categorical(np.array(owners, object)[device[order]])
        if len(order)
        else pd.Categorical([]),
        "name": named[order],
        "value": value[order].astype(np.float64),
        "start": at[order],
    }
    return complete("counters", columns)


def _owner(kind: int, number: int) -> str:
    name = _ALLOCATORS.get(kind, f"device type {kind}" if kind != MISSING else "device")
    return name if number in (MISSING, -1) else f"{name}:{number}"


def _nullable(values: Ints) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(values.astype(np.int64), values < 0)
