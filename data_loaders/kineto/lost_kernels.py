"""Launches of a torch.profiler trace whose kernels are not in the file."""

from __future__ import annotations

import re

import numpy as np

from data_loaders.kineto.frames import Launched, Trace
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic
from schema.plurals import plural
from schema.torch_profiler import is_call

_LAUNCH = re.compile(r"LaunchKernel|KernelLaunch|LaunchCooperativeKernel|GraphLaunch")
"""Names of calls that start kernels."""
_BEGIN_CAPTURE = re.compile(r"StreamBeginCapture")
_END_CAPTURE = re.compile(r"StreamEndCapture")
_TWICE = "xpu_driver"
"""Category of calls that a launch of `xpu_runtime` makes itself."""
_MIN_WARNED_SHARE = 0.01
"""Share of launches without kernels from which numbers of devices are clearly too low."""


def lost_kernel_findings(trace: Trace, runs: Launched, file: str) -> list[Diagnostic]:
    """Count the launches without an execution, and name the first.

    Launches while a graph is captured start nothing, and are left out.
    """
    names = trace.names
    categories = frozenset(name for name in trace.categories if is_call(name) and name != _TWICE)
    calls = trace.places(categories)
    launches = calls[_match(names, _LAUNCH)[trace.spans.name[calls]]]
    if not len(launches):
        return []
    lost = launches[~np.isin(launches, runs.call)]
    lost = lost[~_is_captured(trace, calls, lost)]
    if not len(lost):
        return []
    first = int(lost[np.argmin(trace.spans.start[lost])])
    place = f"{names[int(trace.spans.name[first])]} at {int(trace.spans.start[first])} ns"
    text = (
        f"{len(lost)} of {plural(len(launches), 'launch')} without a kernel in the file: "
        "kernels, busy share and kernel time are too low"
    )
    is_many = len(lost) >= _MIN_WARNED_SHARE * len(launches)
    severity = "warning" if is_many else "info"
    return [Diagnostic(severity, "kernels_missing", text, f"{file}: {place}", len(lost))]


def _match(names: list[str], pattern: re.Pattern[str]) -> Bools:
    return np.array([pattern.search(name) is not None for name in names], np.bool_)


def _is_captured(trace: Trace, calls: Ints, launches: Ints) -> Bools:
    """Whether each launch is between the begin and end of a capture of its thread."""
    spans = trace.spans
    captured = np.zeros(len(launches), np.bool_)
    begins = calls[_match(trace.names, _BEGIN_CAPTURE)[spans.name[calls]]]
    ends = calls[_match(trace.names, _END_CAPTURE)[spans.name[calls]]]
    for thread in np.unique(spans.thread[begins]).tolist():
        begun = np.sort(spans.start[begins[spans.thread[begins] == thread]])
        ended = np.sort(spans.start[ends[spans.thread[ends] == thread]])
        own = spans.thread[launches] == thread
        at = spans.start[launches]
        opened = np.searchsorted(begun, at) - np.searchsorted(ended, at)
        captured |= own & (opened > 0)
    return captured
