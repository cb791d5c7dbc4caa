"""Survey of the arenas of many attempts, on which their numbers, occupancy and
findings are based.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED
from analysis.memory.lives import Lifetimes
from analysis.memory.storage import find_storage
from analysis.memory.sweep import highest, pairs_by_address, sweep
from schema.array_types import Bools, Floats, Ints


@dataclass(frozen=True)
class Surveyed:
    """Survey of the arenas of many attempts: lifetimes of their blocks, and a sweep over their
    addresses.

    - `looked` is the mask of the cells that were swept.
    - `lower`, `upper`, `pair_cell`: pairs of parts of `lives` that share bytes, and a cell in which
      they do; complete if `exact`.
    - Per cell: `union`, the bytes covered, NOT_PLACED if unknown; `top`, the end of the highest
      part; `fragmentation`. These are NOT_PLACED, or NaN, if an attempt has no address at all.
    - `extent` is the highest end of each attempt, NOT_PLACED if it has no address.
    - `storage` is the row of the block that owns the storage of each block.
    """

    lives: Lifetimes
    looked: Bools
    lower: Ints
    upper: Ints
    pair_cell: Ints
    exact: bool
    union: Ints
    top: Ints
    fragmentation: Floats
    extent: Ints
    storage: Ints


def survey(alive: Lifetimes) -> Surveyed:
    """Compute the extent of every attempt, the owner of every storage, and the covered bytes,
    fragmentation and overlaps per cell by a sweep over addresses. Overlaps are incomplete (`exact`
    False) only for very many blocks.
    """
    parts = np.flatnonzero(alive.placed_mask & (alive.high > alive.low))
    extent = _extent(alive)
    first, last, low, high = (
        values[parts] for values in (alive.first, alive.last, alive.low, alive.high)
    )
    swept = sweep(first, last, low, high, arena_bytes(alive.attempts, extent)[alive.cells.attempt])
    pairs = swept.pairs
    exact = bool(swept.looked.all())
    if not exact:
        # Some cells were skipped, so look for overlaps by address, which needs no cells.
        everywhere = pairs_by_address(first, last, low, high, alive.owner[alive.row[parts]])
        pairs, exact = (pairs, False) if everywhere is None else (everywhere, True)
    nowhere = (extent == NOT_PLACED)[alive.cells.attempt]
    # If no two parts share bytes, the live bytes are the covered bytes.
    covered = np.where(
        swept.looked,
        swept.covered,
        NOT_PLACED if pairs.size or not exact else alive.sum_per_cell(parts),
    )
    union = np.where(nowhere, NOT_PLACED, covered)
    top = np.where(nowhere, NOT_PLACED, highest(first, last, high, len(alive.cells)))
    shares = np.where(nowhere, np.nan, swept.fragmentation)
    lower = parts[pairs[0]]
    upper = parts[pairs[1]]
    storage = find_storage(alive.blocks)
    return Surveyed(
        alive, swept.looked, lower, upper, pairs[2], exact, union, top, shares, extent, storage
    )


def arena_bytes(attempts: pd.DataFrame, extent: Ints) -> Ints:
    """Compute the bytes that the blocks of each attempt may use: the capacity above the constants,
    else (if unknown) the extent; at least 0.
    """
    static = attempts["static_bytes"].to_numpy(np.int64)
    capacity = attempts["capacity"].to_numpy(np.int64, na_value=NOT_PLACED)
    return np.where(capacity == NOT_PLACED, np.maximum(extent, 0), np.maximum(capacity - static, 0))


def _extent(alive: Lifetimes) -> Ints:
    """Compute the end of each attempt's highest placed block in bytes.

    0 if all blocks failed, NOT_PLACED (-1) if no block was placed yet. A level without blocks has
    the bytes that its tool reports.
    """
    address = alive.blocks["address"].to_numpy(np.int64, na_value=NOT_PLACED)
    placed = (address != NOT_PLACED) & ~alive.failed_mask
    extent = np.zeros(len(alive.attempts), dtype=np.int64)
    np.maximum.at(
        extent, alive.owner[placed], (address + alive.blocks["size"].to_numpy(np.int64))[placed]
    )
    waiting = alive.count((address == NOT_PLACED) & ~alive.failed_mask)
    extent = np.where((waiting > 0) & (alive.count(placed) == 0), NOT_PLACED, extent)
    reported = alive.attempts["reported_bytes"].to_numpy(np.int64, na_value=NOT_PLACED)
    return np.where(is_only_reported(alive), reported, extent)


def is_only_reported(alive: Lifetimes) -> Bools:
    """Mask of the attempts that are memory levels without blocks with a reported number
    of bytes.
    """
    reported = alive.attempts["reported_bytes"].to_numpy(np.int64, na_value=NOT_PLACED)
    no_blocks = alive.count(np.ones(len(alive.blocks), dtype=bool)) == 0
    return np.asarray(
        no_blocks & (reported > 0) & alive.attempts["level"].notna().to_numpy(bool), dtype=np.bool_
    )
