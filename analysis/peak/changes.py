"""Changes of lifetimes that may lower a peak: frees after the last use, and moves out and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.peak.live import LiveBytes
from analysis.peak.parts import PeakParts
from analysis.peak.storage_uses import StorageUses
from schema.array_types import Ints

FREE, MOVE = "free_earlier", "move"
"""Kinds of changes of lifetimes."""
_MAX_CELLS = 20_000_000
"""Maximum number of frees times steps for which needless frees are dropped: about 0.1 s."""
_MAX_FREES, _MAX_MOVES = 8, 5
"""Maximum number of single frees and of single moves that are tried."""


@dataclass(frozen=True)
class Freed:
    """A storage and the steps [begin, end) in which its bytes are not needed; `row` is its block."""

    row: int
    begin: int
    end: int


@dataclass(frozen=True)
class LifeChange:
    """A change of the lifetimes of storages: FREE or MOVE. `moved` are the bytes that a move writes
    out and reads back.
    """

    kind: str
    freed: tuple[Freed, ...]
    moved: int = 0

    def apply(self, blocks: pd.DataFrame, owner: Ints) -> pd.DataFrame:
        """Return blocks with the changed lifetimes; `owner` has the row of the block that owns the
        storage of each block.
        """
        if self.kind == MOVE:
            gaps = blocks["gaps"].fillna("").astype("object").to_numpy(copy=True)
            for one in self.freed:
                gaps[one.row] = f"{one.begin}-{one.end}"
            return blocks.assign(gaps=pd.Series(gaps, blocks.index).astype(blocks["gaps"].dtype))
        limit = np.full(len(blocks), np.iinfo(np.int64).max)
        limit[[one.row for one in self.freed]] = [one.begin for one in self.freed]
        start = blocks["start"].to_numpy(np.int64)
        end = blocks["end"].to_numpy(np.int64)
        return blocks.assign(end=np.minimum(end, np.maximum(limit[owner], start)))


def find_frees(
    blocks: pd.DataFrame, live: LiveBytes, uses: StorageUses, *, is_placed: bool
) -> Iterator[LifeChange]:
    """Yield frees after the last use: first all that lower the peak together, then single frees, the
    most bytes gained first.

    If blocks have no places (`is_placed`), the gain of a change is the decrease of the bytes alive
    at the peak; a change without a gain is left out.
    """
    late = np.flatnonzero(uses.last < uses.end)
    if not len(late):
        return
    left = live.without(uses.last[late], uses.end[late], uses.size[late])
    order = np.lexsort((uses.row[late], -uses.size[late], left))
    chosen = late[order]
    every = [Freed(int(uses.row[at]), int(uses.last[at]), int(uses.end[at])) for at in chosen]
    together = _in_the_way(blocks, live, uses, every)
    if len(together) > 1:
        yield LifeChange(FREE, together)
    for one, peak in zip(every[:_MAX_FREES], left[order].tolist(), strict=False):
        if is_placed or peak < live.peak:
            yield LifeChange(FREE, (one,))


def find_moves(
    live: LiveBytes, uses: StorageUses, parts: PeakParts, *, is_placed: bool
) -> Iterator[LifeChange]:
    """Yield moves of storages that the peak does not use but a later step does: the most bytes
    gained first, of equal gains the fewest bytes moved. `is_placed` is as in `find_frees`.
    """
    before, after = uses.around(parts.step, parts.end)
    idle = np.flatnonzero((after > before) & (after <= uses.end) & ~uses.shared)
    if not len(idle):
        return
    left = live.without(before[idle], after[idle], uses.size[idle])
    order = np.lexsort((uses.row[idle], uses.size[idle], left))[:_MAX_MOVES]
    for at in idle[order[is_placed | (left[order] < live.peak)]].tolist():
        one = Freed(int(uses.row[at]), int(before[at]), int(after[at]))
        yield LifeChange(MOVE, (one,), 2 * int(uses.size[at]))


def _in_the_way(
    blocks: pd.DataFrame, live: LiveBytes, uses: StorageUses, every: list[Freed]
) -> tuple[Freed, ...]:
    """Select the frees that are needed for the lowest peak: frees at a time when
    more is alive than remains at the peak after all frees.
    """
    changed = LifeChange(FREE, tuple(every)).apply(blocks, uses.owner)
    least = live.of(changed).peak
    above = np.flatnonzero(live.bytes > least)
    begins = live.step[above]
    ends = np.append(live.step, live.end)[above + 1]
    # The first time above the remaining peak that ends after the free, if it begins in time.
    following = np.searchsorted(ends, [one.begin for one in every], side="right")
    begun = np.searchsorted(begins, [one.end for one in every], side="left")
    needed = [one for one, is_needed in zip(every, following < begun, strict=True) if is_needed]
    return _without_needless(blocks, live, uses, needed)


def _without_needless(
    blocks: pd.DataFrame, live: LiveBytes, uses: StorageUses, freed: list[Freed]
) -> tuple[Freed, ...]:
    """Drop frees without which the peak after all of them stays as low, the smallest blocks first.

    A free may be in the way of the lowest peak only because another storage is alive then, whose
    free is enough.
    """
    if len(freed) * len(live.step) > _MAX_CELLS:
        return tuple(freed)
    after = live.of(LifeChange(FREE, tuple(freed)).apply(blocks, uses.owner))
    alive = after.bytes.copy()
    ends = np.append(after.step[1:], after.end)
    sizes = blocks["size"].to_numpy(np.int64)
    needed = set(freed)
    for one in sorted(freed, key=lambda one: (int(sizes[one.row]), one.row)):
        late = (after.step < one.end) & (ends > one.begin)
        if late.any() and alive[late].max() + sizes[one.row] <= after.peak:
            alive[late] += sizes[one.row]
            needed.remove(one)
    return tuple(one for one in freed if one in needed)
