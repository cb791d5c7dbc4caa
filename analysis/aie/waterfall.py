"""From a run's peak rate to the rate it achieved: what each kind of lost time cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.aie.gemm import gemm_of
from analysis.aie.iteration_parts import BETWEEN, INSIDE, PARTS
from analysis.aie.iterations import SYSTEM
from analysis.headline import measured_iterations

PEAK, ACHIEVED = "peak", "achieved"
EFFICIENCY, STALLS_INSIDE, OTHER, GAPS, START, END = (
    "kernel_efficiency",
    "stalls_inside",
    "other_kernels",
    "gaps",
    "start_skew",
    "end_skew",
)
_PARTS_OF = {
    STALLS_INSIDE: INSIDE,
    OTHER: ("other_kernels",),
    GAPS: BETWEEN,
    START: ("start_skew",),
    END: ("end_skew",),
}
LOSSES = (EFFICIENCY, *_PARTS_OF)
"""The steps between peak and achieved, in order."""


@dataclass(frozen=True)
class Waterfall:
    """The losses between peak and achieved rate of some iterations of some cores.

    `steps` is indexed by LOSSES with `ticks` (core-cycles lost), `share` (of the cores' time) and `gmacs` (GMAC/s lost,
    float64), and `main_part`, the column of `iteration_parts` that most of it is (str). `peak` and `achieved` are
    GMAC/s: `peak - steps.gmacs.sum()` is `achieved`. NaN stands where peak or work is not known; other shares stay.
    """

    peak: float
    achieved: float
    cores: int
    iterations: int
    steps: pd.DataFrame

    @property
    def known(self) -> bool:
        """Return whether peak and work are known, so that losses are rates."""
        return bool(np.isfinite(self.peak) and np.isfinite(self.achieved))

    @property
    def largest(self) -> str | None:
        """Return the step that costs most; None where no step costs anything."""
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
    """Return the losses of the iterations that `gmacs_mean` rests on, or of one iteration, or of one core.

    `run` and `iterations` are frames of a capture by method `robust`, `parts` is theirs by
    `analysis.aie.iteration_parts.iteration_parts`. Each loss is peak x core-cycles lost / core-cycles elapsed.
    None where no complete perf iteration is there.
    """
    rows = parts[parts["iteration"].isin(_measured(iterations, iteration))]
    rows = rows if track is None else rows[rows["track"] == track]
    total = float(rows["elapsed"].astype("float64").sum())
    if not total > 0:
        return None
    gemm = gemm_of(run.iloc[0].to_dict())
    count = rows["iteration"].nunique()
    cores = round(len(rows) / count)
    each = gemm.peak_macs_per_cycle if gemm.peak_macs_per_cycle > 0 else np.nan
    peak = each * cores * gemm.clock_hz / 1e9
    ideal = float(rows["work_macs"].sum(skipna=False)) / each
    return Waterfall(peak, peak * ideal / total, cores, count, _losses(rows, total, ideal, peak))


def _measured(iterations: pd.DataFrame, iteration: int | None) -> pd.Series[int]:
    """Return the iterations that headlines rest on, or the selected one if it is complete."""
    if iteration is None:
        return measured_iterations(iterations)["iteration"]
    system = (iterations["track"] == SYSTEM) & iterations["complete"].astype(bool)
    return iterations.loc[system & (iterations["iteration"] == iteration), "iteration"]


def _losses(rows: pd.DataFrame, total: float, ideal: float, peak: float) -> pd.DataFrame:
    sums = rows[list(PARTS)].astype("float64").sum()
    ticks = {EFFICIENCY: float(sums["compute"]) - ideal}
    ticks |= {step: float(sums[list(parts)].sum()) for step, parts in _PARTS_OF.items()}
    share = pd.Series(ticks, dtype="float64") / total
    main = {EFFICIENCY: "compute"} | {step: str(sums[list(parts)].idxmax()) for step, parts in _PARTS_OF.items()}
    return pd.DataFrame({"ticks": ticks, "share": share, "gmacs": share * peak, "main_part": main}, index=list(LOSSES))
