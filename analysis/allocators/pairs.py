"""Which storages are in each other's way, and how far apart their addresses have to be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.allocators.problem import Problem
from schema.array_types import Ints

MOST_PAIRS = 1 << 24
"""Pairs beyond which there is no search: they would take 400 MB."""


class Pairs(NamedTuple):
    """Pairs of storages that are in use at one time, each in both orders, sorted by the two.

    If `above` lies above `below`, its address is at least that of `below` plus `above_by`; if it lies under it, that of
    `below` is at least its own plus `below_by`.
    """

    below: Ints
    above: Ints
    above_by: Ints
    below_by: Ints


class TooManyPairsError(ValueError):
    """More pairs than a search has memory for."""


def pairs(problem: Problem) -> Pairs:
    """Return the pairs of a problem; raises TooManyPairsError."""
    wanted = problem.demand
    part = np.flatnonzero(problem.used)
    part = part[np.argsort(wanted.start[part], kind="stable")]
    start, end = wanted.start[part], wanted.end[part]
    # Of two parts that meet, the later one begins in the time of the earlier one.
    reach = np.searchsorted(start, end) - np.arange(len(part)) - 1
    if 2 * int(reach.sum()) > MOST_PAIRS:
        raise TooManyPairsError(f"{problem.label} has {int(reach.sum())} pairs of lifetimes that meet: too many")
    one = np.repeat(np.arange(len(part)), reach)
    other = np.arange(len(one)) - np.repeat(np.cumsum(reach) - reach, reach) + one + 1
    one, other = part[np.concatenate([one, other])], part[np.concatenate([other, one])]
    apart = wanted.storage[one] != wanted.storage[other]
    one, other = one[apart], other[apart]
    key, found = np.unique(wanted.storage[one] * len(problem) + wanted.storage[other], return_inverse=True)
    gaps = np.full((2, len(key)), np.iinfo(np.int64).min)
    np.maximum.at(gaps[0], found, wanted.top[one] - wanted.bottom[other])
    np.maximum.at(gaps[1], found, wanted.top[other] - wanted.bottom[one])
    return Pairs(key // max(len(problem), 1), key % max(len(problem), 1), gaps[0], gaps[1])
