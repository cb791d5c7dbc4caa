"""Diagnose a capture: lost and repeated markers, a cut tail, lost time, missing cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from analysis.aie.above_peak import find_rates_above_peak
from analysis.aie.core_events import LOCK_STALL, START_MARKER
from analysis.aie.gemm import Gemm
from analysis.aie.iterations import system_mask
from analysis.aie.kernel_markers import DUPLICATE_END, DUPLICATE_START, LOST_END, LOST_START
from analysis.aie.kernels import MERGED, OUTSIDE, CoreKernels, ends_on_a_start
from schema.array_types import Ints
from schema.diagnostics import Diagnostic
from schema.plurals import first_names, plural

SYNC_CYCLES = 1 << 18
"""Period of the 18-bit gap counter, in cycles.

Decoders that drop the event of the counter's wrap lose this many cycles (mlir-aie PR 3668).
"""
_SYNC_TOLERANCE = 0.15
_MAX_NAMES = 6
_STAGGER = 0.05


def capture_health(
    cores: Sequence[CoreKernels], tracks: pd.DataFrame, iterations: pd.DataFrame, gemm: Gemm
) -> list[Diagnostic]:
    """Collect the findings of a capture in the order of the checks, [] if there are none; each kind
    of problem is one finding for all cores.
    """
    checks = (
        _dead_cores,
        _missing_cores,
        _fewer_iterations,
        _markers_lost,
        _markers_repeated,
        _outliers,
        _cut_tail,
        _phantom,
        _opening,
        _boundaries,
    )
    findings = [finding for check in checks for finding in check(cores, gemm)]
    findings += _lost_time(cores)
    findings += _settings(cores, tracks, gemm)
    findings += _cores_staggered(iterations)
    findings += find_rates_above_peak(cores, iterations, gemm)
    return findings


def _sum_over_cores(
    cores: Sequence[CoreKernels], count: Callable[[CoreKernels], int]
) -> tuple[int, str]:
    """Return the sum of a count over cores, and the joined names of the cores with a count above 0
    (at most 6 of them, then `and N more`).
    """
    counts = {core.core.track: count(core) for core in cores}
    return sum(counts.values()), first_names(
        [name for name, value in counts.items() if value], _MAX_NAMES
    )


def _with_reason(*reasons: str) -> Callable[[CoreKernels], int]:
    return lambda core: sum(
        int(np.count_nonzero(core.kernels.reason == reason)) for reason in reasons
    )


def _dead_cores(cores: Sequence[CoreKernels], gemm: Gemm) -> list[Diagnostic]:
    dead = [core.core.track for core in cores if not len(core.work.start)]
    if not dead:
        return []
    where = first_names(dead, _MAX_NAMES)
    if len(dead) == len(cores):
        message = "no complete kernel on any traced core: rates cannot be computed"
        return [Diagnostic("error", "no_kernels", message, where)]
    have = "has" if len(dead) == 1 else "have"
    text = f"{len(dead)} of {plural(len(cores), 'traced core')} {have} no kernel: the numbers use the other cores"
    return [Diagnostic("warning", "no_kernels", text, where, len(dead))]


def _missing_cores(cores: Sequence[CoreKernels], gemm: Gemm) -> list[Diagnostic]:
    if not cores:
        return [Diagnostic("error", "no_cores", "no core is traced, so there are no kernels", "")]
    if gemm.cores is None or gemm.cores == len(cores):
        return []
    text = (
        f"{plural(len(cores), 'core')} traced, {gemm.rows} x {gemm.cols} = {gemm.cores} share the work: "
        "the system is credited with the traced cores' share"
    )
    return [Diagnostic("warning", "cores_traced", text, "", len(cores))]


def _fewer_iterations(cores: Sequence[CoreKernels], gemm: Gemm) -> list[Diagnostic]:
    counts = {
        core.core.track: len(core.split.complete) for core in cores if len(core.split.complete)
    }
    most = max(counts.values(), default=0)
    short = [track for track, count in counts.items() if count < most]
    if not short:
        return []
    text = (
        f"{plural(len(short), 'core')} of {len(cores)} with fewer iterations than others ({counts[short[0]]} against "
        f"{most}): the missing ones use the other cores"
    )
    return [
        Diagnostic("warning", "iterations_fewer", text, first_names(short, _MAX_NAMES), len(short))
    ]


def _markers_lost(cores: Sequence[CoreKernels], gemm: Gemm) -> list[Diagnostic]:
    starts, _ = _sum_over_cores(cores, _with_reason(LOST_START))
    ends, _ = _sum_over_cores(cores, _with_reason(LOST_END))
    merged, _ = _sum_over_cores(cores, _with_reason(MERGED))
    total, where = _sum_over_cores(cores, _with_reason(LOST_START, LOST_END, MERGED))
    if not total:
        return []
    text = f"markers were lost: {plural(ends, 'kernel')} without an end, {starts} without a start, {merged} without a gap"
    return [Diagnostic("warning", "markers_lost", f"{text}; each affects one kernel", where, total)]


def _markers_repeated(cores: Sequence[CoreKernels], gemm: Gemm) -> list[Diagnostic]:
    total, where = _sum_over_cores(cores, _with_reason(DUPLICATE_START, DUPLICATE_END))
    text = f"{plural(total, 'marker')} repeated within a quarter of a median kernel: merged with the previous marker"
    return [Diagnostic("info", "markers_repeated", text, where, total)] if total else []


def _outliers(cores: Sequence[CoreKernels], gemm: Gemm) -> list[Diagnostic]:
    total, where = _sum_over_cores(cores, _with_reason(OUTSIDE))
    seen = sum(len(core.kernels) for core in cores)
    text = f"{total} of {plural(seen, 'kernel')} left out: {OUTSIDE}"
    return [Diagnostic("info", "kernels_outside", text, where, total)] if total else []


def _cut_tail(cores: Sequence[CoreKernels], gemm: Gemm) -> list[Diagnostic]:
    cut = [core for core in cores if len(core.split.complete) and not core.split.complete[-1]]
    if not cut:
        return []
    where = first_names([core.core.track for core in cut], _MAX_NAMES)
    if cut[0].split.size is None:
        text = "one iteration found; set m, k and n to check whether it is complete"
        return [Diagnostic("warning", "iteration_unknown", text, where, len(cut))]
    first = cut[0]
    last = int(first.split.iteration[-1])
    kernels = int(first.work.weight[first.split.iteration == last].sum())
    text = (
        f"the capture ended inside an iteration on {len(cut)} of {plural(len(cores), 'core')} ({first.core.track}: {kernels} of "
        f"{plural(first.split.size or 0, 'kernel')} of iteration {last}): it counts with the work of those kernels only"
    )
    return [Diagnostic("warning", "tail_cut", text, where, len(cut))]


def _phantom(cores: Sequence[CoreKernels], gemm: Gemm) -> list[Diagnostic]:
    total, where = _sum_over_cores(
        cores, lambda core: int(ends_on_a_start(core.core, core.core.spans_of_event(START_MARKER)))
    )
    text = f"the last entry on {plural(total, 'core')} is a kernel start, which zero padding decodes to: not counted"
    return [Diagnostic("info", "phantom_tail", text, where, total)] if total else []


def _opening(cores: Sequence[CoreKernels], gemm: Gemm) -> list[Diagnostic]:
    def opening(core: CoreKernels) -> int:
        stall = core.core.spans_of_event(LOCK_STALL)
        if not len(core.work.start) or not core.median:
            return 0
        before = stall.end <= core.work.start[0]
        return int((before & (stall.end - stall.start >= gemm.boundary_factor * core.median)).any())

    total, where = _sum_over_cores(cores, opening)
    text = f"a long stall before the first kernel on {plural(total, 'core')}: not counted as an iteration"
    return [Diagnostic("info", "opening_stall", text, where, total)] if total else []


def _boundaries(cores: Sequence[CoreKernels], gemm: Gemm) -> list[Diagnostic]:
    findings = []
    silent, where = _sum_over_cores(cores, lambda core: core.split.silent)
    if silent:
        text = f"{plural(silent, 'iteration')} without a long stall before it: split by the expected number of kernels"
        findings.append(Diagnostic("info", "boundary_by_count", text, where, silent))
    inside, where = _sum_over_cores(cores, lambda core: core.split.inside)
    if inside:
        text = f"{plural(inside, 'long stall')} inside an iteration: not counted as its end"
        findings.append(Diagnostic("info", "stall_inside", text, where, inside))
    odd = [core for core in cores if core.split.by == "pauses" and gemm.kernels_per_iteration]
    if odd:
        text = (
            f"{plural(odd[0].split.size or 0, 'kernel')} per iteration found, {gemm.kernels_per_iteration} expected from "
            "M, K, N, m, k, n and the cores: check these settings"
        )
        location = first_names([core.core.track for core in odd], _MAX_NAMES)
        findings.append(Diagnostic("warning", "kernels_unexpected", text, location, len(odd)))
    return findings


def _lost_time(cores: Sequence[CoreKernels]) -> list[Diagnostic]:
    """Find pauses between iterations that are shorter than the median pause by a multiple of
    SYNC_CYCLES (2^18), within 15 % of that; one finding with the number of lost wraps.

    Empty without such pauses, or with fewer than 3 pauses on all cores.
    """
    gaps = {core.core.track: _boundary_gaps(core) for core in cores}
    pauses = np.concatenate([*gaps.values(), np.empty(0, np.int64)])
    if len(pauses) < 3:
        return []
    usual = float(np.median(pauses))

    def wraps(gap: Ints) -> int:
        times = np.round((usual - gap) / SYNC_CYCLES)
        fits = np.abs(usual - gap - times * SYNC_CYCLES) <= _SYNC_TOLERANCE * SYNC_CYCLES
        return int(times[fits & (times >= 1)].sum())

    lost = {track: wraps(gap) for track, gap in gaps.items()}
    total = sum(lost.values())
    if not total:
        return []
    text = (
        f"pauses between iterations are short by {total} x {SYNC_CYCLES} cycles: an old decoder dropped the timer's "
        "wrap, so time between iterations is missing"
    )
    where = first_names([track for track, n in lost.items() if n], _MAX_NAMES)
    return [Diagnostic("warning", "time_lost", text, where, total)]


def _boundary_gaps(core: CoreKernels) -> Ints:
    cut = np.flatnonzero(np.diff(core.split.iteration))
    return core.work.start[cut + 1] - core.work.end[cut]


def _settings(cores: Sequence[CoreKernels], tracks: pd.DataFrame, gemm: Gemm) -> list[Diagnostic]:
    unknown = [
        n
        for n in ("M", "K", "N", "m", "k", "n", "rows", "cols", "warmup", "iterations")
        if getattr(gemm, n) is None
    ]
    findings = []
    if unknown and gemm.macs_per_core is None and gemm.macs_per_kernel is None:
        needed = "it needs M, K, N, rows and cols, or m, k and n"
        text = f"GMAC/s is missing: {needed}; not set: {', '.join(unknown)}"
        findings.append(Diagnostic("warning", "settings_unknown", text, "", len(unknown)))
    elif unknown:
        text = f"{', '.join(unknown)} not set: iterations are split at long lock stalls"
        findings.append(Diagnostic("info", "settings_unknown", text, "", len(unknown)))
    elif gemm.kernels_per_iteration is None:
        text = "the GEMM's tiles do not divide evenly among the cores: the number of kernels is not checked"
        findings.append(Diagnostic("info", "tiles_uneven", text))
    total = gemm.total_iterations
    iterations = max((len(core.split.complete) for core in cores), default=0)
    if total is not None and cores and iterations != total:
        text = f"{plural(iterations, 'iteration')} found, {gemm.warmup} warm-up and {gemm.iterations} measured expected"
        severity = "warning" if iterations < total else "info"
        findings.append(Diagnostic(severity, "iterations_unexpected", text, "", iterations))
    return findings


def _cores_staggered(iterations: pd.DataFrame) -> list[Diagnostic]:
    rows = system_mask(iterations) & iterations["complete"].to_numpy(bool)
    elapsed, span = (iterations[name].to_numpy()[rows] for name in ("elapsed", "span"))
    late = elapsed > (1 + _STAGGER) * span
    if not late.any():
        return []
    ratio = float((elapsed[late] / span[late]).max())
    text = (
        f"cores are staggered in {plural(int(late.sum()), 'iteration')}: from the earliest start to the latest end "
        f"takes up to {ratio:.2f} times the longest span of a core; rates use the elapsed time"
    )
    return [Diagnostic("info", "cores_staggered", text, "", int(late.sum()))]
