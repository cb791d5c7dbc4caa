"""Match kernel markers as alternating starts and ends, so that a lost marker costs one kernel only.

Sorted by time, markers form runs: starts, ends, starts ... A run of starts and the following run of
ends hold one whole kernel. If a run has several markers, the pair is chosen whose duration is
typical of undisturbed kernels. The other markers are duplicates (close to a chosen marker) or have
lost their partner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schema.array_types import Bools, Floats, Ints
from schema.arrays import distinct

DUPLICATE_FRACTION = 0.25
"""Distance of a duplicate from the marker before it, as a fraction of a median kernel."""
_CLUSTER_RATIO = 1.5
_TOLERANCE = 0.1
_RARE = 0.04
_STILL_RUNNING = 1.5 / DUPLICATE_FRACTION
_MAX_CANDIDATES = 8

DUPLICATE_START, DUPLICATE_END = "duplicate start marker", "duplicate end marker"
LOST_END, LOST_START = "end marker lost", "start marker lost"
CAPTURE_ENDED = "capture ended inside it"


@dataclass(frozen=True)
class MatchedMarkers:
    """Whole kernels (`start`, `end`, int64 ticks, sorted), and leftover markers with reasons."""

    start: Ints
    end: Ints
    left_ticks: Ints
    left_is_start: Bools
    left_reason: list[str]


def match_markers(starts: Ints, ends: Ints, last: int) -> MatchedMarkers:
    """Match the start markers of a core with the end markers of the same kernels; empty arrays
    without markers.

    `starts` and `ends` are ticks in any order, `last` is the last tick of the capture; equal ticks
    of a kind count once. Markers without a partner are returned in order of time with a reason. O(n
    log n).
    """
    ticks, is_start = _tokens(starts, ends)
    couples = _Couples.of(is_start)
    typical = _Typical.of(couples.durations(ticks, is_start))
    chosen = np.zeros(len(ticks), bool)
    apart = np.flatnonzero(~_repeated_pairs(ticks, is_start, typical))
    chosen[apart[_choose_markers(ticks[apart], is_start[apart], typical)]] = True
    left = ~chosen
    reasons = _reasons(ticks, is_start, chosen, typical.near, last)
    return MatchedMarkers(
        ticks[chosen & is_start], ticks[chosen & ~is_start], ticks[left], is_start[left], reasons
    )


@dataclass(frozen=True)
class _Couples:
    """Runs of starts with the following run of ends.

    `of_token` is the couple of each marker. A couple is clean if both runs have one marker,
    disturbed if both have markers and one has several.
    """

    of_token: Ints
    clean: Bools
    disturbed: Bools

    @classmethod
    def of(cls, is_start: Bools) -> _Couples:
        """Build the couples of markers in order of time, with their kinds in `is_start`; a couple is
        a run of starts and the following run of ends. All arrays are empty without markers.
        """
        if not len(is_start):
            return cls(np.empty(0, np.int64), np.empty(0, bool), np.empty(0, bool))
        run = np.cumsum(np.diff(is_start, prepend=is_start[:1]) != 0)
        couple = (run + (0 if is_start[0] else 1)) // 2
        size = int(couple[-1]) + 1
        starts = np.bincount(couple[is_start], minlength=size)
        ends = np.bincount(couple[~is_start], minlength=size)
        clean = (starts == 1) & (ends == 1)
        return cls(couple, clean, (starts > 0) & (ends > 0) & ~clean)

    def durations(self, ticks: Ints, is_start: Bools) -> Ints:
        """Compute the durations (ticks) of the couples of a single start and a single end, in
        order; `ticks` and `is_start` are those of all markers.
        """
        clean = self.clean[self.of_token]
        durations: Ints = ticks[clean & ~is_start] - ticks[clean & is_start]
        return durations


def _choose_markers(ticks: Ints, is_start: Bools, typical: _Typical) -> Ints:
    """Return the positions of the markers that make whole kernels, not sorted: both markers of each
    run of a single start and a single end, and the best pair of each run with more.
    """
    couples = _Couples.of(is_start)
    tokens = np.flatnonzero(couples.clean[couples.of_token])
    if couples.disturbed.any():
        tokens = np.concatenate(
            (tokens, _choose(ticks, is_start, couples.of_token, couples.disturbed, typical))
        )
    return tokens


def _repeated_pairs(ticks: Ints, is_start: Bools, typical: _Typical) -> Bools:
    """Mask of all markers: True for the inner two markers of start, END, START, end if they repeat
    earlier markers; all False for fewer than 4 markers.

    This sequence alternates, so only durations show it: start to end is a usual duration, start to
    END is not.
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


def _tokens(starts: Ints, ends: Ints) -> tuple[Ints, Bools]:
    """Sort the distinct markers by time; returns their ticks, and for each whether it is a start.

    An end comes before a start at the same tick, because kernels may be back to back.
    """
    starts = distinct(starts)
    ends = distinct(ends)
    ticks = np.concatenate((ends, starts))
    is_start = np.concatenate((np.zeros(len(ends), bool), np.ones(len(starts), bool)))
    order = np.argsort(ticks, kind="stable")
    return ticks[order], is_start[order]


@dataclass(frozen=True)
class _Typical:
    """Durations of undisturbed kernels, and the maximum distance of a duplicate (ticks)."""

    low: Floats
    high: Floats
    near: float

    @classmethod
    def of(cls, durations: Ints) -> _Typical:
        """Compute the ranges of typical durations (ticks, both ends included): clusters of the
        given durations, split at factors above 1.5. Clusters of at most 2 durations, or of at most
        4 % of all, are left out, unless that leaves none.

        `near` is a quarter of the median of the cluster with the most time. Without durations there
        are no ranges, and `near` is 0.
        """
        if not len(durations):
            return cls(np.empty(0), np.empty(0), 0.0)
        ordered = np.sort(np.maximum(durations, 1))
        cut = np.flatnonzero(ordered[1:] > _CLUSTER_RATIO * ordered[:-1]) + 1
        groups = np.split(ordered, cut)
        # A rare duration may be a result of lost or repeated markers, so it is not typical.
        groups = [g for g in groups if len(g) > max(2, _RARE * len(ordered))] or groups
        main = max(groups, key=lambda g: int(g.sum()))
        low = np.array([g[0] for g in groups], dtype=float)
        high = np.array([g[-1] for g in groups], dtype=float)
        return cls(low, high, DUPLICATE_FRACTION * float(np.median(main)))

    def distance(self, duration: Ints) -> Floats:
        """Compute how far each duration (ticks) is outside of every typical range, as a natural
        logarithm of the factor. It is 0 inside, up to a distance of 0.1, and if there are no
        ranges.
        """
        if not len(self.low):
            return np.zeros(len(duration))
        log = np.log(np.maximum(duration, 1))[:, None]
        outside = np.maximum(np.log(self.low) - log, log - np.log(self.high)).min(axis=1)
        distance: Floats = np.where(outside <= _TOLERANCE, 0.0, outside)
        return distance


def _choose(
    ticks: Ints, is_start: Bools, couple: Ints, disturbed: Bools, typical: _Typical
) -> Ints:
    """Choose the best pair of each disturbed couple and return the positions of their starts, then
    those of their ends.

    Every pair of the couple's last starts and first ends competes, at most 8 of each. Criteria in
    order: distance from the typical durations, an end that is not a duplicate of an earlier end,
    the earliest pair.
    """
    wanted = np.flatnonzero(disturbed[couple])
    first_of = np.searchsorted(couple, couple[wanted], side="left")
    starts_in = np.bincount(couple, weights=is_start).astype(np.int64)[couple[wanted]]
    position = wanted - first_of
    near_meeting = np.where(
        is_start[wanted],
        position >= starts_in - _MAX_CANDIDATES,
        position < starts_in + _MAX_CANDIDATES,
    )
    wanted = wanted[near_meeting]
    start_tokens = wanted[is_start[wanted]]
    end_tokens = wanted[~is_start[wanted]]
    first_end = np.searchsorted(couple[end_tokens], couple[start_tokens], side="left")
    count = np.searchsorted(couple[end_tokens], couple[start_tokens], side="right") - first_end
    left = np.repeat(start_tokens, count)
    offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    right = end_tokens[np.repeat(first_end, count) + offset]
    far = typical.distance(ticks[right] - ticks[left])
    order = np.lexsort(
        (
            ticks[right],
            ticks[left],
            _follows_its_kind(ticks, is_start, typical.near)[right],
            far,
            couple[left],
        )
    )
    best = order[np.unique(couple[left][order], return_index=True)[1]]
    return np.concatenate((left[best], right[best]))


def _follows_its_kind(ticks: Ints, is_start: Bools, near: float) -> Bools:
    """Mark the markers less than `near` ticks after the previous marker of their kind, which they
    may repeat.
    """
    follows = np.zeros(len(ticks), bool)
    for kind in (is_start, ~is_start):
        tokens = np.flatnonzero(kind)
        follows[tokens[1:]] = np.diff(ticks[tokens]) < near
    return follows


def _reasons(ticks: Ints, is_start: Bools, chosen: Bools, near: float, last: int) -> list[str]:
    """Return the reason of each marker that was not chosen, in order of time; [] when all are
    chosen.

    A duplicate is less than `near` ticks behind a chosen marker of its kind. A start after all
    ends, at most 6 `near` before tick `last`, gives CAPTURE_ENDED; other markers lost their
    partner.
    """
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
        duplicate,
        np.where(is_start, DUPLICATE_START, DUPLICATE_END),
        np.where(is_start, LOST_END, LOST_START),
    ).astype(object)
    behind_all_ends = np.cumsum(~is_start[::-1])[::-1] == 0
    reason[behind_all_ends & ~duplicate & (ticks + _STILL_RUNNING * near > last)] = CAPTURE_ENDED
    return [str(text) for text in reason[left]]
