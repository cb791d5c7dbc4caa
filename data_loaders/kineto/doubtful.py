"""Spans of a torch.profiler trace whose times cannot be right.

Entries that repeat another entry, or whose time is more than a day from all others, are left out.
Executions that begin long before their launch keep no times. Executions that last beyond a later
execution of their stream, or beyond a call that waited for them, keep no duration. They are counted,
and no time uses them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from data_loaders.kineto.frames import Launched, Trace
from data_loaders.kineto.spans import MISSING
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic
from schema.plurals import plural
from schema.torch_profiler import MAX_CLOCK_ERROR_NS, is_call

_WAITS = ("cudaDeviceSynchronize", "hipDeviceSynchronize")
"""Calls that return when all executions of the device have ended."""


@dataclass(frozen=True)
class Doubtful:
    """Spans of executions, in file order: `early` begin before their launch, `overrun` last
    beyond a later execution of their stream, or beyond a call that waited for the device.
    `clocks_differ`: most executions of the trace precede their launches, so that the clocks are
    wrong rather than some times.
    """

    early: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    overrun: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    clocks_differ: bool = False


def find_doubtful(trace: Trace, runs: Launched) -> Doubtful:
    """Find the executions whose times contradict their launch or their stream."""
    early = _is_early(trace, runs)
    launched = int(np.count_nonzero(runs.launch >= 0))
    # Wrong clocks move all executions, damaged entries only a few.
    clocks_differ = 2 * int(np.count_nonzero(early)) > launched
    # An execution at a wrong time is no reason to doubt the one at its place.
    left_out = np.zeros_like(early) if clocks_differ else early
    overrun = _is_overrun(trace, runs, left_out) & ~early
    if not clocks_differ:
        overrun |= _outlasts_wait(trace, runs) & ~early
    return Doubtful(
        early=np.sort(runs.execution[early]),
        overrun=np.sort(runs.execution[overrun]),
        clocks_differ=clocks_differ,
    )


def without_doubtful(trace: Trace, runs: Launched, doubtful: Doubtful) -> tuple[Trace, int]:
    """Take the doubtful times out of a trace, and let its times count from its first span again.

    Also returns how much later that is. If the clocks differ, early executions keep their times.
    """
    start = trace.spans.start.copy()
    duration = trace.spans.duration.copy()
    # With wrong clocks the times of the device are still right among each other.
    early = doubtful.early[:0] if doubtful.clocks_differ else doubtful.early
    calls = np.full(len(start), -1)
    has_call = runs.launch >= 0
    calls[runs.execution[has_call]] = runs.call[runs.launch[has_call]]
    # The begin of the launch is the only known bound of such an execution.
    start[early] = start[calls[early]]
    duration[early] = 0
    duration[doubtful.overrun] = 0
    samples = trace.samples
    first = int(start[trace.rows.row >= 0].min())
    counters = trace.counters
    first = int(min(first, samples.at.min(initial=first), counters.at.min(initial=first)))
    shifted = replace(
        trace,
        spans=replace(trace.spans, start=start - first, duration=duration),
        samples=replace(samples, at=samples.at - first),
        counters=replace(counters, at=counters.at - first),
        untimed=early,
        endless=np.union1d(early, doubtful.overrun),
    )
    return shifted, first


def doubtful_findings(trace: Trace, doubtful: Doubtful, file: str) -> list[Diagnostic]:
    """Describe doubtful executions with their number and the first of them; `trace` is that with
    all times of the file.
    """
    findings = []
    if len(doubtful.early):
        count = len(doubtful.early)
        outcome = "no number uses these times"
        if doubtful.clocks_differ:
            outcome = "the clocks of host and device differ, and no number compares them"
        text = f"{plural(count, 'execution')} with a begin before that of their launch: {outcome}"
        place = _place(doubtful.early, trace, file)
        findings.append(Diagnostic("warning", "early_executions", text, place, count))
    if len(doubtful.overrun):
        count = len(doubtful.overrun)
        text = (
            f"{plural(count, 'execution')} with an end beyond that of a later one of their stream, or"
            " after the host had waited for it: no number uses these times"
        )
        place = _place(doubtful.overrun, trace, file)
        findings.append(Diagnostic("warning", "overruns", text, place, count))
    return findings


def _place(spans: Ints, trace: Trace, file: str) -> str:
    """Name the first of some spans by file, name, row and time."""
    first = int(spans[np.argmin(trace.spans.start[spans])])
    row = trace.rows.names[int(trace.rows.row[first])]
    name = trace.names[int(trace.spans.name[first])][:80]
    return f"{file}: {name} on {row} at {int(trace.spans.start[first])} ns"


def _is_early(trace: Trace, runs: Launched) -> Bools:
    """Whether each execution begins before its launch by more than MAX_CLOCK_ERROR_NS."""
    if not len(runs.call):
        return np.zeros(len(runs.launch), np.bool_)
    start = trace.spans.start
    begun = start[runs.call[runs.launch]]
    return (runs.launch >= 0) & (start[runs.execution] < begun - MAX_CLOCK_ERROR_NS)


def _is_overrun(trace: Trace, runs: Launched, left_out: Bools) -> Bools:
    """Whether each execution lasts beyond the end of a later one of its row that is not left out,
    or has the times of another.

    A stream runs one after the other: the next may begin early, long before the end if it was
    launched to wait for the other on the device, but not end first. Kernels of a graph overrun
    nothing, since branches of a graph may have one stream.
    """
    overruns = np.zeros(len(runs.execution), np.bool_)
    compared = np.flatnonzero(~left_out)
    start = trace.spans.start[runs.execution[compared]]
    end = trace.end[runs.execution[compared]]
    row = trace.rows.row[runs.execution[compared]]
    order = np.lexsort((-end, start, row))
    start, end, row = start[order], end[order], row[order]
    if len(start) < 2:
        return overruns
    overlaps = (row[:-1] == row[1:]) & (end[:-1] > start[1:])
    is_same = (start[:-1] == start[1:]) & (end[:-1] == end[1:])
    too_long = overlaps & (is_same | (_earliest_later_end(row, end) < end[:-1]))
    overruns[compared[order[:-1][too_long]]] = True
    return overruns & ~_is_of_graph(trace, runs) if too_long.any() else overruns


def _outlasts_wait(trace: Trace, runs: Launched) -> Bools:
    """Whether each launched execution ends after a call that began behind its launch and waited for
    the whole device.

    The clock of the device may be ahead by as long as the execution begins after its launch, and
    always by MAX_CLOCK_ERROR_NS. False in a trace of several devices, since the call does not name
    its device.
    """
    outlasts = np.zeros(len(runs.execution), np.bool_)
    library = trace.places(frozenset(filter(is_call, trace.categories)))
    waits = [code for code, name in enumerate(trace.names) if name in _WAITS]
    waits_at = library[np.isin(trace.spans.name[library], waits)]
    devices = np.unique(trace.rows.device[trace.rows.row[runs.execution]])
    launched = np.flatnonzero(runs.launch >= 0)
    if not len(waits_at) or len(devices) != 1 or not len(launched):
        return outlasts
    waits_at = waits_at[np.argsort(trace.spans.start[waits_at], kind="stable")]
    latest = np.iinfo(np.int64).max
    bounds = np.append(np.minimum.accumulate(trace.end[waits_at][::-1])[::-1], latest)
    calls, executions = runs.call[runs.launch[launched]], runs.execution[launched]
    bound = bounds[np.searchsorted(trace.spans.start[waits_at], trace.end[calls])]
    delay = trace.spans.start[executions] - trace.spans.start[calls]
    ahead = np.maximum(delay, MAX_CLOCK_ERROR_NS)
    outlasts[launched] = trace.end[executions] - ahead > bound
    return outlasts


def _earliest_later_end(row: Ints, end: Ints) -> Ints:
    """Return for each execution but the last the earliest end of all later ones of its row; the
    executions are in order of row and begin. It is beyond all times if there are none.
    """
    earliest = np.full(len(end) - 1, np.iinfo(np.int64).max)
    edges = np.concatenate([[0], np.flatnonzero(np.diff(row)) + 1, [len(row)]])
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        later = end[first + 1 : last]
        earliest[first : last - 1] = np.minimum.accumulate(later[::-1])[::-1]
    return earliest


def _is_of_graph(trace: Trace, runs: Launched) -> Bools:
    """Whether each execution is a kernel of a graph, or may be one: without the call that launched
    it, it is known by the number that it shares with other executions.
    """
    number = trace.linked.correlation[runs.linked]
    is_known = (number != MISSING) & (number != 0)
    _, place, counts = np.unique(
        trace.ids(runs.linked, number), return_inverse=True, return_counts=True
    )
    of_graph = (runs.launch < 0) & is_known & (counts[place] > 1)
    if len(runs.call):
        is_graph = np.array(["GraphLaunch" in name for name in trace.names], np.bool_)
        call = runs.call[np.maximum(runs.launch, 0)]
        of_graph |= (runs.launch >= 0) & is_graph[trace.spans.name[call]]
    return np.asarray(of_graph, np.bool_)
