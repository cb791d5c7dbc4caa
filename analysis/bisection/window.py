"""Range of commits in which a step is almost certainly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.bisection.evidence import Evidence
from analysis.bisection.posterior import Posterior

_DECIDED = 0.995
"""Probability with which a step has to be in a range before the rest is left out.

It is above 0.95, since the last comparison adds a doubt of its own.
"""
_MAX_MEASURED = 200
"""Maximum number of measured commits that are looked at together.

A store may have runs of every commit, of which most are far from the step.
"""


@dataclass(frozen=True)
class Window:
    """Measured commits, by index, between which a step is: after `before`, and up to `after`."""

    before: int
    after: int

    @property
    def inside(self) -> range:
        """Indices of the measured commits inside: it is not clear on which side they are."""
        return range(self.before + 1, self.after)


def focus(evidence: Evidence, find: Callable[[Evidence], Posterior]) -> tuple[Posterior, Window]:
    """Find the posterior and the window of the step; `find` computes the posterior of evidence.

    Of many measured commits, some are looked at first, and then those inside the window.
    """
    places = _even_places(0, len(evidence.positions) - 1)
    while True:
        posterior = find(evidence.pick(places))
        window = _find_window(posterior)
        further = _even_places(places[window.before], places[window.after])[1:-1]
        if window.inside or not further:
            return posterior, window
        places = sorted({*places, *further})


def _even_places(first: int, last: int) -> list[int]:
    """List at most _MAX_MEASURED evenly spaced whole numbers from `first` to `last`, both included."""
    count = min(last - first + 1, _MAX_MEASURED)
    places = np.linspace(first, last, count).round().astype(np.int64)
    return [int(place) for place in np.unique(places)]


def _find_window(posterior: Posterior) -> Window:
    """Find the shortest range that has a step with probability _DECIDED: its end is as early as
    possible, so that of several steps the first is found, then its begin as late as possible.
    """
    gaps = len(posterior.singles)
    after = next((end for end in range(1, gaps) if posterior.within(0, end) >= _DECIDED), gaps)
    before = next(
        (begin for begin in reversed(range(after)) if posterior.within(begin, after) >= _DECIDED), 0
    )
    return Window(before, after)
