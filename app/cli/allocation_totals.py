"""Output of command `memory` for a buffer assignment of XLA."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analysis.memory.allocation_totals import AllocationTotals


def allocation_lines(totals: AllocationTotals) -> Iterator[str]:
    """Write a line per kind and memory space of a module's allocations, then their totals."""
    from components.memory.allocation_words import KIND_LABELS

    for kind, part in totals.by_kind.items():
        yield f"{part:>20}  bytes of {KIND_LABELS[kind]}"
    for color, part in totals.by_memory.items():
        yield f"{part:>20}  bytes in memory space {color}"
    yield f"{totals.total:>20}  bytes of all allocations"
    if totals.stated is None:
        yield "No file states a total of its own."
    else:
        yield f"{totals.stated:>20}  bytes as XLA states them"
