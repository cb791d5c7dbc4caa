"""Cells: intervals of time in which no block of an attempt begins or ends, as a common time axis of
many attempts.

The lifetimes of blocks are spans of cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED, segments
from analysis.memory.gaps import without_gaps
from schema.array_types import Bools, Ints

MAX_SUM = np.iinfo(np.int64).max
"""Sums that exceed int64 are set to this value."""


@dataclass(frozen=True)
class Cells:
    """Cells of all attempts in order; the first cell of each attempt begins at step 0.

    `attempt` is a row of frame `attempts`, `step` and `width` are in steps. `offset` has one more
    entry than there are attempts: the attempt at row p has the cells [offset[p], offset[p + 1]).
    """

    attempt: Ints
    step: Ints
    width: Ints
    offset: Ints

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True)
class Lifetimes:
    """Parts of lifetimes as spans of cells [first, last).

    `blocks` are the rows of `allocations` that are in the arena (no constants), indexed from 0,
    `owner` the row of their attempt in `attempts`. `row` is the row of a part's block in `blocks`.
    `low`, `high` and `size` are bytes; `low` and `high` are NOT_PLACED if the block has no address
    or failed.
    """

    attempts: pd.DataFrame
    blocks: pd.DataFrame
    owner: Ints
    cells: Cells
    row: Ints
    first: Ints
    last: Ints
    low: Ints
    high: Ints
    size: Ints

    @property
    def failed_mask(self) -> Bools:
        """Mask of the blocks of these lifetimes that failed, an element per block."""
        return np.asarray(self.blocks["status"] == "failed", dtype=np.bool_)

    @property
    def placed_mask(self) -> Bools:
        """Mask of the parts of these lifetimes that have an address, an element per part; parts of
        failed blocks have none.
        """
        return np.asarray(self.low != NOT_PLACED, dtype=np.bool_)

    def sum_per_cell(self, chosen: Bools | Ints, amount: Ints | int | None = None) -> Ints:
        """Sum the bytes of the chosen parts (a mask or indices) that are alive in each cell, or
        `amount` per part if given; at most MAX_SUM (2^63 - 1). An element per cell.
        """
        amounts = (
            self.size[chosen]
            if amount is None
            else np.broadcast_to(amount, self.first[chosen].shape)
        )
        return sum_per_cell(self.first[chosen], self.last[chosen], amounts, len(self.cells))

    def count(self, chosen: Bools) -> Ints:
        """Count the blocks in mask `chosen` of each attempt, in the order of the attempts."""
        return np.bincount(self.owner[chosen], minlength=len(self.attempts)).astype(np.int64)


def lives(allocations: pd.DataFrame, attempts: pd.DataFrame) -> Lifetimes:
    """Compute the lifetimes of the arena's blocks (no constants) in the given attempts, without
    gaps, cut at each attempt's length. Blocks of other attempts are dropped.
    """
    owner = pd.Index(attempts["attempt"]).get_indexer(allocations["attempt"]).astype(np.int64)
    wanted = (owner >= 0) & (allocations["kind"] != "constant").to_numpy(bool)
    # A selection of all rows would be a second copy of a large frame.
    blocks = (allocations if wanted.all() else allocations[wanted]).reset_index(drop=True)
    owner = owner[wanted]
    length = lengths(attempts, blocks, owner)
    parts, size = without_gaps(blocks, segments(blocks, length[owner]))
    start = np.maximum(parts.start, 0)
    end = np.minimum(parts.end, length[owner[parts.row]])
    alive = end > start
    parts = parts.take(alive)
    size = np.maximum(size[alive], 0)
    start = start[alive]
    end = end[alive]
    cells, first, last = _cells(owner[parts.row], start, end, length)
    nowhere = (blocks["status"] == "failed").to_numpy(bool)[parts.row]
    low = np.where(nowhere, NOT_PLACED, parts.low)
    high = np.where(nowhere, NOT_PLACED, parts.high)
    return Lifetimes(attempts, blocks, owner, cells, parts.row, first, last, low, high, size)


def lengths(attempts: pd.DataFrame, blocks: pd.DataFrame, owner: Ints) -> Ints:
    """Compute the number of steps of each attempt, at least 1; if unknown, the last end of its
    blocks. `owner` has the row of each block's attempt.
    """
    stored = attempts["steps"].to_numpy(np.int64, na_value=0)
    # A block that wraps starts after its end, so starts count as well.
    needed = np.zeros(len(attempts), dtype=np.int64)
    np.maximum.at(
        needed,
        owner,
        np.maximum(blocks["end"].to_numpy(np.int64), blocks["start"].to_numpy(np.int64) + 1),
    )
    return np.maximum(np.where(attempts["steps"].isna().to_numpy(bool), needed, stored), 1)


def sum_per_cell(first: Ints, last: Ints, amounts: Ints, cells: int) -> Ints:
    """Sum the amounts (at least 0) of all spans [first, last) of cells that contain each of `cells`
    cells; 0 if no span contains it, at most MAX_SUM (2^63 - 1).
    """
    # Partial sums may overflow: int64 wraps around, so each total that fits is still correct.
    change = np.zeros(cells + 1, dtype=np.int64)
    np.add.at(change, first, amounts)
    np.subtract.at(change, last, amounts)
    total = np.cumsum(change[:-1])
    if float(amounts.sum(dtype=np.float64)) < MAX_SUM / 2:
        return total
    rough = np.zeros(cells + 1)
    np.add.at(rough, first, amounts)
    np.subtract.at(rough, last, amounts)
    return np.where(np.cumsum(rough[:-1]) > MAX_SUM * 0.999, MAX_SUM, total)


def _cells(owner: Ints, start: Ints, end: Ints, length: Ints) -> tuple[Cells, Ints, Ints]:
    """Compute the cells of all attempts, then the first cell and the end (exclusive) of each part:
    three values.
    """
    count = len(length)
    # The end of an attempt is the first step of the next attempt; after the last attempt a virtual
    # attempt follows.
    closes = end == length[owner]
    steps = np.concatenate([start, np.where(closes, 0, end), np.zeros(count + 1, dtype=np.int64)])
    places = np.concatenate([owner, owner + closes, np.arange(count + 1)])
    values, rank = np.unique(steps, return_inverse=True)
    keys, spot = np.unique(places * len(values) + rank, return_inverse=True)
    offset = spot[2 * len(owner) :]
    attempt, step = np.divmod(keys[:-1], len(values))
    step = values[step]
    width = (
        np.where(np.diff(attempt, append=count) > 0, length[attempt], np.append(step[1:], 0)) - step
    )
    cells = Cells(attempt, step, width, offset)
    return cells, spot[: len(owner)], spot[len(owner) : 2 * len(owner)]
