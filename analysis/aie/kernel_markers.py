"""Kernel markers matched as an alternation of starts and ends, so that a lost one costs one kernel.

Sorted in time, markers form runs: starts, ends, starts ... A run of starts and the run of ends behind it hold one
whole kernel. Where a run has several markers, the pair is chosen whose duration the undisturbed kernels show; the
others are duplicates (close to a chosen one) or have lost their partner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schema.array_types import Ints
from schema.arrays import distinct

Flags = npt.NDArray[np.bool_]

DUPLICATE_FRACTION = 0.25
"""A marker this part of a median kernel behind another of its kind is its duplicate."""
_CLUSTER_RATIO = 1.5
_TOLERANCE = 0.1
_RARE = 0.04
_STILL_RUNNING = 1.5 / DUPLICATE_FRACTION
_MOST_CANDIDATES = 8

DUPLICATE_START, DUPLICATE_END = "duplicate start marker", "duplicate end marker"
LOST_END, LOST_START = "end marker lost", "start marker lost"
CAPTURE_ENDED = "capture ended inside it"


@dataclass(frozen=True)
class MatchedMarkers:
    """Whole kernels (`start`, `end`, int64 ticks, sorted) and the markers left over, with why."""

    start: Ints
    end: Ints
    left_ticks: Ints
    left_is_start: Flags
    left_reason: list[str]


def match_markers(starts: Ints, ends: Ints, last: int) -> MatchedMarkers:
    """Match start and end markers of one core whose capture ends at `last`. Ticks in any order; O(n log n)."""
    ticks, is_start = _tokens(starts, ends)
    couples = _Couples.of(is_start)
    typical = _Typical.of(couples.durations(ticks, is_start))
    chosen = np.zeros(len(ticks), bool)
    apart = np.flatnonzero(~_repeated_pairs(ticks, is_start, typical))
    chosen[apart[_choose_markers(ticks[apart], is_start[apart], typical)]] = True
    left = ~chosen
    reasons = _reasons(ticks, is_start, chosen, typical.near, last)
    return MatchedMarkers(ticks[chosen & is_start], ticks[chosen & ~is_start], ticks[left], is_start[left], reasons)


@dataclass(frozen=True)
class _Couples:
    """A run of starts and the run of ends behind it; clean where both are single, disturbed where one is not."""

    of_token: Ints
    clean: Flags
    disturbed: Flags

    @classmethod
    def of(cls, is_start: Flags) -> _Couples:
        if not len(is_start):
            return cls(np.empty(0, np.int64), np.empty(0, bool), np.empty(0, bool))
        run = np.cumsum(np.diff(is_start, prepend=is_start[:1]) != 0)
        couple = (run + (0 if is_start[0] else 1)) // 2
        size = int(couple[-1]) + 1
        starts = np.bincount(couple[is_start], minlength=size)
        ends = np.bincount(couple[~is_start], minlength=size)
        clean = (starts == 1) & (ends == 1)
        return cls(couple, clean, (starts > 0) & (ends > 0) & ~clean)

    def durations(self, ticks: Ints, is_start: Flags) -> Ints:
        """Return the durations of the clean couples."""
        clean = self.clean[self.of_token]
        durations: Ints = ticks[clean & ~is_start] - ticks[clean & is_start]
        return durations


def _choose_markers(ticks: Ints, is_start: Flags, typical: _Typical) -> Ints:
    """Return the tokens that make whole kernels."""
    couples = _Couples.of(is_start)
    tokens = np.flatnonzero(couples.clean[couples.of_token])
    if couples.disturbed.any():
        tokens = np.concatenate((tokens, _choose(ticks, is_start, couples.of_token, couples.disturbed, typical)))
    return tokens


def _repeated_pairs(ticks: Ints, is_start: Flags, typical: _Typical) -> Flags:
    """Return the tokens of start, END, START, end in which the inner two repeat earlier markers.

    That sequence alternates, so only durations show it: start to end is a usual kernel, start to END is none.
    """
    repeated = np.zeros(len(ticks), bool)
    if len(ticks) < 4:
        return repeated
    inner = 1 + np.flatnonzero(is_start[:-3] & ~is_start[1:-2] & is_start[2:-1] & ~is_start[3:])
    follows = _follows_its_kind(ticks, is_start, typical.near)
    inner = inner[follows[inner] & follows[inner + 1]]
    usual = typical.distance(ticks[inner + 2] - ticks[inner - 1]) == 0
    inner = inner[usual & (typical.distance(ticks[inner] - ticks[inner - 1]) > 0)]
    repeated[inner] = repeated[inner + 1] = True
    return repeated


def _tokens(starts: Ints, ends: Ints) -> tuple[Ints, Flags]:
    """Return distinct markers in time, an end before a start at the same tick: kernels may be back to back."""
    starts, ends = distinct(starts), distinct(ends)
    ticks = np.concatenate((ends, starts))
    is_start = np.concatenate((np.zeros(len(ends), bool), np.ones(len(starts), bool)))
    order = np.argsort(ticks, kind="stable")
    return ticks[order], is_start[order]


@dataclass(frozen=True)
class _Typical:
    """Ranges of duration that undisturbed kernels show, and how near a duplicate is."""

    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    near: float

    @classmethod
    def of(cls, durations: Ints) -> _Typical:
        if not len(durations):
            return cls(np.empty(0), np.empty(0), 0.0)
        ordered = np.sort(np.maximum(durations, 1))
        cut = np.flatnonzero(ordered[1:] > _CLUSTER_RATIO * ordered[:-1]) + 1
        groups = np.split(ordered, cut)
        # A rare duration may itself come of lost or repeated markers, so it is no example.
        groups = [g for g in groups if len(g) > max(2, _RARE * len(ordered))] or groups
        main = max(groups, key=lambda g: int(g.sum()))
        low = np.array([g[0] for g in groups], dtype=float)
        high = np.array([g[-1] for g in groups], dtype=float)
        return cls(low, high, DUPLICATE_FRACTION * float(np.median(main)))

    def distance(self, duration: Ints) -> npt.NDArray[np.float64]:
        """Return how far durations lie outside every range, as a logarithm; 0 inside or nearly so."""
        if not len(self.low):
            return np.zeros(len(duration))
        log = np.log(np.maximum(duration, 1))[:, None]
        outside = np.maximum(np.log(self.low) - log, log - np.log(self.high)).min(axis=1)
        distance: npt.NDArray[np.float64] = np.where(outside <= _TOLERANCE, 0.0, outside)
        return distance


def _choose(ticks: Ints, is_start: Flags, couple: Ints, disturbed: Flags, typical: _Typical) -> Ints:
    """Return the tokens of the best pair of each disturbed couple.

    Every pair of its last few starts and first few ends competes: by distance from the typical durations, then not an
    end that follows an earlier end as a duplicate does, then the earliest.
    """
    wanted = np.flatnonzero(disturbed[couple])
    first_of = np.searchsorted(couple, couple[wanted], side="left")
    starts_in = np.bincount(couple, weights=is_start).astype(np.int64)[couple[wanted]]
    position = wanted - first_of
    near_meeting = np.where(
        is_start[wanted], position >= starts_in - _MOST_CANDIDATES, position < starts_in + _MOST_CANDIDATES
    )
    wanted = wanted[near_meeting]
    start_tokens, end_tokens = wanted[is_start[wanted]], wanted[~is_start[wanted]]
    first_end = np.searchsorted(couple[end_tokens], couple[start_tokens], side="left")
    count = np.searchsorted(couple[end_tokens], couple[start_tokens], side="right") - first_end
    left = np.repeat(start_tokens, count)
    offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    right = end_tokens[np.repeat(first_end, count) + offset]
    far = typical.distance(ticks[right] - ticks[left])
    order = np.lexsort(
        (ticks[right], ticks[left], _follows_its_kind(ticks, is_start, typical.near)[right], far, couple[left])
    )
    best = order[np.unique(couple[left][order], return_index=True)[1]]
    return np.concatenate((left[best], right[best]))


def _follows_its_kind(ticks: Ints, is_start: Flags, near: float) -> Flags:
    """Return which tokens come so soon behind another of their kind that they may repeat it."""
    follows = np.zeros(len(ticks), bool)
    for kind in (is_start, ~is_start):
        tokens = np.flatnonzero(kind)
        follows[tokens[1:]] = np.diff(ticks[tokens]) < near
    return follows


def _reasons(ticks: Ints, is_start: Flags, chosen: Flags, near: float, last: int) -> list[str]:
    """Return why each token that was not chosen is left over, in order."""
    left = np.flatnonzero(~chosen)
    if not len(left):
        return []
    duplicate = np.zeros(len(ticks), bool)
    for kind in (is_start, ~is_start):
        taken = ticks[chosen & kind]
        if len(taken):
            behind = ticks - taken[np.maximum(np.searchsorted(taken, ticks, side="right") - 1, 0)]
            duplicate |= kind & ~chosen & (behind >= 0) & (behind < near)
    reason = np.where(
        duplicate, np.where(is_start, DUPLICATE_START, DUPLICATE_END), np.where(is_start, LOST_END, LOST_START)
    ).astype(object)
    behind_all_ends = np.cumsum(~is_start[::-1])[::-1] == 0
    reason[behind_all_ends & ~duplicate & (ticks + _STILL_RUNNING * near > last)] = CAPTURE_ENDED
    return [str(text) for text in reason[left]]
