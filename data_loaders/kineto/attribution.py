"""Find the operator and the Python function from which each execution was launched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data_loaders.kineto.frames import Launched, Trace
from data_loaders.kineto.spans import MISSING
from schema.array_types import Ints
from schema.nesting import Nesting
from schema.torch_profiler import OPERATOR, PYTHON, STEP_NAME


@dataclass(frozen=True)
class Origins:
    """Span of the operator and of the Python function of each execution, -1 if it has none."""

    operator: Ints
    python: Ints


def find_origins(trace: Trace, runs: Launched) -> Origins:
    """Find the operator and the Python function of each execution.

    They are the innermost that cover the begin of the call on its thread. If no operator does, the
    operator with the execution's `External id` counts.
    """
    operators = operator_spans(trace)
    operator = _around_calls(trace, runs, operators)
    python = _around_calls(trace, runs, trace.places(frozenset({PYTHON})))
    missing = np.flatnonzero(operator < 0)
    operator[missing] = _by_external_id(trace, runs, missing)
    return Origins(operator, python)


def operator_spans(trace: Trace) -> Ints:
    """Return the indices of the spans of operators, without the markers of steps."""
    spans = trace.places(frozenset({OPERATOR}))
    is_step = np.array([STEP_NAME.fullmatch(name) is not None for name in trace.names], np.bool_)
    return spans[~is_step[trace.spans.name[spans]]]


def innermost_spans(trace: Trace, inner: Ints, candidates: Ints) -> Ints:
    """Return the innermost candidate around the begin of each span, on its thread; else -1.

    `inner` and `candidates` are indices of spans.
    """
    spans = trace.spans
    around = np.full(len(inner), -1)
    inner_thread = spans.thread[inner]
    thread = spans.thread[candidates]
    for number in np.unique(inner_thread).tolist():
        own = candidates[thread == number]
        if not len(own):
            continue
        nesting = Nesting.of(spans.start[own], spans.start[own] + spans.duration[own])
        rows = np.flatnonzero(inner_thread == number)
        row = nesting.rows(nesting.innermost(spans.start[inner[rows]]))
        around[rows] = np.where(row >= 0, own[row], -1)
    return around


def _around_calls(trace: Trace, runs: Launched, candidates: Ints) -> Ints:
    """Return the innermost candidate around the call of each execution, else -1."""
    around = innermost_spans(trace, runs.call, candidates)
    if not len(around):
        return np.full(len(runs.launch), -1)
    return np.where(runs.launch >= 0, around[runs.launch], -1)


def _by_external_id(trace: Trace, runs: Launched, executions: Ints) -> Ints:
    """Return the first operator with the `External id` of each of these executions, else -1."""
    arguments = trace.operators
    has_id = np.flatnonzero(arguments.external != MISSING)
    count = int(trace.ranks.max(initial=0)) + 1
    own_rank = trace.ranks[trace.spans.thread[arguments.span[has_id]]]
    numbers, first = np.unique(arguments.external[has_id] * count + own_rank, return_index=True)
    if not len(numbers):
        return np.full(len(executions), -1)
    rows = runs.linked[executions]
    wanted = trace.ids(rows, trace.linked.external[rows])
    place = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    return np.where(numbers[place] == wanted, arguments.span[has_id][first[place]], -1)
