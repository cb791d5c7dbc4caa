"""Names in traces of torch.profiler that the loader stores and the analysis reads."""

from __future__ import annotations

import re

KERNEL = "kernel"
OPERATOR = "cpu_op"
ANNOTATION = "user_annotation"
PYTHON = "python_function"
"""Category of Python functions."""
OVERHEAD = "overhead"
"""Category of the time that the profiler itself takes."""
CLASSES = ("compute", "communication", "copy")
"""Classes of executions on a device."""
STEP_NAME = re.compile(r"ProfilerStep ?#([0-9]{1,9})", re.ASCII)
"""Names of the markers of steps."""
MAX_CLOCK_ERROR_NS = 100_000
"""Time by which an execution may precede its launch, since clocks of host and device differ."""
RANK_LABEL = re.compile(r'"?\[([^\[\]]{1,60})\] ?')
"""Beginning of the pids of a file that holds the traces of several ranks, such as `[TP01] 4242`.

Frame `tracks` has the pids of threads with the quotes of their JSON text.
"""
_CALL = re.compile(r"(?:cuda|hip|xpu|mtia|privateuse1)_(?:runtime|driver)")


def is_call(category: str) -> bool:
    """Whether spans of a category are calls of the host into a device's library."""
    return _CALL.fullmatch(category) is not None


def rank_label(pid: str) -> str:
    """Return the rank that the pid of a merged trace begins with, such as `TP01`; else ""."""
    label = RANK_LABEL.match(pid)
    return label[1] if label else ""


def rank_name(rank: str, name: str) -> str:
    """Write the name of a step of a rank in the way of merged pids: `[TP01] ProfilerStep#3`.

    The name as it is if the file names no ranks (rank "").
    """
    return f"[{rank}] {name}" if rank else name
