"""Export of an attempt or memory level as a MiniMalloc CSV, the same for page and command line."""

from __future__ import annotations

from analysis.allocators.minimalloc_csv import minimalloc_csv
from analysis.memory.selection import MemorySelection
from schema.choices import METHODS
from services.run.data_cache import RunDataCache
from storage.errors import FrameNotFound


def problem_text(
    cache: RunDataCache, run_id: str, attempt: int | None, *, solution: bool, layout: str = "placed"
) -> str:
    """Return the text of the MiniMalloc CSV of an attempt: the problem, or with `solution` also the
    addresses in `layout`.

    `layout` is `placed` or the name of a built-in allocator. If `attempt` is `None`, the attempt
    that a page shows first is used; saved placements of the lab are attempts too. Raises
    RunNotFound, FrameNotFound if there is no such attempt, and ValueError if blocks have no
    address.
    """
    memory = cache.with_saved(run_id, METHODS[0], {}).memory
    if attempt is not None and not memory.has(attempt):
        raise FrameNotFound(f"run {run_id} has no attempt {attempt}")
    shown = memory.shown_map(MemorySelection(attempt=attempt), layout)
    if shown is None:
        raise FrameNotFound(f"run {run_id} has no attempt")
    return minimalloc_csv(shown, solution=solution)
