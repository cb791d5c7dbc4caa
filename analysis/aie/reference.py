"""Method `reference`: what the team's post-processing script computes from an AIE trace."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.core_events import END_MARKER, LOCK_STALL, START_MARKER, CoreEvents, core_events
from analysis.aie.gemm import Gemm
from analysis.aie.reference_pairs import ReferencePairs, greedy_pairs, reference_pairs
from schema.frames import conform, empty

OUTSIDE = "outside 1/3 to 3 medians"


@dataclass(frozen=True)
class ReferenceCore:
    """One core by the script's rules; `iteration` is that of each kept kernel, `boundaries` the stalls' ends."""

    core: CoreEvents
    pairs: ReferencePairs
    boundaries: npt.NDArray[np.int64]
    iteration: npt.NDArray[np.int64]

    @property
    def detected(self) -> int:
        """Return how many iterations the script counts; empty ones included."""
        return int(self.iteration[-1]) + 1 if len(self.iteration) else 0


def reference_cores(tracks: pd.DataFrame, events: pd.DataFrame, gemm: Gemm) -> list[ReferenceCore]:
    """Return every core that the script would report, in its order."""
    cores = [core for core in core_events(tracks, events) if "core_trace" in core.process]
    return [_reference_core(core, gemm) for core in cores]


def _reference_core(core: CoreEvents, gemm: Gemm) -> ReferenceCore:
    starts, ends = core.labelled(START_MARKER), core.labelled(END_MARKER)
    pairs = reference_pairs(starts.start[starts.opened], np.sort(ends.end[ends.closed]))
    boundaries = np.empty(0, np.int64)
    if pairs.median:
        stalls = core.labelled(LOCK_STALL)
        begin, end = greedy_pairs(stalls.start[stalls.opened], np.sort(stalls.end[stalls.closed]))
        boundaries = np.unique(end[end - begin >= gemm.boundary_factor * pairs.median])
    return ReferenceCore(core, pairs, boundaries, np.searchsorted(boundaries, pairs.start[pairs.kept], side="left"))


def reference_kernels(cores: list[ReferenceCore], gemm: Gemm) -> pd.DataFrame:
    """Return frame `kernels`."""
    parts = []
    for core in cores:
        iteration = pd.array([pd.NA] * len(core.pairs.start), dtype="Int64")
        iteration[core.pairs.kept] = core.iteration
        phase = np.full(len(core.pairs.start), None, dtype=object)
        phase[core.pairs.kept] = [gemm.phase(int(i)) for i in core.iteration]
        parts.append(
            pd.DataFrame(
                {
                    "track": core.core.track,
                    "kernel": np.arange(len(core.pairs.start)),
                    "name": "main",
                    "start": core.pairs.start,
                    "end": core.pairs.end,
                    "duration": core.pairs.end - core.pairs.start,
                    "iteration": iteration,
                    "phase": phase,
                    "kept": core.pairs.kept,
                    "reason": np.where(core.pairs.kept, "", OUTSIDE),
                }
            )
        )
    return conform("kernels", pd.concat(parts, ignore_index=True)) if parts else empty("kernels")


def reference_iterations(cores: list[ReferenceCore], gemm: Gemm) -> pd.DataFrame:
    """Return frame `iterations`: a row per core and iteration, then `system` over the perf ones that every core has."""
    rows = [row for core in cores for row in _core_rows(core, gemm)]
    frame = conform("iterations", pd.DataFrame(rows)) if rows else empty("iterations")
    system = _system_rows(frame, len(cores), gemm)
    if not system:
        return frame
    both = pd.concat([frame.astype({"track": "str"}), pd.DataFrame(system)], ignore_index=True)
    return conform("iterations", both)


def _core_rows(core: ReferenceCore, gemm: Gemm) -> list[dict[str, object]]:
    start, end = core.pairs.start[core.pairs.kept], core.pairs.end[core.pairs.kept]
    limits = np.searchsorted(core.iteration, np.arange(core.detected + 1))
    return [
        _core_row(core.core.track, i, start[a:b], end[a:b], gemm) for i, (a, b) in enumerate(itertools.pairwise(limits))
    ]


def _core_row(
    track: str, iteration: int, start: npt.NDArray[np.int64], end: npt.NDArray[np.int64], gemm: Gemm
) -> dict[str, object]:
    count = len(start)
    duration = end - start
    span = int(end[-1] - start[0]) if count else 0
    rate = gemm.rate(gemm.macs_per_core, span)
    return {
        "track": track,
        "iteration": iteration,
        "phase": gemm.phase(iteration),
        "kernels": count,
        "measured": count,
        "expected": pd.NA if gemm.kernels_per_iteration is None else gemm.kernels_per_iteration,
        "average": int(duration.sum()) / count if count else 0.0,
        "minimum": int(duration.min()) if count else 0,
        "maximum": int(duration.max()) if count else 0,
        "kernel_ticks": int(duration.sum()),
        "span": span,
        "elapsed": span,
        "first_start": int(start[0]) if count else pd.NA,
        "last_end": int(end[-1]) if count else pd.NA,
        "complete": True,
        "work_macs": gemm.macs_per_core,
        "gmacs_per_s": 0.0 if rate is None and gemm.macs_per_core is not None else rate,
        "utilization": gemm.utilization(gemm.macs_per_core, span, 1),
        "cores": 1,
    }


def _system_rows(rows: pd.DataFrame, cores: int, gemm: Gemm) -> list[dict[str, object]]:
    """Return the aggregate of the iterations that are perf on every core: the longest span counts."""
    perf = rows[rows["phase"] == "perf"]
    out: list[dict[str, object]] = []
    for iteration, group in perf.groupby("iteration", sort=True):
        if len(group) != cores:
            continue
        span = int(group["span"].max())
        rate = gemm.rate(gemm.macs, span)
        out.append(
            {
                "track": "system",
                "iteration": iteration,
                "phase": "perf",
                "kernels": int(group["kernels"].sum()),
                "measured": int(group["kernels"].sum()),
                "expected": pd.NA if gemm.kernels_per_iteration is None else gemm.kernels_per_iteration * cores,
                "average": float(group["kernel_ticks"].sum() / max(1, group["kernels"].sum())),
                "minimum": group["minimum"].min(),
                "maximum": group["maximum"].max(),
                "kernel_ticks": int(group["kernel_ticks"].sum()),
                "span": span,
                "elapsed": int((group["last_end"].max() - group["first_start"].min()) if group["kernels"].sum() else 0),
                "first_start": group["first_start"].min(),
                "last_end": group["last_end"].max(),
                "complete": True,
                "work_macs": gemm.macs,
                "gmacs_per_s": 0.0 if rate is None and gemm.macs is not None else rate,
                "utilization": gemm.utilization(gemm.macs, span, gemm.cores or cores),
                "cores": cores,
            }
        )
    return out
