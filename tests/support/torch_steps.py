"""Traces of torch.profiler whose steps launch given kernels, for comparisons of two runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.kineto_trace import HOST, call, kernel, operator, span

STEP_US = 10_000
Launches = Sequence[tuple[str, float]]
"""Name and duration (us) of the kernels that a step launches, in order."""


def step_entries(
    steps: Sequence[Launches], *, categories: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return the entries of steps of 10 ms each, the first with number 1.

    Each kernel has an operator `aten::NAME` that launches it; kernels run one behind the other,
    the first 20 us after the begin of its step. `categories` maps names to other categories, such
    as `gpu_memcpy`. Kernels called `side` run on stream 20.
    """
    entries = []
    correlation = 0
    for number, launches in enumerate(steps, 1):
        begin = STEP_US * number
        entries.append(span("user_annotation", f"ProfilerStep#{number}", begin, STEP_US, HOST))
        at = begin + 20.0
        for place, (name, duration) in enumerate(launches):
            correlation += 1
            launched = begin + 4 + 2 * place
            entries.append(operator(f"aten::{name}", launched - 0.5, 1.75))
            entries.append(call(launched, correlation))
            category = (categories or {}).get(name, "kernel")
            stream = 20 if name == "side" else 7
            entries.append(kernel(name, at, duration, correlation, stream=stream, cat=category))
            at += duration
    return entries
