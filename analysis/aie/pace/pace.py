"""Compute the pace of a capture: its limiters, the time of each tile, and a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from analysis.aie.iteration_parts import IterationTimes
from analysis.aie.pace.limiters import Limiter, Place, find_limiters
from analysis.aie.pace.schedule import Schedule
from analysis.aie.pace.sentence import pace_sentence
from analysis.aie.pace.tile_times import (
    EARLY_END,
    KERNELS,
    PACE_PARTS,
    WAITING,
    TileTimes,
    tile_times,
)


@dataclass(frozen=True)
class Pace:
    """Limiters and times of a capture, as means of its measured iterations.

    `elapsed` and the columns of `tiles` are cycles: a row per core (`tile`), PACE_PARTS that sum to
    `elapsed`, and `slack`, the time that the core waits for other cores or has ended before them.
    `gmacs` is None if the work is unknown.
    """

    elapsed: float
    gmacs: float | None
    limiters: tuple[Limiter, ...]
    tiles: pd.DataFrame
    sentence: str


def compute_pace(
    split: IterationTimes, iterations: pd.DataFrame, tracks: pd.DataFrame
) -> Pace | None:
    """Compute the pace of a capture; None without a complete perf iteration."""
    times = tile_times(split, iterations)
    if times is None:
        return None
    schedule = Schedule.of(times)
    limiters = tuple(find_limiters(schedule, _places(tracks)))
    elapsed = float(times.elapsed.mean())
    kernels_usual = float(schedule.usual(KERNELS).mean())
    sentence = pace_sentence(limiters, elapsed, kernels_usual, times.gmacs)
    return Pace(elapsed, times.gmacs, limiters, _tiles(times), sentence)


def _places(tracks: pd.DataFrame) -> Mapping[str, Place]:
    placed = tracks[tracks["row"].notna() & tracks["col"].notna()]
    columns = (placed[name].tolist() for name in ("track", "row", "col"))
    return {str(track): (int(row), int(col)) for track, row, col in zip(*columns, strict=True)}


def _tiles(times: TileTimes) -> pd.DataFrame:
    means = {part: times.parts[part].mean(axis=0) for part in PACE_PARTS}
    slack = means[WAITING] + means[EARLY_END]
    return pd.DataFrame({"tile": times.cores, **means, "slack": slack})
