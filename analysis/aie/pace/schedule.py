"""Predict how long iterations last when a part of a core's time changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analysis.aie.pace.coupling import Coupling
from analysis.aie.pace.tile_times import GAP, LATE_START, LOCK_STALL, OWN, WAITING, TileTimes
from schema.array_types import Bools, Floats

_BETWEEN_KERNELS = (LOCK_STALL, GAP)
"""Parts before a kernel begins: they hide time that a core would otherwise wait for other cores."""


@dataclass(frozen=True)
class Schedule:
    """The iterations of a capture as measured, or with parts removed.

    `parts` has the time that each core spends by itself, iterations x cores, ticks; `scale` (per
    iteration) is the factor by which the iteration was stretched; `times` holds the measured times.
    """

    times: TileTimes
    parts: Mapping[str, Floats]
    scale: Floats

    @classmethod
    def of(cls, times: TileTimes) -> Schedule:
        """Create the schedule as measured."""
        return cls(times, {part: times.parts[part] for part in OWN}, np.ones(len(times.elapsed)))

    @cached_property
    def elapsed(self) -> Floats:
        """Duration of each iteration, ticks."""
        elapsed: Floats = self._ends.max(axis=1) - self.parts[LATE_START].min(axis=1)
        return elapsed

    @cached_property
    def slack(self) -> Floats:
        """Mean time that each core waits for other cores or has ended before them, ticks."""
        own = sum(self.parts.values(), np.zeros_like(self._ends)) - self.parts[LATE_START].min(
            axis=1, keepdims=True
        )
        slack: Floats = (self.elapsed[:, None] - own).mean(axis=0)
        return slack

    @property
    def gmacs(self) -> float | None:
        """Mean rate, GMAC/s; None if the work is unknown."""
        rate = self.times.gmacs
        return None if rate is None else float(rate * self.times.elapsed.sum() / self.elapsed.sum())

    def usual(self, part: str) -> Floats:
        """Compute the lower median over cores of a part, iterations x 1, ticks."""
        values = self.parts[part]
        # The lower median: with 2 x 2 cores a slow column has half of the cores.
        rank = (values.shape[1] - 1) // 2
        return np.sort(values, axis=1)[:, rank : rank + 1]

    def without_excess(self, part: str, cores: Bools) -> Schedule:
        """Return the schedule in which some cores spend only the usual time on a part."""
        usual = np.broadcast_to(self.usual(part), self.parts[part].shape)
        changed = {part: np.where(cores, usual, self.parts[part])}
        if part in _BETWEEN_KERNELS:
            # If the data of a core are late before each kernel, they are also late before its first
            # kernel, which counts as late start.
            each = (self.parts[part] - usual) / np.maximum(self.times.kernels - 1, 1)
            late = self.parts[LATE_START]
            earlier = np.clip(np.minimum(each, late - self.usual(LATE_START)), 0, None)
            changed[LATE_START] = np.where(cores, late - earlier, late)
        return replace(self, parts={**self.parts, **changed})

    def without_part(self, part: str) -> Schedule:
        """Return the schedule in which no core spends time on a part."""
        return replace(self, parts={**self.parts, part: np.zeros_like(self.parts[part])})

    def without_iteration(self, rank: int) -> Schedule:
        """Return the schedule in which an iteration has the median duration."""
        factor = np.ones(len(self.scale))
        factor[rank] = np.median(self.elapsed) / self.elapsed[rank]
        parts = {part: values * factor[:, None] for part, values in self.parts.items()}
        return replace(self, parts=parts, scale=self.scale * factor)

    @cached_property
    def _ends(self) -> Floats:
        """End of each core, iterations x cores, in ticks after the first core's measured start."""
        waiting = self.times.parts[WAITING] * self.scale[:, None]
        ends: Floats = sum(self.parts.values(), waiting)
        coupling = self.times.coupling
        if coupling is not None:
            ends[coupling.rows] = self._coupled_ends(coupling)
        return ends

    def _coupled_ends(self, coupling: Coupling) -> Floats:
        rows = coupling.rows
        scale = self.scale[rows]
        change = {
            part: values[rows] - scale[:, None] * self.times.parts[part][rows]
            for part, values in self.parts.items()
            if part != LATE_START
        }
        none = np.zeros_like(coupling.tail)
        before = sum((change[part] for part in _BETWEEN_KERNELS), none) / max(
            coupling.kernels - 1, 1
        )
        during = (
            sum((own for part, own in change.items() if part not in _BETWEEN_KERNELS), none)
            / coupling.kernels
        )
        return coupling.replay(self.parts[LATE_START][rows], before, during, scale)
