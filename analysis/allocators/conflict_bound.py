"""Lower bound for the number of bank conflicts of every placement."""

from __future__ import annotations

import numpy as np

from analysis.allocators.bank_pairs import BankPairs
from analysis.allocators.problem import NOT_FIXED, Problem
from analysis.memory.shared_banks import shared_banks
from schema.array_types import Bools, Ints


def conflict_limit(problem: Problem, room: int | None) -> int | None:
    """Compute the bytes above the constants that are inside both the banks and the room; `None` if
    neither is limited.
    """
    limits = [limit for limit in (problem.memory, room) if limit is not None]
    return min(limits, default=None)


def least_conflicts(problem: Problem, room: int | None = None) -> int:
    """Compute a lower bound for the number of bank conflicts of every placement within memory and
    room (bytes); 0 if pairs or both limits are unknown.

    It counts the pairs that share a bank wherever they are placed.
    """
    pairs = problem.pairs
    limit = conflict_limit(problem, room)
    if pairs is None or limit is None:
        return 0
    most = np.zeros(int(pairs.step_names.max(initial=-1)) + 1, dtype=np.int64)
    # Entries with equal step and names count once, as in the findings, hence the maximum.
    np.maximum.at(most, pairs.step_names, _fewest_shared(problem, pairs, limit))
    return int(most.sum())


def _fewest_shared(problem: Problem, pairs: BankPairs, limit: int) -> Ints:
    """Compute the fewest banks that each pair can share, an element per entry of the pairs."""
    sizes = (pairs.one_bytes, pairs.other_bytes)
    places = (problem.fixed[pairs.one], problem.fixed[pairs.other])
    # Both blocks of a pair inside a storage begin at the same address.
    in_one = -(-np.maximum(np.minimum(*sizes), 1) // pairs.banks.width)
    apart = _can_lie_above(problem, pairs, limit, upper_is_one=False)
    apart |= _can_lie_above(problem, pairs, limit, upper_is_one=True)
    least = np.where(pairs.one == pairs.other, in_one, np.where(apart, 0, 1))
    both = (places[0] != NOT_FIXED) & (places[1] != NOT_FIXED)
    return np.where(both, shared_banks(pairs.banks, places, sizes).count, least)


def _can_lie_above(problem: Problem, pairs: BankPairs, limit: int, *, upper_is_one: bool) -> Bools:
    """Mask of the pairs (an element per entry) in which the upper storage can begin in a higher
    bank than the bank in which the lower storage ends, within `limit` bytes. `upper_is_one`:
    storage `one` of the pair is the upper storage.
    """
    lower = pairs.one
    upper = pairs.other
    length = pairs.one_bytes
    if upper_is_one:
        lower = pairs.other
        upper = pairs.one
        length = pairs.other_bytes
    width = pairs.banks.width
    alignment = problem.demand.alignment[upper]
    end = -(-(np.maximum(problem.fixed[lower], 0) + np.maximum(length, 1)) // width) * width
    lowest = -(-end // alignment) * alignment
    fixed = problem.fixed[upper]
    return np.asarray(
        np.where(fixed == NOT_FIXED, lowest + problem.demand.size[upper] <= limit, fixed >= end)
    )
