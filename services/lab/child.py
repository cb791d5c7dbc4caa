"""A search in its own process: `main` reads a problem in a folder and writes its placement there.

It limits memory and processor time of its process as its task says, and the process ends with the
one that started it. `python -m services.lab.child` compiles the code of the strategies ahead.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from analysis.allocators.compiled import is_compiled
from analysis.allocators.compiler import PLACE, cache_note, is_cached
from analysis.allocators.least_moved import FrontPoint, find_move_front
from analysis.allocators.placement import (
    BY_BOUND,
    DONE,
    FEASIBLE,
    OPTIMAL,
    Improvement,
    Placement,
    Progress,
    Question,
)
from analysis.allocators.problem import Problem
from analysis.allocators.search import NoCompilerError, small_problem, warm_up
from analysis.allocators.strategies import STRATEGIES
from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits, limit_memory, limit_processor, release_reserve
from services.run.placement_files import (
    ANSWER,
    PROGRESS,
    STOP,
    TASK,
    read_json,
    read_problem,
    write_json,
)
from services.run.placements import placement_record

_OWN_S = 60.0
"""Seconds of processor time for imports and compiling, in addition to the search."""
_FRONT_S = 20.0
"""Maximum seconds of the search for placements that move few bytes."""
_PREPARE_MB, _PREPARE_S = 2048, 300.0
"""Limits of compiling ahead, in MiB and seconds: several times its actual use."""
_NICE = 10
"""Added to the niceness of the process that compiles ahead, so that requests go first: the first
server of an installation compiles for 15 seconds while people open their first pages.
"""


def main(folder: Path) -> None:
    """Run the search of the folder and write its result to file ANSWER; if a compiler or memory is
    missing, a dict whose `failed` is a sentence with the reason.
    """
    end_with_starter()
    task = read_json(folder / TASK) or {}
    limits = Limits(memory_mb=int(task["memory_mb"]), processor_s=float(task["seconds"]) + _OWN_S)
    limit_memory(limits)
    limit_processor(limits, 0)
    try:
        result = _solve(folder, read_problem(folder), task)
    except NoCompilerError as error:
        result = {"failed": str(error)}
    except MemoryError:
        # frees memory that was held back for writing the result
        release_reserve()
        result = {"failed": f"it needs more than the {limits.memory_mb} MiB available to a search"}
    write_json(folder / ANSWER, result)


def compile_all() -> None:
    """Compile or load the code of all strategies, the simple strategies first, so that they are
    ready early; a missing compiler is ignored.
    """
    end_with_starter()
    os.nice(_NICE)
    limits = Limits(memory_mb=_PREPARE_MB, processor_s=_PREPARE_S)
    limit_memory(limits)
    limit_processor(limits, 0)
    STRATEGIES["best_fit"].allocate(small_problem(), Question(effort=1), None)
    with contextlib.suppress(NoCompilerError):
        warm_up(lambda _: None)


def _front(folder: Path, problem: Problem, task: dict[str, Any]) -> dict[str, Any]:
    """Search the front of placements by moved bytes and return `{"points": [...]}`, a record of
    each placement with `moved_bytes`.
    """
    warm_up(lambda sentence: write_json(folder / PROGRESS, {"doing": sentence}))
    write_json(
        folder / PROGRESS,
        {"doing": f"searching for lower extents that move few bytes, at most {_FRONT_S:.0f} s"},
    )
    began = time.monotonic()
    question = Question(task["room"], min(task["seconds"], _FRONT_S), None, task["seed"])
    front = find_move_front(problem, np.array(task["stored"], np.int64), question)
    # a point of the front has no time of its own
    seconds = time.monotonic() - began
    return {"points": [_point(point, front.bound, seconds) for point in front.points]}


def _point(point: FrontPoint, bound: int, seconds: float) -> dict[str, Any]:
    is_smallest = point.extent == bound
    status, proof, stopped = (OPTIMAL, BY_BOUND, OPTIMAL) if is_smallest else (FEASIBLE, None, DONE)
    placement = Placement(
        status, proof, stopped, point.extent, bound, seconds, 0, point.address, ()
    )
    return placement_record(placement, "") | {"moved_bytes": point.moved_bytes}


def _solve(folder: Path, problem: Problem, task: dict[str, Any]) -> dict[str, Any]:
    if "stored" in task:
        return _front(folder, problem, task)
    strategy = STRATEGIES[task["strategy"]]
    if strategy.proves:
        warm_up(lambda sentence: write_json(folder / PROGRESS, {"doing": sentence}))
    elif is_compiled():
        if not is_cached(PLACE):
            write_json(
                folder / PROGRESS, {"doing": "compiling the search: some seconds, only once"}
            )
        # The first call compiles or loads code; this time must not count as that of the strategy.
        strategy.allocate(small_problem(), Question(effort=1), None)
    question = Question(task["room"], task["seconds"], task["effort"], task["seed"])
    placement = strategy.allocate(problem, question, _ProgressWriter(folder).report_progress)
    return placement_record(placement, cache_note() if strategy.proves else "")


class _ProgressWriter:
    """Writer of the progress of a search and its improvements.

    It stops the search if file `stop` exists.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._trace: list[Improvement] = []

    def report_progress(self, progress: Progress) -> bool:
        """Write the progress with all improvements so far; return whether the search continues,
        False if file `stop` exists.
        """
        last = self._trace[-1].extent if self._trace else None
        if progress.extent is not None and progress.extent != last:
            self._trace.append(Improvement(progress.effort, progress.seconds, progress.extent))
        trace = [asdict(step) for step in self._trace]
        write_json(self._folder / PROGRESS, asdict(progress) | {"trace": trace})
        return not (self._folder / STOP).exists()


if __name__ == "__main__":
    compile_all()
