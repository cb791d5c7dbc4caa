"""An attempt or memory level as a MiniMalloc CSV, the same from the page and from the command line."""

from __future__ import annotations

from analysis.allocators.minimalloc_csv import minimalloc_csv
from analysis.memory.selection import MemorySelection
from schema.choices import METHODS
from services.run.data import RunDataCache
from storage.errors import FrameNotFound


def problem_text(
    cache: RunDataCache, run_id: str, attempt: int | None, *, solution: bool, layout: str = "placed"
) -> str:
    """Return the problem of an attempt, or its solution: as placed, or by a built-in allocator (`layout`).

    None stands for the attempt that a page shows first. Answers of the lab that are kept with the run are attempts too.

    Raises RunNotFound, FrameNotFound where there is no such attempt, ValueError with a sentence where it has blocks
    without an address.
    """
    memory = cache.with_kept(run_id, METHODS[0], {}).memory
    if attempt is not None and not memory.has(attempt):
        raise FrameNotFound(f"run {run_id} has no attempt {attempt}")
    shown = memory.shown_map(MemorySelection(attempt=attempt), layout)
    if shown is None:
        raise FrameNotFound(f"run {run_id} has no attempt")
    return minimalloc_csv(shown, solution=solution)
