"""Occupancy of memory at each step: live bytes, bytes of the address ranges in use, and the same
per bank.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED
from analysis.memory.attempts import whole
from analysis.memory.lives import Cells, Lifetimes, lives, sum_per_cell
from analysis.memory.survey import Surveyed, survey
from analysis.memory.sweep import highest, sweep
from schema.array_types import Bools, Ints
from schema.frames import build_frame

MAX_BANKS = 64
"""Maximum number of banks of a memory that gets rows per bank; chips have 8 or 16 banks."""

_ALWAYS_DENSE = 1024
"""Maximum length, in steps, of an attempt that has a row per step, whatever its
number of blocks.
"""
_DENSE_PER_BLOCK = 8
"""Maximum number of steps per block of a longer attempt that has a row per step."""
_MAX_DENSE_ROWS = 1 << 21
"""Maximum number of rows per step in all attempts; above it, short attempts also need enough
blocks.
"""
_MAX_BANK_CELLS = 1 << 24
"""Maximum number of cells times banks processed at once, to bound the memory."""


@dataclass(frozen=True)
class _Rows:
    """Rows of the frame, by cell: of a bank, or of the whole memory (`bank` NOT_PLACED)."""

    cell: Ints
    bank: Ints
    live: Ints
    requested: Ints
    union: Ints
    high_water: Ints
    fragmentation: np.ndarray
    blocks: Ints


def occupancy(allocations: pd.DataFrame, attempts: pd.DataFrame) -> pd.DataFrame:
    """Compute frame `occupancy` of the attempts: rows of the whole memory, then rows per bank, each
    sorted by (attempt, step).

    The whole memory has a row per step; attempts longer than max(1024, 8 x blocks) steps have rows
    only at changes. A bank has rows if a block is alive in it: bytes alive in the bank, and as
    `high_water` the address (not the offset in the bank) of the highest end. Constants are left
    out. `union_bytes`, `high_water` and `fragmentation` are null without addresses. If very many
    blocks are alive at once, `fragmentation` is computed at evenly spaced steps only, and so is
    `union_bytes` if blocks overlap. Sums are limited to 2^63 - 1.
    """
    surveyed = survey(lives(allocations, attempts))
    rows = _join_rows(_totals(surveyed), *_by_bank(surveyed))
    cells = surveyed.lives.cells
    is_dense = _dense(surveyed.lives)
    # Lifetimes take as much memory as the frame that follows, which does not need them.
    del surveyed
    return _frame(attempts, cells, is_dense, rows)


def _totals(surveyed: Surveyed) -> _Rows:
    """Compute the rows of the whole memory, a row per cell."""
    alive = surveyed.lives
    counted = ~alive.failed_mask[alive.row]
    cells = np.arange(len(alive.cells))
    live = alive.sum_per_cell(counted)
    requested = alive.sum_per_cell(np.ones(len(alive.row), dtype=bool))
    blocks = alive.sum_per_cell(counted, 1)
    whole_memory = np.full_like(cells, NOT_PLACED)
    return _Rows(
        cells,
        whole_memory,
        live,
        requested,
        surveyed.union,
        surveyed.top,
        surveyed.fragmentation,
        blocks,
    )


def _by_bank(surveyed: Surveyed) -> list[_Rows]:
    """Compute the rows per bank, for a few banks at a time to bound the memory.

    An attempt without banks, or with more than MAX_BANKS (64), has no rows; [] when no attempt has
    any.
    """
    alive = surveyed.lives
    banks = alive.attempts["banks"].to_numpy(np.int64, na_value=0)
    width = alive.attempts["bank_bytes"].to_numpy(np.int64, na_value=0)
    banks = np.where((banks <= MAX_BANKS) & (width > 0), np.maximum(banks, 0), 0)
    parts = np.flatnonzero(alive.placed_mask & (banks[alive.owner[alive.row]] > 0))
    if not len(parts):
        return []
    at_once = min(int(banks.max()), max(1, _MAX_BANK_CELLS // len(alive.cells)))
    pieces = _pieces(alive, parts, banks, width)
    return [
        _bank_rows(alive, pieces, width, lowest, at_once)
        for lowest in range(0, int(banks.max()), at_once)
    ]


def _pieces(alive: Lifetimes, parts: Ints, banks: Ints, width: Ints) -> pd.DataFrame:
    """Split parts (indexes) at the borders of banks: a row per part and bank with part, bank, low,
    high (offsets in the bank). Bytes above the last bank are dropped.
    """
    owner = alive.owner[alive.row[parts]]
    low = alive.low[parts]
    high = alive.high[parts]
    size = width[owner]
    lowest = np.minimum(low // size, banks[owner])
    count = np.where(high > low, np.minimum((high - 1) // size + 1, banks[owner]) - lowest, 0)
    piece = np.repeat(np.arange(len(parts)), count)
    bank = np.arange(len(piece)) - np.repeat(np.cumsum(count) - count, count) + lowest[piece]
    base = bank * size[piece]
    return pd.DataFrame(
        {
            "part": parts[piece],
            "bank": bank,
            "low": np.maximum(low[piece] - base, 0),
            "high": np.minimum(high[piece] - base, size[piece]),
        }
    )


def _bank_rows(
    alive: Lifetimes, pieces: pd.DataFrame, width: Ints, lowest: int, count: int
) -> _Rows:
    """Compute the rows of banks [lowest, lowest + count), a row per cell and bank with a live
    block.

    All banks are swept together, as if the cells of each bank followed the cells of the bank before
    it.
    """
    chosen = pieces[(pieces["bank"] >= lowest) & (pieces["bank"] < lowest + count)]
    part, bank, low, high = (
        chosen[name].to_numpy(np.int64) for name in ("part", "bank", "low", "high")
    )
    shift = (bank - lowest) * len(alive.cells)
    blocks = sum_per_cell(
        alive.first[part] + shift,
        alive.last[part] + shift,
        np.ones_like(part),
        len(alive.cells) * count,
    )
    used = np.flatnonzero(blocks)
    # Most banks are empty most of the time, so only the used cells are swept.
    spot = np.concatenate([[0], np.cumsum(blocks > 0)])
    first = spot[alive.first[part] + shift]
    last = spot[alive.last[part] + shift]
    bank = used // len(alive.cells) + lowest
    cell = used % len(alive.cells)
    size = width[alive.cells.attempt[cell]]
    swept = sweep(first, last, low, high, size)
    live = sum_per_cell(first, last, high - low, len(used))
    union = np.where(swept.looked, swept.covered, NOT_PLACED)
    high_water = highest(first, last, high, len(used)) + bank * size
    return _Rows(cell, bank, live, live, union, high_water, swept.fragmentation, blocks[used])


def _join_rows(*rows: _Rows) -> _Rows:
    """Join rows: first the rows of the whole memory as they are, then the rows of all banks, sorted
    by cell.
    """
    totals = rows[0]
    banks = rows[1:]
    if not banks:
        return totals
    fields = {
        name: np.concatenate([getattr(part, name) for part in banks]) for name in vars(totals)
    }
    order = np.argsort(fields["cell"], kind="stable")
    return _Rows(
        **{
            name: np.concatenate([getattr(totals, name), fields[name][order]])
            for name in vars(totals)
        }
    )


def _dense(alive: Lifetimes) -> Bools:
    """Mask of the attempts that have a row per step: attempts of at most 1,024 steps or 8 steps per
    block, whichever is more. When these would have more than 2^21 rows together, only attempts of
    at most 8 steps per block.
    """
    cells = alive.cells
    length = (
        np.add.reduceat(cells.width, cells.offset[:-1])
        if len(alive.attempts)
        else np.zeros(0, dtype=np.int64)
    )
    blocks = np.bincount(alive.owner, minlength=len(length))
    dense = length <= np.maximum(_ALWAYS_DENSE, _DENSE_PER_BLOCK * blocks)
    if length[dense].sum() > _MAX_DENSE_ROWS:
        dense = length <= np.maximum(_DENSE_PER_BLOCK, _DENSE_PER_BLOCK * blocks)
    return np.asarray(dense, dtype=np.bool_)


def _frame(attempts: pd.DataFrame, cells: Cells, is_dense: Bools, rows: _Rows) -> pd.DataFrame:
    """Build frame `occupancy` from rows; in dense attempts the row of a cell is repeated for each
    of its steps.
    """
    times = np.where(is_dense[cells.attempt], cells.width, 1)[rows.cell]
    if (times == 1).all():  # as in a trace, of which each entry changes the memory
        step = cells.step[rows.cell]
    else:
        row = np.repeat(np.arange(len(rows.cell)), times)
        rows = _Rows(**{name: values[row] for name, values in vars(rows).items()})
        step = (
            cells.step[rows.cell] + np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
        )
    attempt = cells.attempt[rows.cell]
    columns = {
        "attempt": attempts["attempt"].to_numpy(np.int64)[attempt],
        "level": attempts["level"].array.take(attempt),
        "step": step,
        "bank": whole(rows.bank, rows.bank == NOT_PLACED),
        "live_bytes": rows.live,
        "requested_bytes": rows.requested,
        "union_bytes": whole(rows.union, rows.union == NOT_PLACED),
        "high_water": whole(rows.high_water, rows.high_water == NOT_PLACED),
        "fragmentation": rows.fragmentation,
        "blocks": rows.blocks,
    }
    return build_frame("occupancy", columns)
