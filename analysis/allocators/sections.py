"""Splits time into sections: intervals in which locally the most storages are in use."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from analysis.allocators.problem import NOT_FIXED, Problem
from schema.array_types import Bools, Ints

MAX_PLACES = 1 << 24
"""Maximum number of pairs of storage and section that are listed individually (400 MB)."""


@dataclass(frozen=True)
class Uses:
    """Bytes that storages use in sections; int64 arrays of equal length, sorted by storage and
    first section.

    A use spans sections [first, last) and at least the bytes [bottom, bottom + size) of its
    storage. No two uses of a storage share a section: if several blocks of a storage are alive at
    once, the block that uses the most bytes counts.
    """

    storage: Ints
    first: Ints
    last: Ints
    bottom: Ints
    size: Ints

    def per_section(self) -> tuple[Ints, Ints]:
        """List all pairs of a use and a section that it spans as two arrays, the indexes of uses
        and of sections, sorted by use, then by section.
        """
        counts = self.last - self.first
        use = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        return use, np.arange(len(use)) - np.repeat(
            np.cumsum(counts) - counts, counts
        ) + self.first[use]


@dataclass(frozen=True)
class Sections:
    """Sections of a problem; part i of the demand spans sections [first[i], last[i]).

    An interval of time whose storages are a subset of its neighbour's needs no more memory than the
    neighbour, so it is not a section.
    """

    count: int
    first: Ints
    last: Ints


def sections(problem: Problem) -> Sections:
    """Split the time of a problem into sections, numbered from 0 in order of time; parts that use
    no byte span no section. No sections if no part uses a byte.
    """
    wanted = problem.demand
    used = problem.used
    starts = np.unique(wanted.start[used])
    ends = np.unique(wanted.end[used])
    # A section begins with the last start before an end.
    latest = np.searchsorted(starts, ends) - 1
    begins = starts[np.unique(latest)] if len(ends) else starts
    first = np.searchsorted(begins, wanted.start)
    last = np.searchsorted(begins, wanted.end)
    return Sections(len(begins), np.where(used, first, 0), np.where(used, last, 0))


def uses(problem: Problem, cut: Sections) -> Uses:
    """Compute the bytes that each storage uses in each section; a storage that uses no byte has no
    row.
    """
    wanted = problem.demand
    part = np.flatnonzero(cut.last > cut.first)
    part = part[np.lexsort((cut.first[part], wanted.storage[part]))]
    rows = (wanted.storage[part], cut.first[part], cut.last[part], wanted.bottom[part])
    single = Uses(*rows, (wanted.top - wanted.bottom)[part])
    # Shift each storage to a time after the storage before it, so that uses of different storages
    # never clash.
    after = single.storage * (cut.count + 1)
    clash = (np.diff(single.storage) == 0) & (
        (after + single.first)[1:] < np.maximum.accumulate(after + single.last)[:-1]
    )
    shared = np.unique(single.storage[1:][clash])
    return single if not len(shared) else _merge_uses(single, np.isin(single.storage, shared))


def alive(problem: Problem, steps: int) -> Ints:
    """Compute the bytes in use in each of `steps` time steps, an element per step; blocks that
    share a storage count once.
    """
    used = uses(problem, Sections(steps, problem.demand.start, problem.demand.end))
    return _sum_sections(used, used.size, steps)


def lower_bound(problem: Problem, cut: Sections, used: Uses) -> int:
    """Compute a lower bound in bytes for the extent of every placement; 0 if no storage uses a
    byte.

    It is the maximum of the bytes in use at one time, or the end of the highest fixed storage. If
    all addresses are multiples of some number, sizes are rounded up to it, except for the storage
    on top.
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
            total,
            _sum_sections(used, rounded, cut.count)
            - _max_added(used, rounded - used.size, cut.count),
        )
    return int(max(highest, total.max()))


def compute_bound(problem: Problem) -> int:
    """Compute a lower bound in bytes for the extent of every placement of a problem, from its
    sections; see `lower_bound`.
    """
    cut = sections(problem)
    return lower_bound(problem, cut, uses(problem, cut))


def common_grain(problem: Problem) -> int:
    """Greatest common divisor, in bytes, of the alignments of all storages that use at least a byte
    in some step; 1 when there are no such storages.
    """
    return int(np.gcd.reduce(problem.demand.alignment[problem.alive])) if problem.alive.any() else 1


def _max_added(used: Uses, added: Ints, count: int) -> Ints:
    """Compute the largest of the amounts `added` (bytes, an element per use) in each of `count`
    sections. If there are more than MAX_PLACES (2^24) pairs of use and section, the largest overall
    is used for every section.
    """
    if int((used.last - used.first).sum()) > MAX_PLACES:
        return np.full(count, added.max())
    use, section = used.per_section()
    spared = np.zeros(count, dtype=np.int64)
    np.maximum.at(spared, section, added[use])
    return spared


def _sum_sections(used: Uses, amount: Ints, count: int) -> Ints:
    """Sum an amount per use over all uses that span each section, an element for each of `count`
    sections.
    """
    change = np.zeros(count + 1, dtype=np.int64)
    np.add.at(change, used.first, amount)
    np.subtract.at(change, used.last, amount)
    return np.cumsum(change[:-1])


def _merge_uses(overlapping: Uses, clash: Bools) -> Uses:
    """Return the uses with those of storages flagged in `clash`, which hold several live blocks,
    split and merged, so that no two uses of a storage share a section. The result is sorted by
    storage and first section.
    """
    pieces = [
        overlapping.storage[~clash],
        overlapping.first[~clash],
        overlapping.last[~clash],
        overlapping.bottom[~clash],
        overlapping.size[~clash],
    ]
    cut_uses: list[tuple[int, ...]] = []
    shared = np.unique(overlapping.storage[clash])
    begins, ends = (
        np.searchsorted(overlapping.storage, shared, side).tolist() for side in ("left", "right")
    )
    for storage, begin, end in zip(shared.tolist(), begins, ends, strict=True):
        own = np.arange(begin, end)
        cuts = np.unique(np.concatenate([overlapping.first[own], overlapping.last[own]])).tolist()
        for low, high in pairwise(cuts):
            spanning = own[(overlapping.first[own] <= low) & (overlapping.last[own] >= high)]
            if len(spanning):
                cut_uses.append(
                    (
                        storage,
                        low,
                        high,
                        int(overlapping.bottom[spanning].min()),
                        int(overlapping.size[spanning].max()),
                    )
                )
    columns = np.array(cut_uses, dtype=np.int64).reshape(-1, len(pieces)).T
    joined = [
        np.concatenate([piece, column]) for piece, column in zip(pieces, columns, strict=True)
    ]
    order = np.lexsort((joined[1], joined[0]))
    return Uses(*(column[order] for column in joined))
