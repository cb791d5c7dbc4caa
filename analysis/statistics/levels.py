"""The levels of a series while its events are named: cuts that stay, and values that belong to no level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.statistics.step_fit import StepFit
from schema.array_types import Bools, Floats

MOST_SHORT = 10
"""Values of a dip, at most; a longer part is a level by its length alone."""
_SHARE_BEYOND, _BEYOND = 0.75, 1 / 3


@dataclass
class Levels:
    """The levels of a fit between `cuts`; those of its values that are `calm` belong to one."""

    fit: StepFit
    cuts: list[int]
    calm: Bools

    @classmethod
    def of(cls, fit: StepFit) -> Levels:
        """Return the levels of a fit, those that hardly differ as one."""
        levels = cls(fit, list(fit.cuts), np.ones(len(fit.values), np.bool_))
        levels.join_alike()
        return levels

    @property
    def edges(self) -> list[int]:
        """Return where the levels begin, and the end."""
        return [0, *self.cuts, len(self.calm)]

    def means(self) -> Floats:
        """Return the mean of each level, odd values clipped."""
        firsts = self.edges[:-1]
        totals = np.add.reduceat(np.where(self.calm, self.fit.clipped, 0.0), firsts)
        means: Floats = totals / np.add.reduceat(self.calm, firsts, dtype=np.int64)
        return means

    def join_alike(self) -> None:
        """Drop the cuts, the smallest change first, that change too little."""
        while self.cuts:
            changes = np.abs(np.diff(self.means()))
            least = int(changes.argmin())
            if changes[least] >= self.fit.least_change:
                break
            self.cuts.pop(least)

    def join_unheld_ends(self) -> None:
        """Drop the cuts of a short first and last level that is made by a few odd values."""
        if self.cuts and not self._is_held_end(0, self.cuts[0], 1):
            self.cuts.pop(0)
        if self.cuts and not self._is_held_end(self.cuts[-1], len(self.calm), -2):
            self.cuts.pop()

    def is_held(self, first: int, end: int, rest: float) -> bool:
        """Return whether most values of a part, and not a few of them, lie off the level around it."""
        off = self.fit.values[first:end] - rest
        depth = float(np.median(off))
        return bool((off * np.sign(depth) > _BEYOND * abs(depth)).mean() >= _SHARE_BEYOND)

    def _is_held_end(self, first: int, end: int, neighbour: int) -> bool:
        return end - first > MOST_SHORT or self.is_held(first, end, float(self.means()[neighbour]))
