"""Pairs of storages that are in use at the same time, with the required distance of their
addresses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.allocators.problem import Problem
from schema.array_types import Ints
from schema.plurals import plural

MAX_PAIRS = 1 << 24
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
    """List the pairs of storages that use bytes in the same step, in both orders; empty without
    such pairs. Raises TooManyPairsError for more than MAX_PAIRS (2^24) pairs of parts.
    """
    wanted = problem.demand
    part = np.flatnonzero(problem.used)
    part = part[np.argsort(wanted.start[part], kind="stable")]
    start = wanted.start[part]
    end = wanted.end[part]
    # If two parts overlap, the later part begins during the earlier part.
    reach = np.searchsorted(start, end) - np.arange(len(part)) - 1
    if 2 * int(reach.sum()) > MAX_PAIRS:
        raise TooManyPairsError(
            f"{problem.label} has {plural(int(reach.sum()), 'pair')} of overlapping lifetimes: too many"
        )
    first = np.repeat(np.arange(len(part)), reach)
    second = np.arange(len(first)) - np.repeat(np.cumsum(reach) - reach, reach) + first + 1
    both = np.concatenate([first, second])
    second = part[np.concatenate([second, first])]
    first = part[both]
    differ = wanted.storage[first] != wanted.storage[second]
    first = first[differ]
    second = second[differ]
    key, pair_of_part = np.unique(
        wanted.storage[first] * len(problem) + wanted.storage[second], return_inverse=True
    )
    gaps = np.full((2, len(key)), np.iinfo(np.int64).min)
    np.maximum.at(gaps[0], pair_of_part, wanted.top[first] - wanted.bottom[second])
    np.maximum.at(gaps[1], pair_of_part, wanted.top[second] - wanted.bottom[first])
    return Pairs(key // max(len(problem), 1), key % max(len(problem), 1), gaps[0], gaps[1])
