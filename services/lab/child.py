"""The process that searches: `python -m services.lab.child FOLDER` reads a problem there and writes its answer.

Without a folder it compiles what strategies need, or loads what was compiled, and ends.
It takes no more memory and processor time than its task says, and ends with the server that started it.
"""

from __future__ import annotations

import contextlib
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from analysis.allocators.compiled import is_compiled
from analysis.allocators.compiler import PLACE, cache_note, is_kept
from analysis.allocators.least_moved import FrontPoint, find_move_front
from analysis.allocators.placement import BY_BOUND, DONE, FEASIBLE, OPTIMAL, Improvement, Placement, Progress, Question
from analysis.allocators.problem import Problem
from analysis.allocators.search import NoCompilerError, small_problem, warm_up
from analysis.allocators.strategies import STRATEGIES
from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits, limit_memory, limit_processor, release_reserve
from services.run.placement_files import ANSWER, PROGRESS, STOP, TASK, read_json, read_problem, write_json
from services.run.placements import placement_record

_OWN_S = 60.0
"""Processor time beside that of the search: imports, and compiling it."""
_FRONT_S = 20.0
"""Time on the clock in which placements that move little are looked for."""
_PREPARE_MB, _PREPARE_S = 2048, 300.0
"""What compiling ahead may take; several times what it does."""


def main(folder: Path) -> None:
    """Search, and write what came of it, or a sentence why nothing did."""
    end_with_starter()
    task = read_json(folder / TASK) or {}
    limits = Limits(memory_mb=int(task["memory_mb"]), processor_s=float(task["seconds"]) + _OWN_S)
    limit_memory(limits)
    limit_processor(limits, 0)
    try:
        made = _answer(folder, read_problem(folder), task)
    except NoCompilerError as error:
        made = {"failed": str(error)}
    except MemoryError:
        release_reserve()
        made = {"failed": f"it needs more than the {limits.memory_mb} MiB that a search may take"}
    write_json(folder / ANSWER, made)


def compile_all() -> None:
    """Have all that strategies need compiled or loaded, the simple ones first: none waits for what it does not use."""
    end_with_starter()
    limits = Limits(memory_mb=_PREPARE_MB, processor_s=_PREPARE_S)
    limit_memory(limits)
    limit_processor(limits, 0)
    STRATEGIES["best_fit"].allocate(small_problem(), Question(effort=1), None)
    with contextlib.suppress(NoCompilerError):
        warm_up(lambda _: None)


def _front(folder: Path, problem: Problem, task: dict[str, Any]) -> dict[str, Any]:
    """Return placements that move little, as answers; each is found within a few thousand placements."""
    warm_up(lambda sentence: write_json(folder / PROGRESS, {"doing": sentence}))
    write_json(folder / PROGRESS, {"doing": f"what is gained by moving few bytes, for {_FRONT_S:.0f} s at most"})
    began = time.monotonic()
    question = Question(task["room"], min(task["seconds"], _FRONT_S), None, task["seed"])
    front = find_move_front(problem, np.array(task["stored"], np.int64), question)
    seconds = time.monotonic() - began
    return {"points": [_point(point, front.bound, seconds) for point in front.points]}


def _point(point: FrontPoint, bound: int, seconds: float) -> dict[str, Any]:
    least = point.extent == bound
    status, proof, stopped = (OPTIMAL, BY_BOUND, OPTIMAL) if least else (FEASIBLE, None, DONE)
    found = Placement(status, proof, stopped, point.extent, bound, seconds, 0, point.address, ())
    return placement_record(found, "") | {"moved_bytes": point.moved_bytes}


def _answer(folder: Path, problem: Problem, task: dict[str, Any]) -> dict[str, Any]:
    if "stored" in task:
        return _front(folder, problem, task)
    strategy = STRATEGIES[task["strategy"]]
    if strategy.proves:
        warm_up(lambda sentence: write_json(folder / PROGRESS, {"doing": sentence}))
    elif is_compiled():
        if not is_kept(PLACE):
            write_json(folder / PROGRESS, {"doing": "compiling, which takes some seconds and is done once"})
        # What is compiled or loaded at the first call is no part of the time that a strategy takes.
        strategy.allocate(small_problem(), Question(effort=1), None)
    question = Question(task["room"], task["seconds"], task["effort"], task["seed"])
    answer = strategy.allocate(problem, question, _Teller(folder).report_progress)
    return placement_record(answer, cache_note() if strategy.proves else "")


class _Teller:
    """Writes how far the search is, with the improvements that it saw; stops it where a file says so."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._trace: list[Improvement] = []

    def report_progress(self, progress: Progress) -> bool:
        last = self._trace[-1].extent if self._trace else None
        if progress.extent is not None and progress.extent != last:
            self._trace.append(Improvement(progress.effort, progress.seconds, progress.extent))
        trace = [asdict(one) for one in self._trace]
        write_json(self._folder / PROGRESS, asdict(progress) | {"trace": trace})
        return not (self._folder / STOP).exists()


if __name__ == "__main__":
    main(Path(sys.argv[1])) if len(sys.argv) > 1 else compile_all()
