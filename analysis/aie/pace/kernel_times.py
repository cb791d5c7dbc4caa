"""Times of each main kernel of coupled cores: when its core was free, ready and started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analysis.aie.activity import Coverage
from analysis.aie.pace.kernel_grid import KernelGrid
from schema.array_types import Bools, Floats, Ints

_WAKE = 8
"""Most ticks between the end of a lock stall and the next kernel that still belong to the wait.

A core needs 2 to 4 cycles to continue; it does not spend them if it did not wait.
"""
_MIN_STALL = 3
"""Shorter lock stalls are the cost of taking a free lock, not a wait."""
MAX_KERNELS = 1_024
"""Kernels of each core in an iteration that are analysed, from the first on.

The rest is assumed to be alike.
"""
_ODD = 0.15
"""Iterations that differ by this share from the median iteration do not take part in the fit."""


@dataclass(frozen=True)
class CoreCoverage:
    """Coverage of one core by kernels of any kind, by lock stalls and by all stalls, in ticks."""

    kernels: Coverage
    locks: Coverage
    stalls: Coverage


@dataclass(frozen=True)
class KernelTimes:
    """Times of main kernels, rows x cores x kernels, in ticks after the iteration begins.

    A core is `free` after the previous kernel, gaps and stalls other than lock stalls; `stall` is
    the lock stall that follows, `ready` its end, or `free` without a stall. `start` and `end` are
    those of the kernel; `between` is the time of other stalls since the previous kernel. `late`
    (rows x cores) is when a core starts, `tail` the time after its last main kernel. `rows` are
    ranks among the iterations. Not `is_whole` if the iterations have more than MAX_KERNELS kernels;
    then there is no tail.
    """

    rows: Ints
    free: Floats
    stall: Floats
    ready: Floats
    start: Floats
    end: Floats
    between: Floats
    late: Floats
    tail: Floats
    is_whole: bool = True

    @classmethod
    def of(
        cls, grid: KernelGrid, cores: Sequence[CoreCoverage], first: Ints, last: Ints
    ) -> KernelTimes:
        """Compute the times of the kernels of a grid; `first` and `last` are the ticks at which
        each core begins and ends in each iteration (rows x cores). `cores` has the coverage of each
        core. Only the first MAX_KERNELS (1,024) kernels take part.
        """
        is_whole = grid.start.shape[2] <= MAX_KERNELS
        grid = grid.first(MAX_KERNELS)
        begin = first.min(axis=1)[:, None, None]
        stall = np.zeros(grid.start.shape)
        between = np.zeros(grid.start.shape)
        ready = grid.start.astype(np.float64)
        ready[..., 0] = first
        free = ready.copy()
        for core, covered in enumerate(cores):
            for values, target in zip(
                _before_kernels(grid, core, covered), (free, stall, ready, between), strict=True
            ):
                target[:, core, 1:] = values
        late = (first - begin[..., 0]).astype(np.float64)
        tail = (last - grid.end[..., -1] if is_whole else np.zeros_like(last)).astype(np.float64)
        return cls(
            rows=grid.rows,
            free=free - begin,
            stall=stall,
            ready=ready - begin,
            start=grid.start - begin,
            end=grid.end - begin,
            between=between,
            late=late,
            tail=tail,
            is_whole=is_whole,
        )

    @cached_property
    def is_stalled(self) -> Bools:
        """Bools of the kernels (rows x cores x kernels) before which the core was in a lock stall
        of at least 3 ticks.
        """
        stalled: Bools = self.stall >= _MIN_STALL
        return stalled

    @cached_property
    def stretch(self) -> Floats:
        """Median duration of each row's kernels / the median of these over all rows, a factor per
        row; 1 is usual.
        """
        usual = np.median(self.end - self.start, axis=(1, 2))
        return np.asarray(usual / max(float(np.median(usual)), 1.0), dtype=np.float64)

    @cached_property
    def is_usual(self) -> Bools:
        """Mask of the rows whose length is within 15 % of the median length; all True if no row is
        within it.
        """
        length = self.end.max(axis=(1, 2))
        usual: Bools = np.abs(length / max(float(np.median(length)), 1.0) - 1) < _ODD
        return usual if usual.any() else np.ones(len(length), bool)

    def part(self, rows: Ints, kernels: int) -> KernelTimes:
        """Return new KernelTimes with these rows, and the first `kernels` kernels of each."""
        names = ("free", "stall", "ready", "start", "end", "between")
        selected = {name: getattr(self, name)[rows, :, :kernels] for name in names}
        return replace(
            self, rows=self.rows[rows], late=self.late[rows], tail=self.tail[rows], **selected
        )


def _before_kernels(
    grid: KernelGrid, core: int, covered: CoreCoverage
) -> tuple[Floats, Floats, Floats, Floats]:
    """Compute free, stall, ready and other stalls in ticks before each kernel of core number `core`
    but the first kernel, four arrays of rows x (kernels - 1).

    Free and ready are points in time, the other two durations; lock stalls of less than 3 ticks
    count as 0.
    """
    shape = (len(grid.rows), grid.start.shape[2] - 1)
    begin = grid.end[:, core, :-1].ravel()
    end = np.maximum(begin, grid.start[:, core, 1:].ravel())
    stall = np.maximum(covered.locks.within(begin, end), 0)
    other = np.maximum(covered.stalls.within(begin, end) - stall, 0)
    if len(covered.locks.end):
        rank = np.searchsorted(covered.locks.start, end, side="left") - 1
        locked = np.minimum(np.where(rank < 0, begin, covered.locks.end[np.maximum(rank, 0)]), end)
    else:
        locked = begin
    stalled = stall >= _MIN_STALL
    after = np.where(stalled, np.maximum(locked, begin), begin)
    rank = np.searchsorted(covered.kernels.start, after, side="left")
    rank = np.minimum(rank, len(covered.kernels.start) - 1)
    first = np.clip(covered.kernels.start[rank], after, end)
    ready = np.where(stalled & (first - after > _WAKE), after, first)
    free = np.where(stalled, after - stall, ready)
    stall = np.where(stalled, stall, 0)
    columns = [values.reshape(shape).astype(np.float64) for values in (free, stall, ready, other)]
    return columns[0], columns[1], columns[2], columns[3]
