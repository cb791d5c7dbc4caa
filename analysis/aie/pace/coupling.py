"""Coupling of cores: a core begins a kernel only after all other cores ended an earlier kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.aie.activity import Coverage
from analysis.aie.iteration_groups import Number
from analysis.aie.pace.kernel_grid import KernelGrid
from schema.array_types import Bools, Floats, Ints

_AGREE = 30
"""Tolerance in ticks between a core's kernel end and another core's kernel start.

Timers of cores differ by up to 25 ticks.
"""
_DEEPEST = 8
_EARLY = 0.01
"""Share of kernels that may begin too early for a depth, because markers may be misread."""
_MIN_SHARE = 0.2
"""Minimum share of the stalled time that ends with a kernel of another core.

About 5 % of it does by chance.
"""


@dataclass(frozen=True)
class Coupling:
    """Timing of the kernels of coupled cores; arrays are rows x cores x kernels, in ticks.

    A kernel begins `before` after the last kernel of its core, but not before `lag` after the last
    other core has ended the kernel `depth` positions earlier; then it runs for `during`. `tail`
    (rows x cores) is the time after the last kernel. `waiting` is the time in lock stalls that
    ended with a kernel of another core. `rows` are ranks among the iterations.
    """

    rows: Ints
    depth: int
    before: Floats
    during: Floats
    lag: Floats
    tail: Floats
    waiting: Floats

    @property
    def kernels(self) -> int:
        """Number of kernels of a core in an iteration."""
        return int(self.during.shape[2])

    def replay(self, late: Floats, before: Floats, during: Floats, scale: Floats) -> Floats:
        """Simulate when each core ends, rows x cores, in ticks after the iteration begins.

        Cores start at `late`; `before` and `during` (rows x cores) are added to each gap and each
        kernel, and `scale` (per row) multiplies the measured times. O(rows x cores x kernels).
        """
        stretch = scale[:, None]
        ends: list[Floats] = []
        for kernel in range(self.kernels):
            gap = np.maximum(stretch * self.before[..., kernel] + before, 0)
            begin = ends[-1] + gap if ends else late
            if kernel >= self.depth:
                released = last_of_others(ends[kernel - self.depth])
                begin = np.maximum(begin, released + stretch * self.lag[..., kernel])
            ends.append(begin + np.maximum(stretch * self.during[..., kernel] + during, 0))
        return ends[-1] + stretch * self.tail


def find_coupling(
    grid: KernelGrid, locks: Sequence[Coverage], first: Ints, last: Ints
) -> Coupling | None:
    """Determine how the cores of a capture are coupled; None without evidence of a coupling.

    `locks` has the lock stalls of each core outside of kernels; `first` and `last` are begin and
    end of each core in each row of the grid (rows x cores). Of the depths at which no core begins a
    kernel too early, the result has the depth at which most stalled time ends with a kernel of
    another core.
    """
    rows, cores, kernels = grid.start.shape
    if not rows or cores < 2 or kernels < 2:
        return None
    stalled = _stalled_before(grid, locks)
    matches = [
        (depth, _ends_with_another(grid, depth))
        for depth in range(1, min(_DEEPEST, kernels - 1) + 1)
    ]
    waits = {
        depth: np.where(matched, stalled, 0) for depth, matched in matches if matched is not None
    }
    depth = max(waits, key=lambda depth: (waits[depth].sum(), -depth), default=0)
    if not depth or waits[depth].sum() <= _MIN_SHARE * stalled.sum():
        return None
    return _measure_coupling(grid, depth, waits[depth], first, last)


def last_of_others(ends: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Compute for each core (second axis) the maximum over all other cores."""
    ordered = np.sort(ends, axis=1)
    most = ordered[:, -1:]
    second = ordered[:, -2:-1]
    is_last = (
        np.arange(ends.shape[1]).reshape(1, -1, *[1] * (ends.ndim - 2))
        == ends.argmax(axis=1)[:, None]
    )
    return np.where(is_last, second, most)


def _stalled_before(grid: KernelGrid, locks: Sequence[Coverage]) -> Ints:
    """Compute the time in lock stalls before each kernel but the first of an iteration."""
    stalled = np.zeros_like(grid.start)
    for core, covered in enumerate(locks):
        begin = grid.end[:, core, :-1].ravel()
        end = grid.start[:, core, 1:].ravel()
        stalled[:, core, 1:] = np.maximum(covered.within(begin, np.maximum(begin, end)), 0).reshape(
            len(grid.rows), -1
        )
    return stalled


def _since_release(grid: KernelGrid, depth: int) -> Ints:
    """Compute the time from the last end, on other cores, of the kernel `depth` before."""
    since: Ints = grid.start[..., depth:] - last_of_others(grid.end[..., :-depth])
    return since


def _ends_with_another(grid: KernelGrid, depth: int) -> Bools | None:
    """Mark kernels that begin when another core ends the kernel `depth` before.

    None if too many kernels begin earlier than that.
    """
    since = _since_release(grid, depth)
    if (since < -_AGREE).mean() > _EARLY:
        return None
    matched = np.zeros(grid.start.shape, bool)
    matched[..., depth:] = np.abs(since) <= _AGREE
    return matched


def _measure_coupling(
    grid: KernelGrid, depth: int, waiting: Ints, first: Ints, last: Ints
) -> Coupling:
    """Compute gaps, kernels and lags such that a replay reproduces the measured times."""
    before = np.zeros(grid.start.shape)
    before[..., 1:] = grid.start[..., 1:] - grid.end[..., :-1] - waiting[..., 1:]
    during = (grid.end - grid.start).astype(np.float64)
    during[..., 0] += grid.start[..., 0] - first
    since = _since_release(grid, depth)
    waited = waiting[..., depth:] > 0
    usual = np.nanmedian(np.where(waited, since, np.nan)) if waited.any() else 0.0
    lag = np.zeros(grid.start.shape)
    # A kernel that did not wait gives only an upper limit for its lag.
    lag[..., depth:] = np.where(waited, since, np.minimum(since, usual))
    tail = (last - grid.end[..., -1]).astype(np.float64)
    return Coupling(grid.rows, depth, before, during, lag, tail, waiting.astype(np.float64))
