"""Pairs of storages that are in use at the same time, with the required distance of their
addresses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.allocators.problem import Problem
from schema.array_types import Ints

MOST_PAIRS = 1 << 24
"""Maximum number of pairs for a search: more would need over 400 MB."""


class Pairs(NamedTuple):
    """Pairs of storages that are in use at the same time, each in both orders, sorted by `below`,
    then `above`.

    If `above` is placed above `below`, its address is at least address(below) + `above_by`. If it
    is placed under `below`, its address is at most address(below) - `below_by`.
    """

    below: Ints
    above: Ints
    above_by: Ints
    below_by: Ints


class TooManyPairsError(ValueError):
    """The problem has more pairs than a search has memory for."""


def pairs(problem: Problem) -> Pairs:
    """List the pairs of storages that are in use at the same time; raises TooManyPairsError."""
    wanted = problem.demand
    part = np.flatnonzero(problem.used)
    part = part[np.argsort(wanted.start[part], kind="stable")]
    start, end = wanted.start[part], wanted.end[part]
    # If two parts overlap, the later part begins during the earlier part.
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
