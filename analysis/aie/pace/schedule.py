"""How long iterations last when a part of a core's time is changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analysis.aie.pace.coupling import Coupling
from analysis.aie.pace.tile_times import GAP, LATE_START, LOCK_STALL, OWN, WAITING, TileTimes
from schema.array_types import Bools, Floats

_BETWEEN_KERNELS = (LOCK_STALL, GAP)
"""Parts that pass before a kernel begins, so that they hide what a core would wait for others."""


@dataclass(frozen=True)
class Schedule:
    """A capture's iterations as they were, or with parts taken out.

    `parts` has what each core spends on its own, iterations x cores, ticks; `scale` (per iteration) is by how much the
    iteration was stretched, and `times` is what was measured.
    """

    times: TileTimes
    parts: Mapping[str, Floats]
    scale: Floats

    @classmethod
    def of(cls, times: TileTimes) -> Schedule:
        """Return the iterations as they were."""
        return cls(times, {part: times.parts[part] for part in OWN}, np.ones(len(times.elapsed)))

    @cached_property
    def elapsed(self) -> Floats:
        """Return how long each iteration lasts, ticks."""
        elapsed: Floats = self._ends.max(axis=1) - self.parts[LATE_START].min(axis=1)
        return elapsed

    @cached_property
    def slack(self) -> Floats:
        """Return the mean time that each core waits for others or has ended before them, ticks."""
        own = sum(self.parts.values(), np.zeros_like(self._ends)) - self.parts[LATE_START].min(axis=1, keepdims=True)
        slack: Floats = (self.elapsed[:, None] - own).mean(axis=0)
        return slack

    @property
    def gmacs(self) -> float | None:
        """Return the mean rate, GMAC/s; None where the work is not known."""
        rate = self.times.gmacs
        return None if rate is None else float(rate * self.times.elapsed.sum() / self.elapsed.sum())

    def usual(self, part: str) -> Floats:
        """Return what the usual core spends on a part in each iteration, iterations x 1: the lower median."""
        values = self.parts[part]
        rank = (values.shape[1] - 1) // 2
        return np.sort(values, axis=1)[:, rank : rank + 1]

    def without_excess(self, part: str, cores: Bools) -> Schedule:
        """Return the schedule in which these cores spend on a part what the usual core does.

        A core whose data are late before every kernel has them late before its first one too.
        """
        usual = np.broadcast_to(self.usual(part), self.parts[part].shape)
        changed = {part: np.where(cores, usual, self.parts[part])}
        if part in _BETWEEN_KERNELS:
            each = (self.parts[part] - usual) / np.maximum(self.times.kernels - 1, 1)
            late = self.parts[LATE_START]
            earlier = np.clip(np.minimum(each, late - self.usual(LATE_START)), 0, None)
            changed[LATE_START] = np.where(cores, late - earlier, late)
        return replace(self, parts={**self.parts, **changed})

    def without_part(self, part: str) -> Schedule:
        """Return the schedule in which no core spends time on a part."""
        return replace(self, parts={**self.parts, part: np.zeros_like(self.parts[part])})

    def without_iteration(self, rank: int) -> Schedule:
        """Return the schedule in which an iteration lasts as long as the median."""
        factor = np.ones(len(self.scale))
        factor[rank] = np.median(self.elapsed) / self.elapsed[rank]
        parts = {part: values * factor[:, None] for part, values in self.parts.items()}
        return replace(self, parts=parts, scale=self.scale * factor)

    @cached_property
    def _ends(self) -> Floats:
        """Return when each core ends, iterations x cores, in ticks after the first core began as measured."""
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
        before = sum((change[part] for part in _BETWEEN_KERNELS), none) / max(coupling.kernels - 1, 1)
        during = sum((own for part, own in change.items() if part not in _BETWEEN_KERNELS), none) / coupling.kernels
        return coupling.replay(self.parts[LATE_START][rows], before, during, scale)
