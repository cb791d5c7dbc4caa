"""Time cut into sections: the stretches in which as many storages are in use as nowhere around."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from analysis.allocators.problem import NOT_FIXED, Problem
from schema.array_types import Bools, Ints

MOST_PLACES = 1 << 24
"""Storages times sections that are looked at one by one: 400 MB."""


@dataclass(frozen=True)
class Uses:
    """Which bytes a storage uses in which sections; all int64, one length, sorted by storage and first section.

    A use spans sections [first, last) and bytes [bottom, bottom + size) of its storage at least. No two uses of a
    storage share a section: where blocks that share a storage live at once, the one that uses most counts.
    """

    storage: Ints
    first: Ints
    last: Ints
    bottom: Ints
    size: Ints

    def per_section(self) -> tuple[Ints, Ints]:
        """Return every pair of a use (its position) and a section that it spans, sorted by use."""
        counts = self.last - self.first
        use = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        return use, np.arange(len(use)) - np.repeat(np.cumsum(counts) - counts, counts) + self.first[use]


@dataclass(frozen=True)
class Sections:
    """Sections of a problem. `first` and `last` span each part's sections, parts being those of its demand.

    A stretch of time in which fewer storages are in use than right before or after it asks for nothing that its
    neighbour does not ask for: it is no section.
    """

    count: int
    first: Ints
    last: Ints


def sections(problem: Problem) -> Sections:
    """Return the sections of a problem, and which of them each part of its demand spans."""
    wanted, used = problem.demand, problem.used
    starts, ends = np.unique(wanted.start[used]), np.unique(wanted.end[used])
    # A section begins with the last start before an end.
    latest = np.searchsorted(starts, ends) - 1
    begins = starts[np.unique(latest)] if len(ends) else starts
    first, last = np.searchsorted(begins, wanted.start), np.searchsorted(begins, wanted.end)
    return Sections(len(begins), np.where(used, first, 0), np.where(used, last, 0))


def uses(problem: Problem, cut: Sections) -> Uses:
    """Return which bytes each storage uses in which sections."""
    wanted = problem.demand
    part = np.flatnonzero(cut.last > cut.first)
    part = part[np.lexsort((cut.first[part], wanted.storage[part]))]
    rows = (wanted.storage[part], cut.first[part], cut.last[part], wanted.bottom[part])
    alone = Uses(*rows, (wanted.top - wanted.bottom)[part])
    # As if each storage came after the one before it: what that one uses late is no clash with this one.
    after = alone.storage * (cut.count + 1)
    clash = (np.diff(alone.storage) == 0) & ((after + alone.first)[1:] < np.maximum.accumulate(after + alone.last)[:-1])
    shared = np.unique(alone.storage[1:][clash])
    return alone if not len(shared) else _merge_uses(alone, np.isin(alone.storage, shared))


def alive(problem: Problem, steps: int) -> Ints:
    """Return the bytes in use in each step, those that share a storage once."""
    used = uses(problem, Sections(steps, problem.demand.start, problem.demand.end))
    return _sum_sections(used, used.size, steps)


def lower_bound(problem: Problem, cut: Sections, used: Uses) -> int:
    """Return an extent that no placement can be below.

    The most bytes in use at one time, or the end of the highest fixed storage. Where all addresses are multiples of
    some number, so is all that lies between two of them: sizes count rounded up, but for one, which may lie on top.
    """
    fixed = problem.fixed != NOT_FIXED
    highest = problem.extent(np.where(fixed, problem.fixed, -problem.demand.size))
    if not len(used.storage):
        return highest
    total = _sum_sections(used, used.size, cut.count)
    grain = common_grain(problem)
    if grain > 1:
        whole = (used.bottom == 0) & (used.size == problem.demand.size[used.storage])
        rounded = np.where(whole, -(-used.size // grain) * grain, used.size)
        total = np.maximum(
            total, _sum_sections(used, rounded, cut.count) - _most_added(used, rounded - used.size, cut.count)
        )
    return int(max(highest, total.max()))


def bound_of(problem: Problem) -> int:
    """Return an extent that no placement of a problem can be below."""
    cut = sections(problem)
    return lower_bound(problem, cut, uses(problem, cut))


def common_grain(problem: Problem) -> int:
    """Return the largest number that every address is a multiple of."""
    return int(np.gcd.reduce(problem.demand.alignment[problem.alive])) if problem.alive.any() else 1


def _most_added(used: Uses, added: Ints, count: int) -> Ints:
    """Return the most that was added to one storage in each section, or in any where there are very many."""
    if int((used.last - used.first).sum()) > MOST_PLACES:
        return np.full(count, added.max())
    use, section = used.per_section()
    spared = np.zeros(count, dtype=np.int64)
    np.maximum.at(spared, section, added[use])
    return spared


def _sum_sections(used: Uses, amount: Ints, count: int) -> Ints:
    change = np.zeros(count + 1, dtype=np.int64)
    np.add.at(change, used.first, amount)
    np.subtract.at(change, used.last, amount)
    return np.cumsum(change[:-1])


def _merge_uses(alone: Uses, clash: Bools) -> Uses:
    """Return the uses, those of storages in which several blocks live at once cut so that no two share a section."""
    pieces = [alone.storage[~clash], alone.first[~clash], alone.last[~clash], alone.bottom[~clash], alone.size[~clash]]
    made: list[tuple[int, ...]] = []
    shared = np.unique(alone.storage[clash])
    begins, ends = (np.searchsorted(alone.storage, shared, side).tolist() for side in ("left", "right"))
    for storage, begin, end in zip(shared.tolist(), begins, ends, strict=True):
        own = np.arange(begin, end)
        cuts = np.unique(np.concatenate([alone.first[own], alone.last[own]])).tolist()
        for low, high in pairwise(cuts):
            there = own[(alone.first[own] <= low) & (alone.last[own] >= high)]
            if len(there):
                made.append((storage, low, high, int(alone.bottom[there].min()), int(alone.size[there].max())))
    columns = np.array(made, dtype=np.int64).reshape(-1, len(pieces)).T
    joined = [np.concatenate([piece, column]) for piece, column in zip(pieces, columns, strict=True)]
    order = np.lexsort((joined[1], joined[0]))
    return Uses(*(column[order] for column in joined))
