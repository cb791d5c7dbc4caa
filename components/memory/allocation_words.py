"""Sentence about the allocations of a compiled module."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from analysis.memory.allocation_totals import AllocationTotals
from components.numbers import size

KIND_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "preallocated_temp": "temporaries",
        "parameter": "parameters",
        "output": "outputs",
        "constant": "constants",
        "thread_local": "thread-local",
    }
)
"""Kind of allocations -> label."""


def allocations_sentence(totals: AllocationTotals) -> str:
    """Describe the bytes of all allocations, by kind and by memory space, and if they differ from
    the total in the file.

    `55.00 MiB in all: temporaries 30.0 MiB, parameters 25.0 MiB; 45.0 MiB in memory space 0,
    10.0 MiB in memory space 1.` Memory spaces are left out if there is only one.
    """
    largest_first = sorted(totals.by_kind.items(), key=lambda item: -item[1])
    kinds = ", ".join(f"{KIND_LABELS[kind]} {size(part)}" for kind, part in largest_first)
    text = f"{size(totals.total)} in all: {kinds}"
    if len(totals.by_memory) > 1 or 0 not in totals.by_memory:
        spaces = [
            f"{size(part)} in memory space {color}" for color, part in totals.by_memory.items()
        ]
        text += f"; {', '.join(spaces)}"
    if totals.stated is not None and totals.stated != totals.total:
        text += f"; XLA states {size(totals.stated)} in all"
    return f"{text}."
