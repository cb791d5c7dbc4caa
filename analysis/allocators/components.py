"""Splits a problem into components that share no time, as arrays for the search."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.allocators.pairs import Pairs, pairs
from analysis.allocators.problem import NOT_FIXED, Problem
from analysis.allocators.sections import Sections, Uses
from schema.array_types import Bools, Ints

Unsigned = npt.NDArray[np.uint32]
"""Indices that the search reads most: with uint32 numba does not check for negative indices."""


class Component(NamedTuple):
    """Storages to place (blocks 0 to n - 1), and the sections 0 to s - 1 in which they are in use.

    Nested lists are flat arrays: those of item i are [begin[i], begin[i + 1]).

    - `pair_*`: the blocks in use at the same time as a block, and their minimum distances:
      `pair_above` if they are above the block, `pair_below` if they are below it.
    - `use_*`: sections of a block, and the bytes that it uses in them.
    - `held_*`: blocks in use in a section, and their lowest byte there.
    - `barrier_*`: open ranges in which a block cannot begin because of fixed storages.
    - `taken_*`: bytes of fixed storages in a section, sorted and disjoint.
    - `size` is the end of a block's highest byte in use, `first` and `last` its first and last
      section, `storage` its index in the problem. Blocks of the same `kind` differ only in their
      number.
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
    """Split the storages that are alive and not fixed into components that share no time, in order
    of time; [] if there are no such storages. Raises TooManyPairsError for more than 2^24 pairs.
    """
    free = problem.alive & (problem.fixed == NOT_FIXED)
    met = pairs(problem)
    met = Pairs(*(column[free[met.below] & free[met.above]] for column in met))
    hulls = _Hulls.of(used, free, cut.count)
    storage = np.flatnonzero(free)
    storage = storage[np.argsort(hulls.component[storage], kind="stable")]
    # Storages are numbered component by component, so that each component is a slice of every list.
    whole = _Whole(problem, used, storage, hulls, met)
    bounds = (
        np.flatnonzero(np.diff(hulls.component[storage], prepend=-1, append=-1)).tolist()
        if len(storage)
        else []
    )
    return [whole.component(low, high) for low, high in pairwise(bounds)]


class _Hulls(NamedTuple):
    """First and last section of each storage, and its component.

    A new component begins at a section that no free storage spans from the section before.
    """

    first: Ints
    last: Ints
    component: Ints

    @classmethod
    def of(cls, used: Uses, free: Bools, count: int) -> _Hulls:
        """Compute first and last section of each of the problem's storages from its uses, and
        number components from 0 in order of time; `free` marks storages that are not fixed. A
        storage without uses has first section `count` and last section -1.
        """
        first = np.full(len(free), count, dtype=np.int64)
        last = np.full(len(free), -1, dtype=np.int64)
        np.minimum.at(first, used.storage, used.first)
        np.maximum.at(last, used.storage, used.last - 1)
        spans = np.zeros(count + 2, dtype=np.int64)
        np.add.at(spans, first[free] + 1, 1)
        np.subtract.at(spans, last[free] + 1, 1)
        return cls(first, last, np.cumsum(np.cumsum(spans) == 0)[first])


class _Whole:
    """Flat lists (pairs, uses, barriers ...) of a whole problem, from which components are cut out.

    Free storages are numbered in the given order.
    """

    def __init__(
        self, problem: Problem, used: Uses, storage: Ints, hulls: _Hulls, met: Pairs
    ) -> None:
        number = np.full(len(problem), -1, dtype=np.int64)
        number[storage] = np.arange(len(storage))
        self._storage, self._hulls = storage, hulls
        self._size = _tops(problem)[storage]
        self._alignment = problem.demand.alignment[storage]
        self._kind = _kinds(problem)[storage]
        self._pairs = _sort_columns(
            number[met.below], number[met.above], met.above_by, met.below_by
        )
        use, section = used.per_section()
        free = number[used.storage[use]] >= 0
        row = (
            number[used.storage[use]][free],
            section[free],
            used.size[use][free],
            used.bottom[use][free],
        )
        self._uses = _sort_columns(*row)
        self._held = _sort_columns(row[1], row[0], row[3])
        barrier = _barriers(problem)
        self._barriers = _sort_columns(number[barrier[0]], barrier[1], barrier[2])
        self._taken = _ranges_of_fixed(problem, used)

    def component(self, low: int, high: int) -> Component:
        """Cut out the component of the storages with numbers [low, high), with its blocks and
        sections numbered from 0.
        """
        own = slice(low, high)
        storage = self._storage[own]
        first = self._hulls.first[storage]
        last = self._hulls.last[storage]
        start = int(first.min())
        end = int(last.max()) + 1
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
    """Return the columns as int64 arrays with their rows sorted by the first column, then by the
    second.
    """
    order = np.lexsort((columns[1], columns[0]))
    return tuple(np.asarray(column[order], dtype=np.int64) for column in columns)


def _cut_rows(columns: tuple[Ints, ...], low: int, high: int) -> tuple[Ints, ...]:
    """Cut out the rows with keys (in the first, sorted column) in [low, high).

    The first array has high - low + 1 elements: the index of each key's first row, relative to the
    first row cut out, then the number of rows. The other arrays are copies of the remaining
    columns.
    """
    begin = np.searchsorted(columns[0], np.arange(low, high + 1)).astype(np.int64)
    return (begin - begin[0], *(column[begin[0] : begin[-1]].copy() for column in columns[1:]))


def _tops(problem: Problem) -> Ints:
    """Compute the end, in bytes from its begin, of the highest byte that each storage uses; 0 for
    storages that use no byte.
    """
    top = np.zeros(len(problem), dtype=np.int64)
    np.maximum.at(top, problem.demand.storage[problem.used], problem.demand.top[problem.used])
    return top


def _barriers(problem: Problem) -> Ints:
    """Compute the open address ranges (low, high), in bytes, in which a storage cannot begin
    because of a fixed storage: an array with the three rows storage, low, high. It has no columns
    without fixed storages.
    """
    wanted = problem.demand
    fixed = problem.used & (problem.fixed[wanted.storage] != NOT_FIXED)
    free = np.flatnonzero(problem.used & ~fixed)
    barriers = [np.zeros((3, 0), dtype=np.int64)]
    for part in np.flatnonzero(fixed).tolist():
        base = problem.fixed[wanted.storage[part]]
        met = free[
            (wanted.start[free] < wanted.end[part]) & (wanted.end[free] > wanted.start[part])
        ]
        low = base + wanted.bottom[part] - wanted.top[met]
        barriers.append(
            np.stack([wanted.storage[met], low, base + wanted.top[part] - wanted.bottom[met]])
        )
    return np.concatenate(barriers, axis=1)


def _ranges_of_fixed(problem: Problem, used: Uses) -> tuple[Ints, ...]:
    """List the bytes that fixed storages use in each section: the columns section, low, high
    (half-open), sorted by section and low. Empty arrays without fixed storages.
    """
    use, section = used.per_section()
    fixed = problem.fixed[used.storage[use]] != NOT_FIXED
    use = use[fixed]
    section = section[fixed]
    low = problem.fixed[used.storage[use]] + used.bottom[use]
    return _sort_columns(section, low, low + used.size[use])


def _kinds(problem: Problem) -> Ints:
    """Assign a kind to each storage, the index of the first storage with equal alignment and equal
    parts.
    """
    wanted = problem.demand
    parts = problem.used
    rows = np.stack([wanted.start, wanted.end, wanted.bottom, wanted.top], axis=1)[parts]
    bounds = np.searchsorted(wanted.storage[parts], np.arange(len(problem) + 1)).tolist()
    alignment = wanted.alignment.tolist()
    first_index: dict[tuple[int, bytes], int] = {}
    kinds = [
        first_index.setdefault((alignment[at], rows[bounds[at] : bounds[at + 1]].tobytes()), at)
        for at in range(len(problem))
    ]
    return np.array(kinds, dtype=np.int64)
