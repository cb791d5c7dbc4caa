"""Compare the terms of a prediction with the measured terms.

Residual = (predicted - measured) / measured. A full trace buffer covers a part of a call, so that
the total never comes from the trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from schema.predictions import TERMS

_MAIN = "main"
_NO_PREDICTION = "the model's files have no such value"
_NO_BASE = "0 cycles were measured, so that there is no relative error"


@dataclass(frozen=True)
class Measurement:
    """A measured term in cycles, and the source of the measurement; `reason` explains a `None`."""

    cycles: float | None
    source: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class Term:
    """A predicted and a measured term in cycles; `residual` is `None` if either is not known."""

    name: str
    predicted: float | None
    predicted_from: str | None
    measured: Measurement

    @property
    def residual(self) -> float | None:
        """Compute the relative error of a prediction, (predicted - measured) / measured.

        None if either number is unknown, or if 0 cycles were measured.
        """
        if self.predicted is None or not self.measured.cycles:
            return None
        return (self.predicted - self.measured.cycles) / self.measured.cycles

    @property
    def reason(self) -> str | None:
        """Why there is no residual; `None` if there is one."""
        if self.residual is not None:
            return None
        return self.measured.reason or (_NO_PREDICTION if self.predicted is None else _NO_BASE)


def main_kernels(kernels: pd.DataFrame) -> pd.DataFrame:
    """Return the main kernels with both markers."""
    is_main = (kernels["name"].astype(str) == _MAIN) & kernels["duration"].notna()
    return kernels[is_main]


def compare_terms(
    predictions: pd.DataFrame,
    run: Mapping[str, Any],
    kernels: pd.DataFrame,
    tracks: pd.DataFrame,
    events: pd.DataFrame,
) -> list[Term]:
    """Compare all terms, in the order of `TERMS`; `run` is the row of frame `run`."""
    main = main_kernels(kernels)
    measured = {
        "compute": _compute(main),
        "wait": _wait(main, tracks, events),
        "period": _period(main),
        "total": _total(run),
    }
    given = predictions.set_index(predictions["term"].astype(str))
    return [
        Term(
            name,
            float(given["predicted"][name]) if name in given.index else None,
            str(given["predicted_from"][name]) if name in given.index else None,
            measured[name],
        )
        for name in TERMS
    ]


def _compute(kernels: pd.DataFrame) -> Measurement:
    """Compute the median duration of the main kernels of all cores."""
    if kernels.empty:
        return Measurement(None, reason="the trace has no main kernel with both markers")
    return Measurement(float(kernels["duration"].astype("int64").median()), "kernels")


def _wait(kernels: pd.DataFrame, tracks: pd.DataFrame, events: pd.DataFrame) -> Measurement:
    """Compute the time of LOCK_STALL per main kernel of a core, as the mean over cores."""
    if kernels.empty:
        return Measurement(None, reason="the trace has no main kernel with both markers")
    counts = kernels.groupby(kernels["track"].astype(str)).size()
    stalls = events[events["name"].astype(str) == "LOCK_STALL"]
    cycles = (stalls["end"] - stalls["start"]).groupby(stalls["track"].astype(str)).sum()
    traced = {
        str(track)
        for track, names in zip(tracks["track"], tracks["traced"], strict=True)
        if not pd.isna(names) and "LOCK_STALL" in str(names).split()
    }
    cores = [core for core in counts.index if core in traced or core in cycles.index]
    if not cores:
        return Measurement(None, reason="LOCK_STALL of cores with kernels was not traced")
    waits = cycles.reindex(cores, fill_value=0) / counts.reindex(cores)
    return Measurement(float(waits.mean()), "LOCK_STALL")


def _period(kernels: pd.DataFrame) -> Measurement:
    """Compute the median distance of kernel starts on a core."""
    ordered = kernels.sort_values(["track", "start"], kind="stable")
    distance = ordered["start"].astype("int64").groupby(ordered["track"].astype(str)).diff()
    known = distance.dropna().to_numpy(np.float64)
    if not len(known):
        return Measurement(None, reason="no core has two main kernels in the trace")
    return Measurement(float(np.median(known)), "kernels")


def _total(run: Mapping[str, Any]) -> Measurement:
    """Compute the cycles of the fastest call by the host's clock."""
    least = run.get("wall_clock_min_us")
    clock = run.get("clock_hz")
    if least is None or pd.isna(least) or not least:
        reason = "no wall-clock time: run_trace.log with `Min NPU matmul time` is missing beside the trace"
        return Measurement(None, reason=reason)
    if clock is None or pd.isna(clock):
        return Measurement(None, reason="the clock of the run is not known (clock_hz)")
    return Measurement(float(least) * float(clock) / 1e6, "wall clock")
