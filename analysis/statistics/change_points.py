"""Where a series of runs changes its level: a scan by ranks, which single odd runs do not move."""

from __future__ import annotations

import math

import numpy as np

from schema.array_types import Floats

LEAST_RUNS = 8
"""Runs from which there is a series to look at."""
_LEAST_SIDE = 4
_SHUFFLES = 999
_AT_ONCE = 111
"""Shuffles that are in memory at once."""
_MOST_REACHED = 9
"""Shuffles that may reach the score of a cut: with the series itself 1 % of all."""
_LEAST_CHANGE = 0.02
_SEED = 20261122
_ROUNDS = 10


def change_points(values: Floats) -> list[int]:
    """Return the positions at which the level changes, rising: the first value of each new level.

    A part of the series is cut where the standardised rank sum is largest, if fewer than 1 % of 999 shuffles (with a
    fixed seed) reach it; both parts go on. At last each cut moves to the best place between its neighbours, and those
    between levels whose medians differ by less than 2 % are dropped. A part has at least 4 values, so that the last
    three begin no level. The values are above 0.
    """
    if len(values) < LEAST_RUNS:
        return []
    draw = np.random.default_rng(_SEED)
    waiting, found = [(0, len(values))], []
    while waiting:
        first, last = waiting.pop(0)
        cut = _cut(values[first:last], draw)
        if cut is not None:
            found.append(first + cut)
            waiting += [(first, first + cut), (first + cut, last)]
    return _large(values, _refined(values, sorted(found)))


def relative_change(values: Floats, points: list[int], index: int) -> float:
    """Return by how much the median changes at the change point of an index."""
    edges = [0, *points, len(values)]
    before, after = values[edges[index] : edges[index + 1]], values[edges[index + 1] : edges[index + 2]]
    return float(np.median(after) / np.median(before) - 1)


def _cut(values: Floats, draw: np.random.Generator) -> int | None:
    """Return where a series is cut, None where nothing says so."""
    count = len(values)
    if count < 2 * _LEAST_SIDE:
        return None
    ranks = _ranks(values)
    scores = _scores(ranks[None, :])[0]
    best = int(scores.argmax())
    return best + _LEAST_SIDE if _is_rare(float(scores[best]), ranks, draw) else None


def _is_rare(score: float, ranks: Floats, draw: np.random.Generator) -> bool:
    """Return whether few shuffles of the ranks reach a score; no more are made than it takes to say no."""
    shuffled, reached = np.tile(ranks, (_AT_ONCE, 1)), 0
    for _ in range(_SHUFFLES // _AT_ONCE):
        draw.permuted(shuffled, axis=1, out=shuffled)
        reached += int((_scores(shuffled).max(axis=1) >= score - 1e-12).sum())
        if reached > _MOST_REACHED:
            return False
    return True


def _refined(values: Floats, points: list[int]) -> list[int]:
    """Return the points, each at the best place between its neighbours: the first cut was made among all levels."""
    for _ in range(_ROUNDS):
        edges = [0, *points, len(values)]
        for index in range(1, len(edges) - 1):
            first, last = edges[index - 1], edges[index + 1]
            scores = _scores(_ranks(values[first:last])[None, :])[0]
            edges[index] = first + int(scores.argmax()) + _LEAST_SIDE
        if edges[1:-1] == points:
            break
        points = edges[1:-1]
    return points


def _scores(ranks: Floats) -> Floats:
    """Return per series and place how far the sum of the ranks before it is from what chance gives, standardised."""
    count = ranks.shape[1]
    before = np.arange(_LEAST_SIDE, count - _LEAST_SIDE + 1)
    scores: Floats = np.cumsum(ranks, axis=1)[:, _LEAST_SIDE - 1 : count - _LEAST_SIDE]
    scores -= before * (count + 1) / 2
    np.abs(scores, out=scores)
    scores /= np.sqrt(before * (count - before) * (count + 1) / 12)
    return scores


def _ranks(values: Floats) -> Floats:
    """Return the ranks from 1, equal values sharing theirs."""
    _, code, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    shared: Floats = ((last - counts + 1 + last) / 2)[code]
    return shared


def _large(values: Floats, points: list[int]) -> list[int]:
    """Return the points without those, the smallest change first, that change too little."""
    points = list(points)
    while points:
        changes = [abs(math.log1p(relative_change(values, points, index))) for index in range(len(points))]
        least = int(np.argmin(changes))
        if changes[least] >= math.log1p(_LEAST_CHANGE):
            break
        points.pop(least)
    return points
