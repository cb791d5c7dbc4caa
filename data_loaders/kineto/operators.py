"""Sum the time of operators on host and devices, by name, and count their shapes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from data_loaders.flop_counts import rate_per_second
from data_loaders.kineto.attribution import Origins, innermost_spans, operator_spans
from data_loaders.kineto.flops import span_flops
from data_loaders.kineto.frames import Launched, Trace
from data_loaders.trace_columns import sum_by_group
from schema.array_types import Bools, Floats, Ints
from schema.frames import complete
from schema.nesting import Nesting
from schema.torch_profiler import is_call


@dataclass(frozen=True)
class _Calls:
    """Calls of operators; every array has a row per call.

    `span` is its span, `name` the code of its name, `parent` the row of the operator around it on
    its thread, -1 if there is none. Times are ns.
    """

    span: Ints
    name: Ints
    parent: Ints
    start: Ints
    end: Ints


def operators_frame(trace: Trace, runs: Launched, origins: Origins) -> pd.DataFrame:
    """Build frame `operators`, by time on devices, then by their own time on the host."""
    calls = _operator_calls(trace)
    names, place = np.unique(calls.name, return_inverse=True)
    count = len(names)
    duration = calls.end - calls.start
    is_outermost = ~_has_ancestor_of_its_name(calls)
    row_of_span = np.full(len(trace.spans.start), -1)
    row_of_span[calls.span] = np.arange(len(calls.span))
    own_time = duration - _inner_time(calls)
    runtime = _runtime_time(trace, row_of_span, len(calls.span))
    launched = row_of_span[origins.operator] if len(calls.span) else np.zeros(0, np.int64)
    launched = np.where(origins.operator >= 0, launched, -1) if len(calls.span) else launched
    has_operator = np.flatnonzero(launched >= 0)
    device_time = trace.spans.duration[runs.execution[has_operator]]
    flops = _outermost_flops(span_flops(trace)[calls.span], is_outermost, place, count)
    columns: dict[str, Any] = {
        "name": [trace.names[code] for code in names.tolist()],
        "flops": flops,
        "calls": sum_by_group(place, np.ones(len(place), np.int64), count),
        "total_cpu": sum_by_group(place, np.where(is_outermost, duration, 0), count),
        "self_cpu": sum_by_group(place, own_time, count),
        "runtime_cpu": sum_by_group(place, runtime, count),
        "self_device": sum_by_group(place[launched[has_operator]], device_time, count),
        "device_spans": sum_by_group(
            place[launched[has_operator]], np.ones_like(device_time), count
        ),
        "total_device": _total_device(calls, place, launched[has_operator], device_time, count),
    }
    # Without devices the host computes, so that its time is that of the operations.
    busy = columns["total_device"] if len(runs.execution) else columns["total_cpu"]
    untimed = np.isin(runs.execution[has_operator], trace.endless).astype(np.int64)
    lacks_time = _total_device(calls, place, launched[has_operator], untimed, count) > 0
    # Without the time of an execution the rate would be too high.
    columns["flop_rate"] = rate_per_second(flops, np.where(lacks_time, 0, busy))
    frame = complete("operators", columns)
    return frame.sort_values(
        ["self_device", "self_cpu", "name"], ascending=[False, False, True], ignore_index=True
    )


def operator_shapes_frame(trace: Trace) -> pd.DataFrame:
    """Build frame `operator_shapes`: how often each operator got inputs of which shapes."""
    arguments = trace.operators
    kept = np.isin(arguments.span, operator_spans(trace))
    name = trace.spans.name[arguments.span[kept]]
    pairs = np.stack([name, arguments.dims[kept]])
    distinct, counts = np.unique(pairs, axis=1, return_counts=True)
    texts = {code: _dims_text(trace.texts[code]) for code in set(distinct[1].tolist()) if code >= 0}
    columns = {
        "name": [trace.names[code] for code in distinct[0].tolist()],
        "dims": [texts.get(code) for code in distinct[1].tolist()],
        "calls": counts,
    }
    frame = complete("operator_shapes", columns)
    # Texts may differ in spaces alone.
    return frame.groupby(["name", "dims"], dropna=False, as_index=False, observed=True).sum()


def _dims_text(text: str) -> str | None:
    """Return the JSON text of nested lists without spaces; None if a text is no JSON."""
    try:
        return json.dumps(json.loads(text), separators=(",", ":"))
    except (ValueError, RecursionError):
        return None


def _operator_calls(trace: Trace) -> _Calls:
    spans = trace.spans
    operators = operator_spans(trace)
    start = spans.start[operators]
    end = start + spans.duration[operators]
    parent = np.full(len(operators), -1)
    thread = spans.thread[operators]
    for number in np.unique(thread).tolist():
        rows = np.flatnonzero(thread == number)
        nesting = Nesting.of(start[rows], end[rows])
        around = nesting.rows(nesting.parent)
        parent[rows[nesting.row]] = np.where(around >= 0, rows[around], -1)
    return _Calls(operators, spans.name[operators], parent, start, end)


def _inner_time(calls: _Calls) -> Ints:
    """Compute the time of the operators directly inside each call, ns."""
    inner = np.flatnonzero(calls.parent >= 0)
    parent = calls.parent[inner]
    time = np.minimum(calls.end[inner], calls.end[parent]) - calls.start[inner]
    return sum_by_group(parent, time, len(calls.span))


def _has_ancestor_of_its_name(calls: _Calls) -> Bools:
    """Whether an operator around each call, at any distance, has the same name."""
    is_inside = np.zeros(len(calls.span), np.bool_)
    around = calls.parent.copy()
    rows = np.flatnonzero(around >= 0)
    while len(rows):
        is_inside[rows] |= calls.name[around[rows]] == calls.name[rows]
        around[rows] = calls.parent[around[rows]]
        rows = rows[around[rows] >= 0]
    return is_inside


def _outermost_flops(flops: Floats, is_outermost: Bools, place: Ints, count: int) -> Floats:
    """Sum the operations of the calls of each name, without calls inside of one of the same name.

    NaN if the operations of any of them are unknown.
    """
    sums = np.zeros(count, np.float64)
    np.add.at(sums, place[is_outermost], flops[is_outermost])
    return sums


def _runtime_time(trace: Trace, row_of_span: Ints, count: int) -> Ints:
    """Compute the time of calls into the device's library of each operator itself, ns."""
    library = trace.places(frozenset(filter(is_call, trace.categories)))
    around = innermost_spans(trace, library, operator_spans(trace))
    own = np.flatnonzero(around >= 0)
    return sum_by_group(row_of_span[around[own]], trace.spans.duration[library[own]], count)


def _total_device(
    calls: _Calls, place: Ints, operator: Ints, device_time: Ints, count: int
) -> Ints:
    """Sum the time on devices below each name; an execution counts once for a name.

    `place` is the name of each call, `operator` the call that launched each execution.
    """
    around = operator.copy()
    execution = np.arange(len(operator))
    pairs = []
    while len(execution):
        pairs.append(execution * count + place[around])
        around = calls.parent[around]
        execution = execution[around >= 0]
        around = around[around >= 0]
    distinct = np.unique(np.concatenate(pairs)) if pairs else np.zeros(0, np.int64)
    if not count:
        return np.zeros(0, np.int64)
    return sum_by_group(distinct % count, device_time[distinct // count], count)
