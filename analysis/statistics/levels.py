"""Levels of a series: cuts between levels, and a mask of the values that belong to a level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.statistics.step_fit import StepFit
from schema.array_types import Bools, Floats

MAX_DIP_LENGTH = 10
"""Maximum number of values of a dip; a longer part is always a level."""
_SHARE_BEYOND = 0.75
_BEYOND = 1 / 3


@dataclass
class Levels:
    """Levels of a fit between `cuts`.

    `calm` is False for values that belong to a dip. Dips, drifts and joins change the cuts in
    place.
    """

    fit: StepFit
    cuts: list[int]
    calm: Bools

    @classmethod
    def of(cls, fit: StepFit) -> Levels:
        """Create the levels of a fit; cuts between neighbours that differ by less than the least
        change of the fit are dropped.
        """
        levels = cls(fit, list(fit.cuts), np.ones(len(fit.values), np.bool_))
        levels.join_alike()
        return levels

    @property
    def edges(self) -> list[int]:
        """First position of each of the levels, and then the number of values."""
        return [0, *self.cuts, len(self.calm)]

    def means(self) -> Floats:
        """Compute the mean of each level over its calm, clipped values, on the scale of the fit."""
        firsts = self.edges[:-1]
        totals = np.add.reduceat(np.where(self.calm, self.fit.clipped, 0.0), firsts)
        means: Floats = totals / np.add.reduceat(self.calm, firsts, dtype=np.int64)
        return means

    def join_alike(self) -> None:
        """Drop cuts in place, the smallest change first, until every change between neighbours is
        at least the least change of the fit.
        """
        while self.cuts:
            changes = np.abs(np.diff(self.means()))
            least = int(changes.argmin())
            if changes[least] >= self.fit.least_change:
                break
            self.cuts.pop(least)

    def join_unheld_ends(self) -> None:
        """Drop the first and the last cut in place, each when the level at that end has at most
        MAX_DIP_LENGTH (10) values and `is_held` is False for it: a minority of its values makes it.
        """
        if self.cuts and not self._is_held_end(0, self.cuts[0], 1):
            self.cuts.pop(0)
        if self.cuts and not self._is_held_end(self.cuts[-1], len(self.calm), -2):
            self.cuts.pop()

    def is_held(self, first: int, end: int, rest: float) -> bool:
        """Whether at least three quarters of the values in [first, end) are off the level `rest`
        (on the scale of the fit): more than a third of the median distance away, on its side.
        """
        off = self.fit.values[first:end] - rest
        depth = float(np.median(off))
        return bool((off * np.sign(depth) > _BEYOND * abs(depth)).mean() >= _SHARE_BEYOND)

    def _is_held_end(self, first: int, end: int, neighbour: int) -> bool:
        return end - first > MAX_DIP_LENGTH or self.is_held(
            first, end, float(self.means()[neighbour])
        )
