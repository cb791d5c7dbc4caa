"""The regret of choosing a tile by a model: how much slower the chosen run is than the fastest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Key = tuple[object, ...]


@dataclass(frozen=True)
class PricedRun:
    """A run with its tile, its problem (M, K, N, rows, cols), and cycles of a whole call."""

    run_id: str
    problem: Key
    tile: tuple[int, int, int]
    predicted: float
    measured: float


@dataclass(frozen=True)
class Regret:
    """The run that the model chooses, the fastest run, and measured chosen / fastest - 1."""

    chosen: PricedRun
    fastest: PricedRun
    regret: float
    runs: int


def find_regrets(candidates: Sequence[PricedRun]) -> list[Regret]:
    """Compute the regret of each problem with at least two runs, sorted by problem.

    The result does not depend on the order of the candidates; of equals the least tile and id
    counts.
    """
    problems: dict[Key, list[PricedRun]] = {}
    for candidate in candidates:
        problems.setdefault(candidate.problem, []).append(candidate)
    regrets = []
    for _, runs in sorted(problems.items(), key=lambda item: str(item[0])):
        if len(runs) < 2:
            continue
        chosen = min(runs, key=lambda run: (run.predicted, run.tile, run.run_id))
        fastest = min(runs, key=lambda run: (run.measured, run.tile, run.run_id))
        regret = chosen.measured / fastest.measured - 1
        regrets.append(Regret(chosen, fastest, regret, len(runs)))
    return regrets
