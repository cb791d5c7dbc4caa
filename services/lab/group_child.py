"""Process that searches placements for failed attempts: `python -m services.lab.group_child
FOLDER`.

It limits its memory and processor time as its task says, and ends with the server that started it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.allocators.compiler import can_compile
from analysis.allocators.search import warm_up
from analysis.memory.group_table import layer_groups
from analysis.memory.index import MemoryIndex
from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits, limit_memory, limit_processor, release_reserve
from schema.frames import empty
from services.lab.group_searches import ATTEMPTS, BLOCKS
from services.lab.groups import find_failures
from services.run.group_failures import EFFORT
from services.run.placement_files import ANSWER, TASK, read_json, write_json

_OWN_S = 60.0
"""Seconds of processor time for imports and compiling, in addition to the search."""


def main(folder: Path) -> None:
    """Examine each failed attempt, and write {"attempts": {attempt: failure}} as JSON to file
    ANSWER of the folder when all are done, the time is over, or the memory is exceeded.

    Attempts that were not examined until then are missing.
    """
    end_with_starter()
    task = read_json(folder / TASK) or {}
    limits = Limits(memory_mb=int(task["memory_mb"]), processor_s=float(task["seconds"]) + _OWN_S)
    limit_memory(limits)
    limit_processor(limits, 0)
    failures: dict[int, Any] = {}
    try:
        _examine_attempts(folder, float(task["seconds"]), failures)
    except MemoryError:
        # frees memory that was held back for writing the result
        release_reserve()
    write_json(folder / ANSWER, {"attempts": failures})


def _examine_attempts(folder: Path, seconds: float, failures: dict[int, Any]) -> None:
    """Add the failure of each attempt to `failures`, by its number, until `seconds` of processor
    time are over.
    """
    attempts, blocks = (pd.read_parquet(folder / name) for name in (ATTEMPTS, BLOCKS))
    steps = empty("steps")
    effort = EFFORT if can_compile() else None
    if effort is not None:
        warm_up(lambda _: None)
    ends = time.process_time() + seconds
    index = MemoryIndex.of(attempts, blocks, steps, empty("buffer_uses"))
    # Only blocks of failed attempts were passed to this process.
    groups = layer_groups(attempts, blocks, steps, failed_steps_only=True)
    for attempt, failure in find_failures(index, groups, effort):
        failures[attempt] = failure
        if time.process_time() > ends:
            break


if __name__ == "__main__":
    main(Path(sys.argv[1]))
