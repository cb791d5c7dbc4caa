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
_CALL = re.compile(r"(?:cuda|hip|xpu|mtia|privateuse1)_(?:runtime|driver)")


def is_call(category: str) -> bool:
    """Whether spans of a category are calls of the host into a device's library."""
    return _CALL.fullmatch(category) is not None
