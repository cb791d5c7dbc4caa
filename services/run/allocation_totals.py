"""Totals of a compiled module's allocations, the same for page, command line and assistants."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from analysis.memory.allocation_totals import AllocationTotals, allocation_totals
from services.run.stored_frames import StoredFrames
from storage.repository import Repository

_FRAME = "allocation_totals"


def has_allocation_totals(frames: Collection[str]) -> bool:
    """Whether frame `allocation_totals` is among the names: the run is a buffer assignment of XLA."""
    return _FRAME in frames


def find_allocation_totals(repository: Repository, run_id: str) -> AllocationTotals | None:
    """Sum up the allocations of a run; None if it is not a buffer assignment of XLA.

    Raises RunNotFound.
    """
    frames = StoredFrames(repository, run_id)
    return allocation_totals(frames[_FRAME]) if has_allocation_totals(frames) else None


def allocation_totals_mapping(totals: AllocationTotals) -> dict[str, Any]:
    """Convert totals to JSON types; sizes are in bytes, `file_total` None if no file states it."""
    return {
        "unit": "bytes",
        "total_bytes": totals.total,
        "file_total": totals.stated,
        "by_kind": dict(totals.by_kind),
        "by_memory": {str(memory): size for memory, size in totals.by_memory.items()},
    }
