"""Entries of a torch.profiler trace that are left out: repeated entries, and entries of another
time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data_loaders.kineto.counters import CounterSamples
from data_loaders.kineto.entries import SpanCollector
from data_loaders.kineto.spans import (
    MISSING,
    Details,
    Linked,
    OperatorArguments,
    Samples,
    Spans,
)
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic
from schema.plurals import plural

MAX_DISTANCE_NS = 86_400 * 10**9
"""Time from the median begin of all spans, a day, beyond which a span is not of the capture."""
_MAX_FAR_SHARE = 0.1
"""Share of spans up to which those far away are left out; beyond, the times themselves differ."""
_MIN_REPEATED_SHARE = 0.45
"""Share of repeats from which spans without a number of their own are repeats too."""


@dataclass(frozen=True)
class Parts:
    """Columns of a trace: spans, and the arguments of some of them."""

    spans: Spans
    linked: Linked
    details: Details
    operators: OperatorArguments

    def select(self, kept: Bools) -> Parts:
        """Return the parts of the spans of a mask, which are numbered again."""
        # Maps old span numbers to new numbers.
        number = np.cumsum(kept) - 1
        spans = Spans(*(column[kept] for column in vars(self.spans).values()))
        return Parts(
            spans,
            Linked(*_of_spans(self.linked, kept, number)),
            Details(*_of_spans(self.details, kept, number)),
            OperatorArguments(*_of_spans(self.operators, kept, number)),
        )


def take_parts(collector: SpanCollector) -> Parts:
    """Join the columns of a collector, and drop their blocks."""
    return Parts(collector.spans(), collector.numbers(), collector.details(), collector.operators())


def leave_out(collector: SpanCollector, parts: Parts) -> tuple[Parts, list[Diagnostic]]:
    """Leave out repeated spans and spans of another time; describe both with number and place."""
    findings = []
    far = _is_far(parts.spans)
    if far.any():
        findings.append(_far_finding(collector, parts.spans, far))
        parts = parts.select(~far)
    repeated = _is_repeated(parts)
    if repeated.any():
        count = int(np.count_nonzero(repeated))
        place = _place(collector, parts.spans, int(np.argmax(repeated)))
        text = f"{plural(count, 'entry')} left out, the same as another in name, thread and times"
        text = f"{text}: the first is {place}"
        findings.append(Diagnostic("warning", "entries_repeated", text, count=count))
        parts = parts.select(~repeated)
    return parts, findings


def near_samples(samples: Samples, spans: Spans) -> Samples:
    """Leave out samples of memory that are more than a day from the spans."""
    near = _is_near(samples.at, spans)
    return samples if near.all() else Samples(*(column[near] for column in vars(samples).values()))


def near_counters(counters: CounterSamples, spans: Spans) -> CounterSamples:
    """Leave out samples of counters that are more than a day from the spans."""
    near = _is_near(counters.at, spans)
    if near.all():
        return counters
    return CounterSamples(*(column[near] for column in vars(counters).values()))


def _is_near(times: Ints, spans: Spans) -> Bools:
    if not len(spans.start) or not len(times):
        return np.ones(len(times), np.bool_)
    return _distance(times, int(np.median(spans.start))) <= MAX_DISTANCE_NS


def _of_spans(part: Linked | Details | OperatorArguments, kept: Bools, number: Ints) -> list[Ints]:
    rows = kept[part.span]
    columns = [column[rows] for column in vars(part).values()]
    return [number[columns[0]], *columns[1:]]


def _distance(times: Ints, centre: int) -> Ints:
    return np.abs(times - centre)


def _is_far(spans: Spans) -> Bools:
    """Whether each span begins or ends more than MAX_DISTANCE_NS from the median begin.

    None is if that holds for more than a tenth of them.
    """
    if not len(spans.start):
        return np.zeros(0, np.bool_)
    low = int(spans.start.min())
    high = int((spans.start + spans.duration).max())
    if high - low <= MAX_DISTANCE_NS:
        return np.zeros(len(spans.start), np.bool_)
    centre = int(np.median(spans.start))
    far = _distance(spans.start, centre) > MAX_DISTANCE_NS
    far |= _distance(spans.start + spans.duration, centre) > MAX_DISTANCE_NS
    # If many spans are far away, the capture itself is that long.
    is_minority = np.count_nonzero(far) <= max(1, _MAX_FAR_SHARE * len(far))
    return far if is_minority else np.zeros(len(far), np.bool_)


def _far_finding(collector: SpanCollector, spans: Spans, far: Bools) -> Diagnostic:
    count = int(np.count_nonzero(far))
    place = _place(collector, spans, int(np.argmax(far)))
    text = f"{plural(count, 'entry')} left out, more than a day from the times of the others"
    return Diagnostic("warning", "entries_far", f"{text}: the first is {place}", count=count)


def _place(collector: SpanCollector, spans: Spans, span: int) -> str:
    name = list(collector.names)[int(spans.name[span])][:80]
    pid, tid = list(collector.threads)[int(spans.thread[span])]
    return f"`{name}` of process {pid}, thread {tid} at {int(spans.start[span])} ns"


def _is_repeated(parts: Parts) -> Bools:
    """Whether each span has a span before it with the same name, category, thread and times.

    Their correlation number and `External id` are the same too. Without such a number, or without
    a duration, two calls may be within a microsecond: those are repeats only if nearly half of all
    spans are.
    """
    spans = parts.spans
    key = _mix(spans.start, spans.duration, spans.name, spans.category, spans.thread)
    # Most traces have no repeats, and one sort of mixed keys is cheaper than of seven columns.
    ordered = np.sort(key)
    repeated = np.zeros(len(key), np.bool_)
    if not (ordered[1:] == ordered[:-1]).any():
        return repeated
    number = np.full(len(key), MISSING)
    external = np.full(len(key), MISSING)
    number[parts.linked.span] = parts.linked.correlation
    external[parts.linked.span] = parts.linked.external
    external[parts.operators.span] = parts.operators.external
    columns = (
        *(external, number, spans.thread, spans.category, spans.name),
        *(spans.duration, spans.start),
    )
    # Different spans can have one mixed key, so the columns themselves are compared.
    order = np.lexsort(columns)
    same = np.ones(len(order) - 1, np.bool_)
    for column in columns:
        same &= column[order[1:]] == column[order[:-1]]
    repeated[order[1:]] = same
    if np.count_nonzero(repeated) < _MIN_REPEATED_SHARE * len(repeated):
        has_number = (np.maximum(number, external) != MISSING) & (number != 0) & (external != 0)
        repeated &= has_number & (spans.duration > 0)
    return repeated


def _mix(*columns: Ints) -> Ints:
    """Mix columns to one number per row that is equal for equal rows."""
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        # The factor is 2^64 / the golden ratio, which spreads neighbouring numbers.
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed.view(np.int64)
