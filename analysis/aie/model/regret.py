"""The regret of choosing a tile by a model: how much slower the chosen run is than the fastest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Key = tuple[object, ...]


@dataclass(frozen=True)
class PricedRun:
    """A run of a GEMM with its predicted and measured duration, in cycles of one whole call.

    `problem` is M, K, N and the rows and columns of the array; `tile` is m, k, n.
    """

    run_id: str
    problem: Key
    tile: tuple[int, int, int]
    predicted: float
    measured: float


@dataclass(frozen=True)
class Regret:
    """Regret of one problem: `chosen` has the fewest predicted cycles, `fastest` the fewest
    measured cycles.

    `regret` is measured cycles chosen / fastest - 1 (0: the model chose the fastest run), `runs`
    the number of runs of the problem.
    """

    chosen: PricedRun
    fastest: PricedRun
    regret: float
    runs: int


def find_regrets(candidates: Sequence[PricedRun]) -> list[Regret]:
    """Compute the regret of each problem with at least two runs, sorted by problem.

    The order of the candidates has no effect: if two runs have equal cycles, the run with the
    smaller tile counts, then the run with the smaller id.
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
