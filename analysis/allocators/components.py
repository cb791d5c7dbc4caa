"""A problem cut into components that have nothing to do with each other, as arrays for the search."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.allocators.pairs import Pairs, pairs
from analysis.allocators.problem import NOT_FIXED, Problem
from analysis.allocators.sections import Sections, Uses
from schema.array_types import Ints

Unsigned = npt.NDArray[np.uint32]
"""Positions that the search goes through most: numba need not ask whether they are below zero."""


class Component(NamedTuple):
    """Storages to be placed (blocks 0 to n - 1), and the sections 0 to s - 1 that they are in use in.

    Lists of lists are flat: those of item i are [begin[i], begin[i + 1]). `pair_*`: the blocks that are in use at one
    time with a block; how far above it they are at least if they lie above it, and how far below if below. `use_*`:
    sections of a block, and bytes that it uses in them. `held_*`: blocks in use in a section, and their lowest byte
    there. `barrier_*`: open ranges in which a block cannot begin because of what is fixed. `taken_*`: bytes of fixed
    storages in a section, sorted, apart from each other. `size` is the end of a block's highest byte in use; `first`
    and `last` are its first and last section, `storage` its position in the problem; blocks of one `kind` are the same
    in all but their number.
    """

    storage: Ints
    size: Ints
    alignment: Ints
    kind: Ints
    first: Ints
    last: Ints
    pair_begin: Ints
    pair_block: Unsigned
    pair_above: Ints
    pair_below: Ints
    use_begin: Ints
    use_section: Unsigned
    use_size: Ints
    held_begin: Ints
    held_block: Unsigned
    held_bottom: Ints
    barrier_begin: Ints
    barrier_low: Ints
    barrier_high: Ints
    taken_begin: Ints
    taken_low: Ints
    taken_high: Ints


def components(problem: Problem, cut: Sections, used: Uses) -> list[Component]:
    """Return the components of what is not fixed, in the order of time; raises TooManyPairsError."""
    free = problem.alive & (problem.fixed == NOT_FIXED)
    met = pairs(problem)
    met = Pairs(*(column[free[met.below] & free[met.above]] for column in met))
    hulls = _Hulls.of(used, free, cut.count)
    storage = np.flatnonzero(free)
    storage = storage[np.argsort(hulls.component[storage], kind="stable")]
    # All of the problem is numbered component by component, so that each of them is a slice of every list.
    whole = _Whole(problem, used, storage, hulls, met)
    bounds = np.flatnonzero(np.diff(hulls.component[storage], prepend=-1, append=-1)).tolist() if len(storage) else []
    return [whole.component(low, high) for low, high in pairwise(bounds)]


class _Hulls(NamedTuple):
    """First and last section of each storage, and its component: a new one begins where no free storage lives on."""

    first: Ints
    last: Ints
    component: Ints

    @classmethod
    def of(cls, used: Uses, free: npt.NDArray[np.bool_], count: int) -> _Hulls:
        first = np.full(len(free), count, dtype=np.int64)
        last = np.full(len(free), -1, dtype=np.int64)
        np.minimum.at(first, used.storage, used.first)
        np.maximum.at(last, used.storage, used.last - 1)
        spans = np.zeros(count + 2, dtype=np.int64)
        np.add.at(spans, first[free] + 1, 1)
        np.subtract.at(spans, last[free] + 1, 1)
        return cls(first, last, np.cumsum(np.cumsum(spans) == 0)[first])


class _Whole:
    """The lists of a whole problem, its free storages numbered in the order given."""

    def __init__(self, problem: Problem, used: Uses, storage: Ints, hulls: _Hulls, met: Pairs) -> None:
        number = np.full(len(problem), -1, dtype=np.int64)
        number[storage] = np.arange(len(storage))
        self._storage, self._hulls = storage, hulls
        self._size = _tops(problem)[storage]
        self._alignment = problem.demand.alignment[storage]
        self._kind = _kinds(problem)[storage]
        self._pairs = _sort_columns(number[met.below], number[met.above], met.above_by, met.below_by)
        use, section = used.per_section()
        free = number[used.storage[use]] >= 0
        row = (number[used.storage[use]][free], section[free], used.size[use][free], used.bottom[use][free])
        self._uses = _sort_columns(*row)
        self._held = _sort_columns(row[1], row[0], row[3])
        barrier = _barriers(problem)
        self._barriers = _sort_columns(number[barrier[0]], barrier[1], barrier[2])
        self._taken = _ranges_of_fixed(problem, used)

    def component(self, low: int, high: int) -> Component:
        """Return the component of storages [low, high)."""
        own = slice(low, high)
        storage = self._storage[own]
        first, last = self._hulls.first[storage], self._hulls.last[storage]
        start, end = int(first.min()), int(last.max()) + 1
        pair_begin, pair_block, above, below = _cut_rows(self._pairs, low, high)
        use_begin, use_section, use_size, _ = _cut_rows(self._uses, low, high)
        held_begin, held_block, held_bottom = _cut_rows(self._held, start, end)
        barrier_begin, barrier_low, barrier_high = _cut_rows(self._barriers, low, high)
        taken_begin, taken_low, taken_high = _cut_rows(self._taken, start, end)
        return Component(
            storage=storage.copy(),
            size=self._size[own].copy(),
            alignment=self._alignment[own].copy(),
            kind=self._kind[own].copy(),
            first=first - start,
            last=last - start,
            pair_begin=pair_begin,
            pair_block=(pair_block - low).astype(np.uint32),
            pair_above=above,
            pair_below=below,
            use_begin=use_begin,
            use_section=(use_section - start).astype(np.uint32),
            use_size=use_size,
            held_begin=held_begin,
            held_block=(held_block - low).astype(np.uint32),
            held_bottom=held_bottom,
            barrier_begin=barrier_begin,
            barrier_low=barrier_low,
            barrier_high=barrier_high,
            taken_begin=taken_begin,
            taken_low=taken_low,
            taken_high=taken_high,
        )


def _sort_columns(*columns: Ints) -> tuple[Ints, ...]:
    """Return columns sorted by the first, then by the second."""
    order = np.lexsort((columns[1], columns[0]))
    return tuple(np.asarray(column[order], dtype=np.int64) for column in columns)


def _cut_rows(columns: tuple[Ints, ...], low: int, high: int) -> tuple[Ints, ...]:
    """Return where the rows of each key in [low, high) begin, from the first of them, and copies of other columns."""
    begin = np.searchsorted(columns[0], np.arange(low, high + 1)).astype(np.int64)
    return (begin - begin[0], *(column[begin[0] : begin[-1]].copy() for column in columns[1:]))


def _tops(problem: Problem) -> Ints:
    """Return the end of the highest byte that each storage ever uses."""
    top = np.zeros(len(problem), dtype=np.int64)
    np.maximum.at(top, problem.demand.storage[problem.used], problem.demand.top[problem.used])
    return top


def _barriers(problem: Problem) -> Ints:
    """Return rows storage, low, high: open ranges in which a storage cannot begin because of a fixed one."""
    wanted = problem.demand
    fixed = problem.used & (problem.fixed[wanted.storage] != NOT_FIXED)
    free = np.flatnonzero(problem.used & ~fixed)
    found = [np.zeros((3, 0), dtype=np.int64)]
    for part in np.flatnonzero(fixed).tolist():
        base = problem.fixed[wanted.storage[part]]
        met = free[(wanted.start[free] < wanted.end[part]) & (wanted.end[free] > wanted.start[part])]
        low = base + wanted.bottom[part] - wanted.top[met]
        found.append(np.stack([wanted.storage[met], low, base + wanted.top[part] - wanted.bottom[met]]))
    return np.concatenate(found, axis=1)


def _ranges_of_fixed(problem: Problem, used: Uses) -> tuple[Ints, ...]:
    """Return columns section, low, high of the bytes that fixed storages use, sorted."""
    use, section = used.per_section()
    fixed = problem.fixed[used.storage[use]] != NOT_FIXED
    use, section = use[fixed], section[fixed]
    low = problem.fixed[used.storage[use]] + used.bottom[use]
    return _sort_columns(section, low, low + used.size[use])


def _kinds(problem: Problem) -> Ints:
    """Return a number per storage that those share which differ in nothing."""
    wanted, parts = problem.demand, problem.used
    rows = np.stack([wanted.start, wanted.end, wanted.bottom, wanted.top], axis=1)[parts]
    bounds = np.searchsorted(wanted.storage[parts], np.arange(len(problem) + 1)).tolist()
    alignment = wanted.alignment.tolist()
    known: dict[tuple[int, bytes], int] = {}
    kinds = [
        known.setdefault((alignment[at], rows[bounds[at] : bounds[at + 1]].tobytes()), at) for at in range(len(problem))
    ]
    return np.array(kinds, dtype=np.int64)
