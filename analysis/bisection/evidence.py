"""Runs of the commits of a bisection, on a scale on which a larger score is worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.statistics.step_fit import MIN_NOISE, Scale, fit_steps
from schema.array_types import Floats

MAX_RUNS = 50
"""Maximum number of runs of a commit that are used: the newest."""
_USUAL_NOISE = 0.01
"""Noise that is assumed if a key has too few runs to measure it."""
_EXACT_COPIES = 3
"""Number of runs that a run counts as if equal programs give equal numbers."""
_MIN_VALUES = 8
"""Minimum number of values of a key from which its noise is estimated."""


@dataclass(frozen=True)
class Rules:
    """Rules by which a number of a key is judged: those of its metric.

    `limit` is the smallest relevant change on the scale of the scores, `polarity` is +1 if more is
    better and -1 if less is. If `is_share`, differences matter instead of ratios. `is_exact`: equal
    programs give equal numbers. `floor` is the smallest relevant difference in the metric's unit.
    """

    limit: float
    polarity: int
    is_share: bool = False
    is_exact: bool = False
    floor: float = 0.0

    @property
    def least_step(self) -> float:
        """Smallest step that is looked for, on the scale of the scores: half of the limit.

        The measured size of a step as large as the limit is below the limit half of the time.
        """
        return max(self.limit / 2, 2 * MIN_NOISE)


@dataclass(frozen=True)
class Noise:
    """Standard deviation of a run around the level of its commit, on the scale of the scores.

    `spread` is the factor by which it may be wrong.
    """

    typical: float
    spread: float


@dataclass(frozen=True)
class Evidence:
    """The measured commits in order, and the scores of their runs.

    `positions` are ascending positions in the list of commits, of which `first` is the good and
    `last` the bad commit. `scores` has an array per measured commit, with at least one score.
    """

    first: int
    last: int
    positions: tuple[int, ...]
    scores: tuple[Floats, ...]

    @property
    def counts(self) -> list[int]:
        """Number of runs of each measured commit."""
        return [len(scores) for scores in self.scores]

    def pick(self, places: Sequence[int]) -> Evidence:
        """Return the evidence of the measured commits at these ascending indices, which include the
        good and the bad commit.
        """
        positions = tuple(self.positions[place] for place in places)
        scores = tuple(self.scores[place] for place in places)
        return Evidence(self.first, self.last, positions, scores)

    def between(self, before: int, after: int) -> Evidence:
        """Return the evidence of a bisection between two measured commits, given by index."""
        positions = self.positions[before : after + 1]
        return Evidence(positions[0], positions[-1], positions, self.scores[before : after + 1])

    def pair(self, before: int, after: int) -> Evidence:
        """Return the evidence of two measured commits only, given by index."""
        positions = self.positions[before], self.positions[after]
        return Evidence(*positions, positions, (self.scores[before], self.scores[after]))


def choose_scale(values: Floats, rules: Rules) -> Scale:
    """Choose the scale on which changes of these values are compared, as trends do; shares keep
    their own unit.
    """
    return Scale(1.0) if rules.is_share else Scale.of(values)


def make_evidence(last: int, values: Mapping[int, Sequence[float]], rules: Rules) -> Evidence:
    """Build the evidence from the values of the runs by position, oldest run first.

    An exact number needs no repeats, so that each of its runs counts as several.
    """
    copies = _EXACT_COPIES if rules.is_exact else 1
    measured = {
        at: np.repeat(np.array(runs[-MAX_RUNS:], np.float64), copies)
        for at, runs in values.items()
        if runs
    }
    positions = tuple(sorted(measured))
    if not positions:
        return Evidence(0, last, (), ())
    scale = choose_scale(np.concatenate([measured[at] for at in positions]), rules)
    scores = [-rules.polarity * scale.scale_values(measured[at]) for at in positions]
    return Evidence(0, last, positions, tuple(scores))


def estimate_noise(history: Sequence[float], rules: Rules) -> Noise:
    """Estimate the noise of a key from the values of its runs in order of time, as trends do.

    It is the spread around the levels of the series. With fewer than 8 values it is assumed.
    """
    if len(history) < _MIN_VALUES:
        return Noise(2 * MIN_NOISE if rules.is_exact else _USUAL_NOISE, 2.5)
    values = np.array(history, np.float64)
    fit = fit_steps(values)
    noise = fit.noise
    if rules.is_share and fit.scale.typical is None:
        # The fit is logarithmic: near the median, a difference is the ratio times the median.
        noise *= float(np.median(values))
    elif rules.is_share and fit.scale.typical is not None:
        noise *= fit.scale.typical
    return Noise(max(noise, MIN_NOISE), 1.5)
