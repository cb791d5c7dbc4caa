"""Results of every strategy for every attempt of several runs, as records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from analysis.allocators.strategies import STRATEGIES
from services.lab.allocate import Asked, place_attempts, record
from services.lab.matrix_table import COLUMNS, REFUSED
from services.run.memory import MemoryData


def matrix_cells(
    runs: Iterable[tuple[str, MemoryData, Sequence[int]]], goal: Asked
) -> Iterator[dict[str, Any]]:
    """Yield a record with COLUMNS for each run, attempt and strategy, in this order; `runs` has
    (run id, memory data, attempts).

    If a strategy cannot place an attempt, the status is REFUSED and `reason` a sentence; fields
    without a value are `None`.
    """
    for run_id, memory, attempts in runs:
        for attempt in attempts:
            for strategy in STRATEGIES:
                yield _cell(run_id, memory, attempt, replace(goal, strategy=strategy))


def _cell(run_id: str, memory: MemoryData, attempt: int, goal: Asked) -> dict[str, Any]:
    cell = dict.fromkeys(COLUMNS) | {
        "run_id": run_id,
        "attempt": attempt,
        "strategy": goal.strategy,
    }
    cell |= {"label": memory.index.map(attempt).label}
    try:
        (placed,) = place_attempts(memory, [attempt], goal)
    except (ValueError, RuntimeError) as error:
        return cell | {"status": REFUSED, "reason": str(error)}
    result = record(run_id, goal, placed)
    return cell | {name: result[name] for name in COLUMNS if name in result}
