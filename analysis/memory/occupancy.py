"""What every step finds in memory: bytes alive, bytes of the address ranges in use, and the same per bank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED
from analysis.memory.attempts import whole
from analysis.memory.lives import Lifetimes, lives, sum_per_cell
from analysis.memory.survey import Surveyed, survey
from analysis.memory.sweep import highest, sweep
from schema.array_types import Bools, Ints
from schema.frames import complete

MOST_BANKS = 64
"""A memory with more banks has no rows per bank; chips have 8 or 16."""

_ALWAYS_DENSE = 1024
_DENSE_PER_BLOCK = 8
_MOST_DENSE_ROWS = 1 << 21
_MOST_BANK_CELLS = 1 << 24


@dataclass(frozen=True)
class _Rows:
    """Rows in cells: of a bank, or of all (`bank` NOT_PLACED)."""

    cell: Ints
    bank: Ints
    live: Ints
    requested: Ints
    union: Ints
    high_water: Ints
    fragmentation: np.ndarray
    blocks: Ints


def occupancy(allocations: pd.DataFrame, attempts: pd.DataFrame) -> pd.DataFrame:
    """Return frame `occupancy` of the attempts: rows of all banks, then rows per bank, each sorted by (attempt, step).

    All banks have a row per step, of an attempt longer than max(1024, 8 x blocks) steps only where something changes.
    A bank has rows where something lives in it: bytes alive in it, `high_water` the address (not the offset in the
    bank) at which the highest ends. Constants are left out. `union_bytes`, `high_water` and `fragmentation` are null
    without addresses; where very many blocks live at once `fragmentation` is taken at evenly spaced steps alone, and
    so is `union_bytes` if blocks overlap. Sums stop at 2^63 - 1.
    """
    surveyed = survey(lives(allocations, attempts))
    rows = _join_rows(_totals(surveyed), *_by_bank(surveyed))
    return _frame(attempts, surveyed.lives, rows)


def _totals(surveyed: Surveyed) -> _Rows:
    alive = surveyed.lives
    counted = ~alive.failed_mask[alive.row]
    cells = np.arange(len(alive.cells))
    live, requested = alive.sum_per_cell(counted), alive.sum_per_cell(np.ones(len(alive.row), dtype=bool))
    blocks, whole_memory = alive.sum_per_cell(counted, 1), np.full_like(cells, NOT_PLACED)
    return _Rows(cells, whole_memory, live, requested, surveyed.union, surveyed.top, surveyed.fragmentation, blocks)


def _by_bank(surveyed: Surveyed) -> list[_Rows]:
    """Return the rows of a few banks at a time, so that memory stays bounded."""
    alive = surveyed.lives
    banks = alive.attempts["banks"].to_numpy(np.int64, na_value=0)
    width = alive.attempts["bank_bytes"].to_numpy(np.int64, na_value=0)
    banks = np.where((banks <= MOST_BANKS) & (width > 0), np.maximum(banks, 0), 0)
    parts = np.flatnonzero(alive.placed_mask & (banks[alive.owner[alive.row]] > 0))
    if not len(parts):
        return []
    at_once = min(int(banks.max()), max(1, _MOST_BANK_CELLS // len(alive.cells)))
    pieces = _pieces(alive, parts, banks, width)
    return [_bank_rows(alive, pieces, width, lowest, at_once) for lowest in range(0, int(banks.max()), at_once)]


def _pieces(alive: Lifetimes, parts: Ints, banks: Ints, width: Ints) -> pd.DataFrame:
    """Return part, bank, low, high (offsets in the bank) of the parts, split at the borders of banks."""
    owner = alive.owner[alive.row[parts]]
    low, high, size = alive.low[parts], alive.high[parts], width[owner]
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


def _bank_rows(alive: Lifetimes, pieces: pd.DataFrame, width: Ints, lowest: int, count: int) -> _Rows:
    """Return the rows of banks [lowest, lowest + count), swept as if one bank's cells followed those of another."""
    chosen = pieces[(pieces["bank"] >= lowest) & (pieces["bank"] < lowest + count)]
    part, bank, low, high = (chosen[name].to_numpy(np.int64) for name in ("part", "bank", "low", "high"))
    shift = (bank - lowest) * len(alive.cells)
    blocks = sum_per_cell(
        alive.first[part] + shift, alive.last[part] + shift, np.ones_like(part), len(alive.cells) * count
    )
    used = np.flatnonzero(blocks)
    # Most banks are empty most of the time, so what follows knows the used cells alone.
    spot = np.concatenate([[0], np.cumsum(blocks > 0)])
    first, last = spot[alive.first[part] + shift], spot[alive.last[part] + shift]
    bank, cell = used // len(alive.cells) + lowest, used % len(alive.cells)
    size = width[alive.cells.attempt[cell]]
    swept = sweep(first, last, low, high, size)
    live = sum_per_cell(first, last, high - low, len(used))
    union = np.where(swept.looked, swept.covered, NOT_PLACED)
    high_water = highest(first, last, high, len(used)) + bank * size
    return _Rows(cell, bank, live, live, union, high_water, swept.fragmentation, blocks[used])


def _join_rows(*rows: _Rows) -> _Rows:
    """Join rows; those of all banks stay first, those per bank are put in order of their cells."""
    totals, banks = rows[0], rows[1:]
    if not banks:
        return totals
    fields = {name: np.concatenate([getattr(part, name) for part in banks]) for name in vars(totals)}
    order = np.argsort(fields["cell"], kind="stable")
    return _Rows(**{name: np.concatenate([getattr(totals, name), fields[name][order]]) for name in vars(totals)})


def _dense(alive: Lifetimes) -> Bools:
    """Tell which attempts have a row per step."""
    cells = alive.cells
    length = np.add.reduceat(cells.width, cells.offset[:-1]) if len(alive.attempts) else np.zeros(0, dtype=np.int64)
    blocks = np.bincount(alive.owner, minlength=len(length))
    dense = length <= np.maximum(_ALWAYS_DENSE, _DENSE_PER_BLOCK * blocks)
    if length[dense].sum() > _MOST_DENSE_ROWS:
        dense = length <= np.maximum(_DENSE_PER_BLOCK, _DENSE_PER_BLOCK * blocks)
    return np.asarray(dense, dtype=np.bool_)


def _frame(attempts: pd.DataFrame, alive: Lifetimes, rows: _Rows) -> pd.DataFrame:
    """Return the frame of rows, each as often as its cell has steps where the attempt is dense."""
    cells = alive.cells
    times = np.where(_dense(alive)[cells.attempt], cells.width, 1)[rows.cell]
    row = np.repeat(np.arange(len(rows.cell)), times)
    cell = rows.cell[row]
    step = cells.step[cell] + np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
    columns = {
        "attempt": attempts["attempt"].to_numpy(np.int64)[cells.attempt[cell]],
        "level": attempts["level"].array.take(cells.attempt[cell]),
        "step": step,
        "bank": whole(rows.bank[row], rows.bank[row] == NOT_PLACED),
        "live_bytes": rows.live[row],
        "requested_bytes": rows.requested[row],
        "union_bytes": whole(rows.union[row], rows.union[row] == NOT_PLACED),
        "high_water": whole(rows.high_water[row], rows.high_water[row] == NOT_PLACED),
        "fragmentation": rows.fragmentation[row],
        "blocks": rows.blocks[row],
    }
    return complete("occupancy", columns)
