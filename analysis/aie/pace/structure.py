"""Coupling of cores: whether cores wait for each other, and by which structure."""

from __future__ import annotations

import numpy as np

from analysis.aie.pace.fit import Structure, fit_common, fit_structure
from analysis.aie.pace.kernel_times import KernelTimes
from analysis.aie.pace.stall_fit import AGREE
from analysis.aie.pace.streams import Family, all_family
from schema.array_types import Bools

_COUPLED_SLOPE, _FREE_SLOPE = -0.4, -0.05
"""Slope of stalls on the time since the previous stall: of coupled cores below, of free ones above.

Measured: -0.65 to -1.35 and -0.02 to 0.
"""
_MIN_STALLS = 60
"""Stalls that a slope needs to decide."""
_MAX_COST, _MAX_LONG_COST = 0.8, 2.0
"""Cost of a structure relative to the spread of the stalls, at most, if the slope cannot decide."""
_MAX_COMMON_COST = 3.0
"""Cost in ticks of one short lag for all cores, at most, if the slope cannot decide."""
_LONG = 4.0
"""Median of long stalls relative to the cost, at least."""
_MIN_TOGETHER = 0.5
"""Share of stalls that end together, at least, if cores wait for the same block."""
_MAX_FITTED, _MIN_ROWS, _MIN_KERNELS = 5_000, 3, 32
"""Kernels that take part in a fit, from at least 3 iterations, and of each core at least 32."""


def find_structure(times: KernelTimes, families: tuple[Family, ...]) -> Structure | None:
    """Fit how the cores of a capture wait for each other; None when they do not, when the stalls do
    not show it, or with fewer than 2 cores or 3 kernels.
    """
    rows, cores, kernels = times.end.shape
    if cores < 2 or kernels < 3 or not rows:
        return None
    sample = _sample(times)
    if not sample.is_stalled[..., 1:].any():
        return None
    slope, waits = slope_of_stalls(sample)
    if slope is not None and slope > _FREE_SLOPE and waits >= _MIN_STALLS:
        return None
    best = _fit(sample, families)
    if best is None:
        return None
    if slope is not None and slope < _COUPLED_SLOPE and waits >= _MIN_STALLS:
        return best
    return best if _is_explained(sample, best) else None


def _sample(times: KernelTimes) -> KernelTimes:
    """Select rows whose length is within 15 % of the median, at equal distances, and the first
    kernels of each, for the fit: about 5,000 kernels, but at least 3 rows (if there are so many)
    and 32 kernels per core.
    """
    _, cores, kernels = times.end.shape
    usual = np.flatnonzero(times.is_usual)
    rows = int(np.clip(_MAX_FITTED // (cores * kernels), _MIN_ROWS, len(usual)))
    chosen = usual[np.unique(np.linspace(0, len(usual) - 1, rows).round().astype(np.int64))]
    return times.part(chosen, max(_MAX_FITTED // (cores * rows), _MIN_KERNELS))


def _fit(sample: KernelTimes, families: tuple[Family, ...]) -> Structure | None:
    common = all_family(sample.end.shape[1])
    tried = [fit_common(sample, common, own_stalls(sample, (common,)))]
    if families:
        tried.append(fit_structure(sample, families, own_stalls(sample, families)))
    found = [structure for structure in tried if structure is not None]
    return min(
        found,
        key=lambda structure: structure.cost * (1 + 0.01 * sum(structure.depths)),
        default=None,
    )


def own_stalls(times: KernelTimes, families: tuple[Family, ...]) -> Bools:
    """Flag the stalls (rows x cores x kernels) of a core's own: in each of its families, another
    core of its stream had begun this kernel more than AGREE (30) ticks before the stall ended.
    """
    own = times.is_stalled.copy()
    for family in families:
        own &= times.ready > family.others_earliest(times.start) + AGREE
    return own


def slope_of_stalls(times: KernelTimes) -> tuple[float | None, int]:
    """Compute the slope of the stall on the time since the previous stall's end, and count the
    stalls; the slope is None if the times do not vary or there are no stalls.

    Near -1, cores wait for something outside: they wait less if their own kernel took longer. Near
    0, a stall follows the core's own kernel.
    """
    time = times.free[..., 1:] - times.ready[..., :-1]
    stall = times.stall[..., 1:]
    waited = times.is_stalled[..., 1:]
    if len(time) > 1:
        # A part that recurs at the same kernel of all cores would hide the slope.
        time = time - time.mean(axis=0)
        stall = stall - stall.mean(axis=0)
    time = time - time.mean(axis=2, keepdims=True)
    stall = stall - stall.mean(axis=2, keepdims=True)
    spread = float((time * time).sum())
    share = float(waited.mean())
    if not spread or not share:
        return None, int(waited.sum())
    return float((time * stall).sum()) / spread / share, int(waited.sum())


def _is_explained(times: KernelTimes, structure: Structure) -> bool:
    """Whether a structure explains the stalls, when their slope does not decide.

    Its cost is below 0.8 times the spread of the stalls, or below 2 times it if their median is
    above 4 times the cost or most end together; or it is a common lag with a cost up to 3 ticks.
    False without such stalls.
    """
    counted = times.is_stalled & ~own_stalls(times, structure.families)
    stalls = times.stall[counted]
    if not len(stalls) or not any(
        np.isfinite(values).any() for values in (*structure.lags, *structure.paces)
    ):
        return False
    if structure.families[0].word == "all" and structure.cost <= _MAX_COMMON_COST:
        # No core begins within the timers' tolerance of the last of all by chance.
        return True
    spread = float(np.abs(stalls - np.median(stalls)).mean())
    if structure.cost < _MAX_COST * spread:
        return True
    is_long = float(np.median(stalls)) > _LONG * structure.cost
    return structure.cost < _MAX_LONG_COST * spread and (
        is_long or _end_together(times, structure, counted)
    )


def _end_together(times: KernelTimes, structure: Structure, counted: Bools) -> bool:
    """Whether more than half of the counted stalls end within AGREE (30) ticks of a stall of
    another core in the same row or column.
    """
    ends = np.where(counted, times.ready, np.nan)
    together = np.zeros(ends.shape, bool)
    for family in structure.families:
        for cores in family.groups:
            gap = np.abs(ends[:, cores, None] - ends[:, None, cores])
            together[:, cores] |= (np.nan_to_num(gap, nan=np.inf) <= AGREE).sum(axis=2) > 1
    return bool(together[counted].mean() > _MIN_TOGETHER)
