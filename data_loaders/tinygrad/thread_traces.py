"""Thread traces (SQTT) of AMD devices in a tinygrad capture: that they are there and how large, per kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from data_loaders.tinygrad.capture import Capture, Fields
from data_loaders.tinygrad.names import plain
from schema.diagnostics import Diagnostic
from schema.plurals import plural

MOST_KERNELS = 10
_MOST_NAME = 60


def thread_trace_findings(capture: Capture, tagged: Mapping[int, str]) -> list[Diagnostic]:
    """Return what there is of thread traces, which are not decoded; `tagged` are functions by their program's tag."""
    found, count = Counter[str](), len(capture.thread_traces)
    for said in capture.thread_traces:
        blob = said.get("blob")
        found[_kernel(said, tagged)] += len(blob) if type(blob) is bytes else 0
    if not count:
        return []
    largest = found.most_common(MOST_KERNELS)
    rest, others = sum(found.values()) - sum(size for _, size in largest), len(found) - len(largest)
    parts = [f"{name} {plural(size, 'byte')}" for name, size in largest]
    parts += [f"{plural(others, 'other')} {plural(rest, 'byte')}"] if others else []
    total = f"{plural(count, 'thread trace')} (SQTT) of {plural(len(found), 'kernel')}"
    text = f"{total}, {plural(sum(found.values()), 'byte')}, not decoded: {', '.join(parts)}"
    return [Diagnostic("info", "thread_traces", text, "", count)]


def _kernel(said: Fields, tagged: Mapping[int, str]) -> str:
    """Return the traced kernel: its function's name up to 0.12, its program's tag from 0.13 on."""
    kernel = said.get("kern")
    name = plain(kernel if type(kernel) is str else tagged.get(kernel, "") if type(kernel) is int else "")
    if not name:
        return f"program {kernel}" if type(kernel) is int and abs(kernel) < 2**63 else "an unknown kernel"
    return name if len(name) <= _MOST_NAME else name[: _MOST_NAME - 1] + "…"
