"""Compute the pace of a capture: its limiters, the time of each tile, and a sentence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from analysis.aie.iteration_parts import IterationTimes
from analysis.aie.pace.limiters import Limiter, find_limiters
from analysis.aie.pace.schedule import lower_median
from analysis.aie.pace.sentence import pace_sentence
from analysis.aie.pace.streams import cores_at
from analysis.aie.pace.tile_times import (
    EARLY_END,
    KERNELS,
    PACE_PARTS,
    WAITING,
    TileTimes,
    tile_times,
)
from schema.array_types import Floats


@dataclass(frozen=True)
class Pace:
    """Limiters and times of a capture, as means of its measured iterations.

    `elapsed` and the columns of `tiles` are cycles: a row per core (`tile`), PACE_PARTS that sum to
    `elapsed`, and `slack`, the time that the core waits for others or has ended before them.
    `waits` maps each core to the cores that it waits for, with cycles, longest first.
    `gmacs` is None if the work is unknown.
    """

    elapsed: float
    gmacs: float | None
    limiters: tuple[Limiter, ...]
    tiles: pd.DataFrame
    sentence: str
    waits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def culprits(self, selected: str | None) -> list[str]:
        """Return the selected core if others wait for it.

        Else the cores of the place of the first limiter that has a place: a core, row or column.
        """
        if selected is not None and any(selected in waits for waits in self.waits.values()):
            return [selected]
        first = next((limiter for limiter in self.limiters if limiter.track is not None), None)
        return [] if first is None else cores_at(first.where, self.waits)

    def shares_waited(self, culprits: Collection[str]) -> dict[str, float]:
        """Compute the share of the time that each other core waits for some cores."""
        return {
            core: sum(waits.get(culprit, 0.0) for culprit in culprits) / self.elapsed
            for core, waits in self.waits.items()
            if core not in culprits
        }


def compute_pace(split: IterationTimes, iterations: pd.DataFrame) -> Pace | None:
    """Compute the pace of a capture from its split iterations and frame `iterations`; None without
    a complete perf iteration.
    """
    times = tile_times(split, iterations)
    if times is None:
        return None
    limiters = tuple(find_limiters(times))
    elapsed = float(times.elapsed.mean())
    kernels_usual = float(lower_median(times.parts[KERNELS]).mean())
    sentence = pace_sentence(limiters, elapsed, kernels_usual, times.gmacs, len(times.cores))
    return Pace(elapsed, times.gmacs, limiters, _tiles(times), sentence, _waits(times))


def _tiles(times: TileTimes) -> pd.DataFrame:
    means = {part: times.parts[part].mean(axis=0) for part in PACE_PARTS}
    slack = means[WAITING] + means[EARLY_END]
    return pd.DataFrame({"tile": times.cores, **means, "slack": slack})


def _waits(times: TileTimes) -> dict[str, dict[str, float]]:
    """Map each core to the cores that it waits for, longest first, with the mean cycles per
    iteration; cores that it does not wait for are missing.
    """
    return {
        core: _longest_first(times.cores, waits)
        for core, waits in zip(times.cores, times.waits, strict=True)
    }


def _longest_first(cores: tuple[str, ...], waits: Floats) -> dict[str, float]:
    order = np.argsort(-waits, kind="stable").tolist()
    return {cores[core]: float(waits[core]) for core in order if waits[core] > 0}
