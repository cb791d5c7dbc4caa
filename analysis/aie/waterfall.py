"""Waterfall from a run's peak rate to its achieved rate: the cost of each kind of lost time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from analysis.aie.gemm import Gemm, read_gemm
from analysis.aie.iteration_parts import BETWEEN, INSIDE, PARTS
from analysis.aie.iterations import measured_iterations, system_mask
from schema.array_types import Bools, Ints

EFFICIENCY, STALLS_INSIDE, OTHER, STALLS_BETWEEN, GAPS, START, WAITING, END = (
    "kernel_efficiency",
    "stalls_inside",
    "other_kernels",
    "stalls_between",
    "gaps",
    "start_skew",
    "waiting",
    "end_skew",
)
_PARTS_OF = {
    EFFICIENCY: ("compute",),
    STALLS_INSIDE: INSIDE,
    OTHER: ("other_kernels",),
    STALLS_BETWEEN: BETWEEN[:-1],
    GAPS: BETWEEN[-1:],
    START: ("start_skew",),
    WAITING: ("waiting",),
    END: ("end_skew",),
}
LOSSES = tuple(_PARTS_OF)
"""The steps between peak and achieved rate, in order."""


@dataclass(frozen=True)
class Waterfall:
    """The losses between peak and achieved rate of some iterations of some cores.

    `steps` is indexed by LOSSES with `ticks` (core-cycles lost), `share` (of the cores' time),
    `gmacs` (GMAC/s lost, float64) and `main_part`, the largest of its columns of `iteration_parts`
    (str). `peak` and `achieved` are GMAC/s: `peak - steps.gmacs.sum()` is `achieved`. Rates are NaN
    if peak or work is unknown, and `missing` then names the settings that they require; the other
    shares are still valid.
    """

    peak: float
    achieved: float
    cores: int
    iterations: int
    steps: pd.DataFrame
    missing: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> dict[str, dict[str, Any]]:
        """The rows of `steps` as dicts by step and column."""
        return {str(step): row for step, row in self.steps.to_dict("index").items()}

    @property
    def has_rates(self) -> bool:
        """Whether the waterfall's peak and work are known, so that its losses are rates and not
        only shares.
        """
        return bool(np.isfinite(self.peak) and np.isfinite(self.achieved))

    @cached_property
    def largest(self) -> str | None:
        """Name of the step (in LOSSES) with the largest loss; None if no step has a
        loss above 0.
        """
        ticks = self.steps["ticks"].dropna()
        return str(ticks.idxmax()) if len(ticks) and ticks.max() > 0 else None


def waterfall(
    run: pd.DataFrame,
    iterations: pd.DataFrame,
    parts: pd.DataFrame,
    *,
    track: str | None = None,
    iteration: int | None = None,
) -> Waterfall | None:
    """Compute the losses in the iterations of `gmacs_mean`, or in one iteration, of all cores or of
    the core `track`.

    `run` and `iterations` are frames of a capture by method `robust`, `parts` is the frame that
    `analysis.aie.iteration_parts.iteration_parts` computes from them. Each loss is peak x
    core-cycles lost / core-cycles elapsed. None without such a complete iteration, or if the track
    has no rows.
    """
    rows = _rows(iterations, parts, track, iteration)
    total = float(rows["elapsed"].to_numpy(np.float64).sum())
    if not total > 0:
        return None
    gemm = read_gemm(run.iloc[0].to_dict())
    count = rows["iteration"].nunique()
    cores = round(len(rows) / count)
    each = gemm.peak_macs_per_cycle if gemm.peak_macs_per_cycle > 0 else np.nan
    peak = each * cores * gemm.clock_hz / 1e9
    ideal = float(rows["work_macs"].sum(skipna=False)) / each
    losses = _losses(rows, total, ideal, peak)
    return Waterfall(
        peak, peak * ideal / total, cores, count, losses, _missing(gemm, rows["work_macs"])
    )


def worst_place(
    iterations: pd.DataFrame,
    parts: pd.DataFrame,
    step: str,
    *,
    track: str | None = None,
    iteration: int | None = None,
) -> tuple[str, int] | None:
    """Return the core (track) with the largest summed loss in a step of `waterfall`, and the number
    of its iteration with the largest loss. None if the step is unknown or has no loss above 0.

    Only `track` and `iteration` are searched; by default all cores, and the iterations that count
    for the headline numbers. An iteration that is not complete has no loss.
    """
    if step not in _PARTS_OF:
        return None
    rows = _rows(iterations, parts, track, iteration)
    lost = rows[list(_PARTS_OF[step])].sum(axis=1)
    if not lost.gt(0).any():
        return None
    worst = str(lost.groupby(rows["track"]).sum().idxmax())
    return worst, int(rows.loc[lost[rows["track"] == worst].idxmax(), "iteration"])


def _rows(
    iterations: pd.DataFrame, parts: pd.DataFrame, track: str | None, iteration: int | None
) -> pd.DataFrame:
    numbers = _measured_iterations(iterations, iteration)
    is_chosen = np.isin(parts["iteration"].to_numpy(), numbers)
    if track is not None:
        is_chosen &= np.asarray(parts["track"].array == track, bool)
    return parts if is_chosen.all() else parts[is_chosen]


def _missing(gemm: Gemm, work: pd.Series[float]) -> tuple[str, ...]:
    """Return the names of the settings that peak and work still require; () if both are known.

    The work needs either the tile's or the GEMM's sizes; of these two sets the smaller missing set
    is named.
    """
    missing = [name for name in ("clock_hz", "peak_macs_per_cycle") if not getattr(gemm, name) > 0]
    if work.isna().any():
        ways = (("m", "k", "n"), ("M", "K", "N", "rows", "cols"))
        tile, whole = ([name for name in way if getattr(gemm, name) is None] for way in ways)
        missing += tile if len(tile) <= len(whole) else whole
    return tuple(missing)


def _measured_iterations(iterations: pd.DataFrame, iteration: int | None) -> Ints:
    """Return the numbers of the iterations of headline numbers, or of the selected iteration only.

    Empty if the selected iteration is not a complete one of the system.
    """
    numbers: Ints = iterations["iteration"].to_numpy(np.int64)
    if iteration is None:
        return numbers[measured_iterations(iterations)]
    system: Bools = system_mask(iterations) & iterations["complete"].to_numpy(bool)
    chosen: Ints = numbers[system & (numbers == iteration)]
    return chosen


def _losses(rows: pd.DataFrame, total: float, ideal: float, peak: float) -> pd.DataFrame:
    sums = {part: float(rows[part].to_numpy(np.float64).sum()) for part in PARTS}
    ticks = {step: sum(sums[part] for part in parts) for step, parts in _PARTS_OF.items()}
    # Only compute time beyond work / peak is lost; a negative loss means that kernels exceed the
    # peak.
    ticks[EFFICIENCY] -= ideal
    share = {step: lost / total for step, lost in ticks.items()}
    main = {step: max(parts, key=sums.__getitem__) for step, parts in _PARTS_OF.items()}
    gmacs = {step: part * peak for step, part in share.items()}
    return pd.DataFrame(
        {"ticks": ticks, "share": share, "gmacs": gmacs, "main_part": main}, index=list(LOSSES)
    )
