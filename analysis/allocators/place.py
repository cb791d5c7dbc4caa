"""Places storages successively, in a given order and by a rule (LOWEST, TIGHTEST or ON_TOP)."""

from __future__ import annotations

import numpy as np

from analysis.allocators.bank_pairs import BankPairs
from analysis.allocators.place_kernel import Apart, Bench, StorageLifetimes, place
from analysis.allocators.problem import NOT_FIXED, Problem
from schema.array_types import Ints
from schema.memory import MAX_BYTES

_MAX_SPARE = 1 << 13
"""Maximum number of additional ranges: ranges are sorted by insertion, in a time that grows with
the square of their disorder.
"""


class Placer:
    """Places the storages of a problem successively.

    Partners in `pairs` share no bank if there is such a place below `limit` bytes; otherwise they
    share as few banks as possible.
    """

    def __init__(
        self, problem: Problem, pairs: BankPairs | None = None, limit: int | None = None
    ) -> None:
        wanted = problem.demand
        used = problem.used
        self._lives = StorageLifetimes(
            bounds=np.searchsorted(wanted.storage[used], np.arange(len(problem) + 1)),
            start=wanted.start[used],
            end=wanted.end[used],
            bottom=wanted.bottom[used],
            top=wanted.top[used],
            alignment=wanted.alignment.copy(),
            fixed=problem.fixed.copy(),
        )
        self._apart = _apart(len(problem), pairs, MAX_BYTES if limit is None else limit)
        spare = _spare(self._lives)
        ranges = int(used.sum()) + len(self._apart.other) + spare
        part, begin, low, high = np.zeros((4, ranges), dtype=np.int64)
        self._bench = Bench(np.zeros(0, dtype=np.int64), part, begin, low, high, spare)
        self._fixed = problem.fixed != NOT_FIXED

    def place(self, order: Ints, rule: int) -> Ints:
        """Compute the address in bytes of each storage, placed in an order (indexes of all
        storages) by a rule; fixed storages are placed first, at their addresses.
        """
        queue = np.concatenate([np.flatnonzero(self._fixed), order[~self._fixed[order]]])
        address = np.full(len(queue), NOT_FIXED, dtype=np.int64)
        place(self._lives, self._apart, self._bench._replace(address=address), queue, rule)
        return address


def placed_in_order(problem: Problem, order: Ints, rule: int) -> Ints:
    """Compute the address in bytes of each storage by placing the storages in an order (indexes of
    all storages) by a rule (LOWEST, TIGHTEST or ON_TOP), without regard to banks.
    """
    return Placer(problem).place(order, rule)


def _spare(lives: StorageLifetimes) -> int:
    """Compute an upper bound, at most 2^13, of the ranges that a storage needs in addition to a
    range per overlapping part. Successive parts with the same lowest byte need only a single range.
    """
    own = np.repeat(np.arange(len(lives.bounds) - 1), np.diff(lives.bounds))
    changes = (np.diff(own) == 0) & (np.diff(lives.bottom) != 0)
    most = int(np.bincount(own[1:][changes]).max(initial=0))
    return min(most * len(own), _MAX_SPARE)


def _apart(count: int, pairs: BankPairs | None, limit: int) -> Apart:
    """List the pairs in both directions, sorted by storage, without pairs inside a storage; without
    `pairs` there are no entries.
    """
    if pairs is None:
        none = np.zeros(0, dtype=np.int64)
        return Apart(np.zeros(count + 1, dtype=np.int64), none, none, none, 1, limit)
    own = np.concatenate([pairs.one, pairs.other])
    other = np.concatenate([pairs.other, pairs.one])
    own_bytes = np.maximum(np.concatenate([pairs.one_bytes, pairs.other_bytes]), 1)
    other_bytes = np.maximum(np.concatenate([pairs.other_bytes, pairs.one_bytes]), 1)
    order = np.argsort(own, kind="stable")
    order = order[own[order] != other[order]]
    bounds = np.searchsorted(own[order], np.arange(count + 1))
    return Apart(
        bounds, other[order], own_bytes[order], other_bytes[order], pairs.banks.width, limit
    )
