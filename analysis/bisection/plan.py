"""Plan of a bisection: the commit to measure next, or its result, from the runs so far.

A plan depends on nothing but its arguments: runs that arrive later give another plan.
"""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from analysis.bisection.candidates import choose_between
from analysis.bisection.evidence import Evidence, Noise
from analysis.bisection.posterior import USUAL_DOUBT, Posterior, find_posterior
from analysis.bisection.window import Window, focus
from analysis.statistics.ratio import CONFIDENCE, MIN_RUNS

MAX_REPEATS = 25
"""Maximum number of runs of a commit that a plan demands."""
_HALF_DOUBT = 0.5
"""Prior probability that a half has no step, if all commits seem to have their own levels."""
_LOCAL_SPREAD = 1.5
"""Factor by which the noise that all runs showed may be wrong for two commits."""
State = Literal[
    "measure", "proved", "range", "gradual", "level", "better", "undecided", "unmeasurable"
]
"""State of a bisection: the next step, or how it ended.

`measure`: measure a commit. `proved`: a commit made the number worse. `range`: the
culprit is among several commits, of which all but the last give no result. `gradual`: the bad commit is worse, but no
single commit. `level`: no relevant difference. `better`: the bad commit is better. `undecided`:
the noise is too large. `unmeasurable`: the good or the bad commit gives no result.
"""


@dataclass(frozen=True)
class Plan:
    """Plan of a bisection.

    `next` is the position of the commit to measure if the state is `measure`. The step is
    at a commit from `first` to `last`, both included, with probability `confidence`; if there is no
    step, that is the probability of the state. `worse` is the probability that there is a step for
    the worse. `noise` is on the scale of the scores.
    """

    state: State
    first: int
    last: int
    confidence: float
    worse: float
    noise: float
    next: int | None = None

    @property
    def remain(self) -> int:
        """Number of commits at which the step may be."""
        return self.last - self.first + 1

    @property
    def to_measure(self) -> int:
        """Number of further commits that are measured if each halves the range; 0 at the end."""
        return math.ceil(math.log2(self.remain)) if self.state == "measure" else 0

    @property
    def has_culprit(self) -> bool:
        """Whether the step is proved, at a single commit or among a few."""
        return self.state in ("proved", "range")


@dataclass(frozen=True)
class _Search:
    """A bisection between two measured commits; `doubt` is the prior probability that the second is
    not worse.
    """

    posterior: Posterior
    broken: AbstractSet[int]
    noise: Noise
    least_step: float
    doubt: float

    @property
    def evidence(self) -> Evidence:
        return self.posterior.evidence


def make_plan(
    evidence: Evidence, broken: AbstractSet[int], noise: Noise, least_step: float
) -> Plan:
    """Plan the next step of a bisection.

    `broken` are positions of commits that give no result, `noise` is the prior noise of a run, and
    `least_step` the smallest step that is looked for.
    """
    start = Plan("measure", 1, evidence.last, 0.0, 0.5, noise.typical)
    missing = [at for at in (0, evidence.last) if at not in evidence.positions]
    if missing:
        unmeasurable = [at for at in missing if at in broken]
        return replace(start, state="unmeasurable") if unmeasurable else _measure(start, missing[0])
    return _search(evidence, broken, noise, least_step, USUAL_DOUBT)


def _search(
    evidence: Evidence, broken: AbstractSet[int], noise: Noise, least_step: float, doubt: float
) -> Plan:
    posterior, window = focus(
        evidence, partial(find_posterior, noise=noise, least=least_step, doubt=doubt)
    )
    search = _Search(posterior, broken, noise, least_step, doubt)
    plan = _locate(posterior, window)
    if posterior.worse < CONFIDENCE:
        return _plan_ends(plan, posterior)
    if posterior.spread > posterior.worse / 2:
        return _search_half(search)
    if window.inside:
        repeated = _repeat_near(plan, posterior, window)
        return _search_half(search) if repeated.state == "undecided" else repeated
    before, after = evidence.positions[window.before], evidence.positions[window.after]
    candidate = choose_between(before, after, broken)
    if candidate is not None:
        return _measure(plan, candidate)
    return _finish(plan, search, window)


def _search_half(search: _Search) -> Plan:
    """Search the half with the larger change, if a step or two do not explain the levels.

    It finds any of several steps. If there is none at the end, the change is gradual.
    """
    evidence = search.evidence
    middle = (evidence.first + evidence.last) / 2
    inner = range(1, len(evidence.positions) - 1)
    split = min(inner, key=lambda place: abs(evidence.positions[place] - middle))
    ends = len(evidence.positions) - 1
    levels = [float(np.median(evidence.scores[place])) for place in (0, split, ends)]
    half = (0, split) if levels[1] - levels[0] >= levels[2] - levels[1] else (split, ends)
    plan = _search(
        evidence.between(*half), search.broken, search.noise, search.least_step, _HALF_DOUBT
    )
    if plan.state == "measure" or plan.has_culprit:
        return plan
    posterior = search.posterior
    worse = posterior.worse
    return Plan("gradual", evidence.first + 1, evidence.last, worse, worse, posterior.noise)


def _measure(plan: Plan, position: int) -> Plan:
    return replace(plan, state="measure", next=position)


def _locate(posterior: Posterior, window: Window) -> Plan:
    positions = posterior.evidence.positions
    confidence = posterior.within(window.before, window.after) * posterior.worse
    first, last = positions[window.before] + 1, positions[window.after]
    return Plan("measure", first, last, confidence, posterior.worse, posterior.noise)


def _plan_ends(plan: Plan, posterior: Posterior) -> Plan:
    """Plan while it is not proved that the bad commit is worse: repeat the good or the bad commit,
    or end.
    """
    evidence = posterior.evidence
    counts = evidence.counts
    runs = {evidence.first: counts[0], evidence.last: counts[-1]}
    whole = replace(plan, first=evidence.first + 1, last=evidence.last)
    # After the last repeat, the more probable result is as good as it gets.
    is_last = min(runs.values()) >= MAX_REPEATS
    if min(runs.values()) >= MIN_RUNS:
        if posterior.level >= (0.5 if is_last else CONFIDENCE):
            return replace(whole, state="level", confidence=posterior.level)
        if posterior.better >= CONFIDENCE:
            return replace(whole, state="better", confidence=posterior.better)
    return _repeat_fewest(whole, runs)


def _repeat_near(plan: Plan, posterior: Posterior, window: Window) -> Plan:
    """Repeat a commit inside the window, or a commit at its ends if their levels are less certain."""
    evidence = posterior.evidence
    inside = min(window.inside, key=lambda place: abs(posterior.within(window.before, place) - 0.5))
    counts = evidence.counts
    runs = {
        evidence.positions[inside]: counts[inside],
        evidence.positions[window.before]: sum(counts[: window.before + 1]),
        evidence.positions[window.after]: sum(counts[window.after :]),
    }
    return _repeat_fewest(plan, runs)


def _repeat_fewest(plan: Plan, runs: dict[int, int]) -> Plan:
    """Repeat the commit with the fewest runs (`runs` by position, the first of equals)."""
    position = min(runs, key=lambda at: runs[at])
    if runs[position] >= MAX_REPEATS:
        return replace(plan, state="undecided")
    return _measure(plan, position)


def _finish(plan: Plan, search: _Search, window: Window) -> Plan:
    """End a bisection if its window has no commit left to measure.

    The commits on both sides must differ by themselves: in a gradual change they do not.
    """
    evidence = search.evidence
    noise = Noise(search.posterior.noise, min(search.noise.spread, _LOCAL_SPREAD))
    pair = evidence.pair(window.before, window.after)
    local = find_posterior(pair, noise, search.least_step, search.doubt)
    ended = replace(plan, confidence=plan.confidence * local.worse)
    runs = dict(zip(pair.positions, pair.counts, strict=True))
    if ended.confidence >= CONFIDENCE and _has_enough_runs(evidence, window):
        return replace(ended, state="proved" if ended.remain == 1 else "range")
    if local.worse <= 1 - CONFIDENCE and min(runs.values()) >= MIN_RUNS:
        whole = replace(ended, first=evidence.first + 1, last=evidence.last)
        return replace(whole, state="gradual", confidence=1 - local.worse)
    return _repeat_fewest(ended, runs)


def _has_enough_runs(evidence: Evidence, window: Window) -> bool:
    """Whether both sides have as many runs as a comparison of groups of runs needs, and the commits
    at the step more than a single run each: a single run may be odd.
    """
    counts = evidence.counts
    sides = sum(counts[: window.before + 1]), sum(counts[window.after :])
    return min(sides) >= MIN_RUNS and min(counts[window.before], counts[window.after]) > 1
