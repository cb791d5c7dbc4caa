"""Method `reference`: compute kernels and iterations as the team's post-processing script does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.aie.core_events import END_MARKER, LOCK_STALL, START_MARKER, CoreEvents
from analysis.aie.gemm import Gemm
from analysis.aie.iteration_groups import IterationGroups
from analysis.aie.iterations import SYSTEM, build_iterations, join_columns, per_iteration, ratio
from analysis.aie.reference_pairs import ReferencePairs, greedy_pairs, reference_pairs
from schema.array_types import Floats, Ints
from schema.arrays import Columns, repeat_texts
from schema.frames import conform, empty

OUTSIDE = "outside 1/3 to 3 medians"
_LATEST = 2**62


@dataclass(frozen=True)
class ReferenceCore:
    """A core by the script's rules.

    `iteration` has the iteration of each kept kernel, `boundaries` the ends of the long lock stalls
    (ticks).
    """

    core: CoreEvents
    pairs: ReferencePairs
    boundaries: Ints
    iteration: Ints

    @property
    def iteration_count(self) -> int:
        """Number of the core's iterations that the script counts, empty iterations before the last
        one included; 0 without kernels.
        """
        return int(self.iteration[-1]) + 1 if len(self.iteration) else 0


def reference_cores(cores: list[CoreEvents], gemm: Gemm) -> list[ReferenceCore]:
    """Return the cores that the script would report (their process name contains `core_trace`), in
    the order given; [] if there are none.
    """
    # The script only knows units with the current process names.
    return [_reference_core(core, gemm) for core in cores if "core_trace" in core.process]


def _reference_core(core: CoreEvents, gemm: Gemm) -> ReferenceCore:
    # By label and not by event: the script does not know the names in files before 2024.
    starts = core.spans_of_label(START_MARKER)
    ends = core.spans_of_label(END_MARKER)
    pairs = reference_pairs(starts.start[starts.opened], np.sort(ends.end[ends.closed]))
    boundaries = np.empty(0, np.int64)
    if pairs.median:
        stalls = core.spans_of_label(LOCK_STALL)
        begin, end = greedy_pairs(stalls.start[stalls.opened], np.sort(stalls.end[stalls.closed]))
        boundaries = np.unique(end[end - begin >= gemm.boundary_factor * pairs.median])
    # A kernel after a boundary is in the next iteration, even if the previous iteration is empty.
    return ReferenceCore(
        core, pairs, boundaries, np.searchsorted(boundaries, pairs.start[pairs.kept], side="left")
    )


def reference_kernels(cores: list[ReferenceCore], gemm: Gemm) -> pd.DataFrame:
    """Build frame `kernels` by the script's rules, core by core; all kernels are `main`, and
    kernels that are left out have no iteration. Empty without cores.
    """
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
    """Build frame `iterations` by the script's rules: a row per core and iteration, then a `system`
    row for each perf iteration that every core has. Empty if no core has an iteration.
    """
    seen = [core for core in cores if core.iteration_count]
    if not seen:
        return empty("iterations")
    own = join_columns([_core_columns(core, gemm) for core in seen])
    common = min(core.iteration_count for core in cores)
    perf = [i for i in range(common) if gemm.phase(i) == "perf"]
    tracks = [core.core.track for core in seen]
    counts = [core.iteration_count for core in seen]
    if perf:
        own = join_columns([own, _system_columns(own, perf, len(cores), gemm)])
    return build_iterations(repeat_texts([*tracks, SYSTEM], [*counts, len(perf)]), own, gemm)


def _core_columns(core: ReferenceCore, gemm: Gemm) -> Columns:
    """Compute the columns of a core's rows, a row per iteration in order.

    An iteration without kernels has zeros, and `timed` is False: it has no first start and last
    end. Work is NaN if the settings do not give it.
    """
    start = core.pairs.start[core.pairs.kept]
    end = core.pairs.end[core.pairs.kept]
    limits = np.searchsorted(core.iteration, np.arange(core.iteration_count + 1))
    durations = per_iteration(end - start, core.iteration, core.iteration_count)
    timed = durations["known"]
    first = start[limits[:-1] * timed]
    last = end[(limits[1:] - 1) * timed]
    span = np.where(timed, last - first, 0)
    # The script credits even a truncated iteration with the full share of the work.
    macs = np.full(
        core.iteration_count, np.nan if gemm.macs_per_core is None else gemm.macs_per_core
    )
    return durations | {
        "iteration": np.arange(core.iteration_count),
        "kernels": durations["measured"],
        "average": durations["kernel_ticks"] / np.maximum(1, durations["measured"]),
        "minimum": np.where(timed, durations["minimum"], 0),
        "known": np.ones(core.iteration_count, bool),
        "span": span,
        "elapsed": span,
        "first_start": first,
        "last_end": last,
        "timed": timed,
        "work_macs": macs,
        "utilization": ratio(macs, span * gemm.peak_macs_per_cycle * 1),
        **_constant(core.iteration_count, gemm.kernels_per_iteration, 1),
        "gmacs_per_s": _rates(macs, span, gemm),
    }


def _constant(count: int, expected: int | None, cores: int) -> Columns:
    return {
        "expected": np.full(count, -1 if expected is None else expected),
        "cores": np.full(count, cores),
        "complete": np.ones(count, bool),
    }


def _rates(macs: Floats, span: Ints, gemm: Gemm) -> Floats:
    """Compute the rate in GMAC/s of each pair of work (MAC) and span (ticks); NaN if the work is
    unknown, 0 if it is known and the span is 0.
    """
    return np.where(np.isnan(macs) | (span > 0), ratio(macs * (gemm.clock_hz / 1e9), span), 0.0)


def _system_columns(own: Columns, perf: list[int], cores: int, gemm: Gemm) -> Columns:
    """Compute the columns of the system's rows, one for each iteration in `perf`, which every core
    has.

    `span` is the longest span of a core, and rates and utilization are relative to it; `cores`
    counts the cores. Work is NaN if the settings do not give it.
    """
    groups = IterationGroups.of(own["iteration"], np.isin(own["iteration"], perf))
    kernels = groups.total(own["kernels"])
    ticks = groups.total(own["kernel_ticks"])
    span = groups.most(own["span"])
    # A core without kernels in an iteration has no first start and no last end.
    first = groups.least(np.where(own["timed"], own["first_start"], _LATEST))
    last = groups.most(np.where(own["timed"], own["last_end"], -_LATEST))
    timed = groups.most(own["timed"])
    macs = np.full(len(span), np.nan if gemm.macs is None else gemm.macs)
    expected = gemm.kernels_per_iteration
    return {
        "iteration": groups.key,
        "kernels": kernels,
        "measured": kernels,
        "average": ticks / np.maximum(1, kernels),
        "minimum": groups.least(own["minimum"]),
        "maximum": groups.most(own["maximum"]),
        "known": np.ones(len(span), bool),
        "kernel_ticks": ticks,
        "span": span,
        "elapsed": np.where(timed, last - first, 0),
        "first_start": first,
        "last_end": last,
        "timed": timed,
        "work_macs": macs,
        "utilization": ratio(macs, span * gemm.peak_macs_per_cycle * (gemm.cores or cores)),
        **_constant(len(span), None if expected is None else expected * cores, cores),
        "gmacs_per_s": _rates(macs, span, gemm),
    }
