"""Spans of a torch.profiler trace whose times cannot be right.

Entries that repeat another entry, or whose time is more than a day from all others, are left out.
Executions that begin long before their launch keep no times, and executions that last beyond the
end of the next execution of their stream keep no duration: they are counted, and no time uses them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from data_loaders.kineto.frames import Launched, Trace
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic
from schema.plurals import plural
from schema.torch_profiler import MAX_CLOCK_ERROR_NS


@dataclass(frozen=True)
class Doubtful:
    """Spans of executions, in file order: `early` begin before their launch, `overrun` last beyond
    the next execution of their stream. `clocks_differ`: most executions of the trace precede their
    launches, so that the clocks are wrong rather than some times.
    """

    early: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    overrun: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    clocks_differ: bool = False


def find_doubtful(trace: Trace, runs: Launched) -> Doubtful:
    """Find the executions whose times contradict their launch or their stream."""
    early = _is_early(trace, runs)
    launched = int(np.count_nonzero(runs.launch >= 0))
    overrun = _is_overrun(trace, runs) & ~early
    return Doubtful(
        early=np.sort(runs.execution[early]),
        overrun=np.sort(runs.execution[overrun]),
        # Wrong clocks move all executions, damaged entries only a few.
        clocks_differ=2 * int(np.count_nonzero(early)) > launched,
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
    calls[runs.execution] = np.where(runs.launch >= 0, runs.call[runs.launch], -1)
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
            f"{plural(count, 'execution')} with an end beyond that of the next one of their stream:"
            " no number uses these times"
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


def _is_overrun(trace: Trace, runs: Launched) -> Bools:
    """Whether each launched execution ends after the end of the next execution of its row.

    A stream runs one after the other: the next may begin a little early, but not end first. Kernels
    of a graph are left out, since branches of a graph may have one stream.
    """
    spans = trace.spans
    start = spans.start[runs.execution]
    end = start + spans.duration[runs.execution]
    row = trace.rows.row[runs.execution]
    overruns = np.zeros(len(start), np.bool_)
    if len(start) < 2 or not len(runs.call):
        return overruns
    # Executions are in order of row and begin, so neighbours follow each other on a stream.
    overruns[:-1] = (row[:-1] == row[1:]) & (end[:-1] > end[1:]) & (start[:-1] < start[1:])
    if not overruns.any():
        return overruns
    is_graph = np.array(["GraphLaunch" in name for name in trace.names], np.bool_)
    return overruns & (runs.launch >= 0) & ~is_graph[spans.name[runs.call[runs.launch]]]
