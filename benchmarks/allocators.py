"""Placements: speed of the search, distance to the bound, and comparison with MiniMalloc.

`python -m benchmarks.allocators [--problems DIR]`; DIR has the problems A to K of google/minimalloc
as CSV, without it there is no comparison.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from analysis.allocators.placement import Placement, Question
from analysis.allocators.problem import Problem, build_problem
from analysis.allocators.search import warm_up
from analysis.allocators.strategies import STRATEGIES
from analysis.memory.index import MemoryIndex
from benchmarks.packings import Pieces, cut_families, relatives
from benchmarks.report import check, note
from data_loaders.minimalloc.run import MinimallocLoader
from schema.frames import complete, empty

MIB = 1 << 20
SEEDS = (0, 1, 2)
"""Seeds of each search."""
MAX_SECONDS = 10.0
"""Processor seconds within which every problem of a family should fit."""
MINIMALLOC_SECONDS = {"A": 17.56, "B": 10.99, "C": 2.94, "D": 6.32, "E": 6.03, "F": 6.67}
MINIMALLOC_SECONDS |= {"G": 1.04, "H": 1.54, "I": 3.10, "J": 0.83, "K": 0.62}
"""Seconds of MiniMalloc for each problem with 1 MiB, measured on two shared cores.

It is C++, commit e9eaf54, single-threaded.
"""


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=Path, help="folder of MiniMalloc's own problems")
    options = parser.parse_args()
    begin = time.process_time()
    warm_up(note)
    note(f"the search compiled or loaded in {time.process_time() - begin:.1f} s of the processor")
    _cut_to_fit()
    _large(4_000)
    for name, pieces in cut_families(MIB, range(2)):
        _fit_family(name, pieces)
    if options.problems is not None:
        for path in sorted(options.problems.glob("[A-K].*.csv")):
            if ".solved" not in path.name:
                _against_minimalloc(path)


def _cut_to_fit() -> None:
    """Place blocks that were cut out of a full rectangle: the best placement wastes no byte."""
    problem = _problem(_cut_rectangle(120, 100, MIB))
    result = _place("search", problem, Question(seconds=20, seed=1))
    check(
        "120 blocks cut out of a full memory, extent against the bound",
        result[0].extent or 0,
        1.1 * MIB,
        "bytes",
    )
    for name in ("best_fit", "greedy_by_size", "first_fit"):
        note(f"    {name}: {(_place(name, problem, Question())[0].gap or 0):.1%} above the bound")
    rate = result[0].effort / max(result[1], 1e-9) / 1e3
    note(f"    search: {(result[0].gap or 0):.1%} above the bound, {rate:.0f} placements per ms")


def _large(blocks: int) -> None:
    """Place many blocks: check the time of the first layout, and the improvement after 10 s."""
    problem = _problem(_cut_rectangle(blocks, 4_000, 64 * MIB))
    placement, _ = _place("search", problem, Question(seconds=10, seed=1))
    first = placement.trace[0]
    last = placement.trace[-1]
    check(f"{blocks} blocks, first layout", first.seconds, 1.0, "s")
    check(
        f"{blocks} blocks, after 10 s, extent against the first",
        last.extent / first.extent,
        1.0,
        "",
    )
    note(
        f"    {first.extent / placement.bound - 1:.1%} above the bound at first, {placement.gap or 0:.1%} at last"
    )


def _against_minimalloc(path: Path) -> None:
    """Fit a problem of MiniMalloc and its relatives into 1 MiB."""
    letter = path.name[0]
    run = MinimallocLoader().load(path, {})
    index = MemoryIndex.of(
        run.frames["attempts"], run.frames["allocations"], empty("steps"), empty("buffer_uses")
    )
    problem = build_problem(index.map(0))
    results = [
        _place("search", problem, Question(room=MIB, seconds=120, seed=seed)) for seed in SEEDS
    ]
    took = [seconds for _, seconds in results]
    held = all(placement.extent is not None for placement, _ in results)
    fit = "all" if held else "NOT all"
    note(f"{letter}: {median(took):.2f} s (up to {max(took):.2f}), {fit} of {len(SEEDS)} seeds fit")
    for name, pieces in relatives(run.frames["allocations"], 1):
        _fit_family(f"{letter} {name}", pieces)
    check(
        f"{letter} of MiniMalloc, time against MiniMalloc's own",
        max(took) / MINIMALLOC_SECONDS[letter],
        1.0,
        "",
    )


def _fit_family(name: str, pieces: Pieces) -> None:
    """Fit a problem that is known to fit."""
    start, end, size = (list(column) for column in zip(*pieces, strict=True))
    problem = _problem(_unplaced(start, end, size))
    results = [
        _place("search", problem, Question(room=MIB, effort=6_000_000, seed=seed)) for seed in SEEDS
    ]
    missed = sum(placement.extent is None for placement, _ in results)
    note(f"    {name}: {len(problem)} blocks, {missed} of {len(SEEDS)} seeds missed")
    check(
        f"{name}, processor time to fit", max(seconds for _, seconds in results), MAX_SECONDS, "s"
    )


def _cut_rectangle(blocks: int, steps: int, size: int) -> pd.DataFrame:
    """Return frame `allocations` of a rectangle of steps x bytes, cut into `blocks` blocks.

    The largest block is cut in two each time.
    """
    draw = np.random.default_rng(5)
    pieces = [(0, steps, size)]
    while len(pieces) < blocks:
        pieces.sort(key=lambda piece: (piece[1] - piece[0]) * piece[2])
        start, end, tall = pieces.pop()
        if end - start > 1 and (tall < 2048 or draw.random() < (end - start) / steps + 0.2):
            at = int(draw.integers(start + 1, end))
            pieces += [(start, at, tall), (at, end, tall)]
        else:
            at = 64 * int(draw.integers(1, tall // 64))
            pieces += [(start, end, at), (start, end, tall - at)]
    starts, ends, sizes = (list(column) for column in zip(*pieces, strict=True))
    return _unplaced(starts, ends, sizes)


def _unplaced(start: list[int], end: list[int], size: list[int]) -> pd.DataFrame:
    """Return frame `allocations` of blocks without addresses."""
    named = {
        "attempt": 0,
        "block": range(len(size)),
        "name": [f"b{rank}" for rank in range(len(size))],
    }
    columns = {"start": start, "end": end, "size": size, "kind": "buffer", "status": "unplaced"}
    return complete("allocations", pd.DataFrame(named | columns))


def _problem(allocations: pd.DataFrame) -> Problem:
    steps = int(allocations["end"].max())
    attempts = complete("attempts", {"attempt": [0], "outcome": ["unsolved"], "steps": [steps]})
    return build_problem(
        MemoryIndex.of(attempts, allocations, empty("steps"), empty("buffer_uses")).map(0)
    )


def _place(name: str, problem: Problem, question: Question) -> tuple[Placement, float]:
    """Return a placement, and the processor seconds that it took."""
    begin = time.process_time()
    placement = STRATEGIES[name].allocate(problem, question, None)
    return placement, time.process_time() - begin


if __name__ == "__main__":
    main()
