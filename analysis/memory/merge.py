"""Merges many small segments of a memory map into few bars on a grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analysis.memory.attempt_map import Segments
from schema.array_types import Ints

_COLUMNS, _ROWS = 256, 96
"""Columns and rows of the finest grid: a cell is about four pixels wide and high."""
_LEVELS = 4
"""Number of fill levels; adjacent cells of a row are merged if their levels are equal."""
_MAX_BITS = 62
"""Bits of the largest sum of byte-steps; larger areas are scaled down to avoid an overflow."""


@dataclass(frozen=True)
class Bars:
    """Bars over steps [start, end) and bytes [low, high), with the number of segments in each and
    their byte-steps.
    """

    start: Ints
    end: Ints
    low: Ints
    high: Ints
    count: Ints
    bytes: Ints

    def __len__(self) -> int:
        return len(self.start)


def merge_segments(parts: Segments, most: int) -> Bars:
    """Merge segments with an address into at most `most` (at least 1) bars, none of them empty, by
    row of the grid, then by step.

    The grid has at most 256 x 96 cells and is as fine as the number of bars permits. Adjacent cells
    of a row with the same fill level (in quarters) are one bar. A segment counts in every bar that
    it touches; byte-steps are limited to 2^62.
    """
    area = float(((parts.end - parts.start) * (parts.high - parts.low).astype(np.float64)).sum())
    shift = max(0, int(np.frexp(area)[1]) - _MAX_BITS)
    low = parts.low >> shift
    high = -(-parts.high >> shift)
    sums = _Sums.of(Segments(parts.row, parts.start, parts.end, low, high))
    merged = next(bars for factors in _coarser() if len(bars := _runs(sums, *factors)) <= most)
    # Undo the scaling, which avoided an overflow of the sums of byte-steps.
    if not shift:
        return merged
    lowest = int(parts.low.min())
    highest = int(parts.high.max())
    low, high = (np.clip(edge << shift, lowest, highest) for edge in (merged.low, merged.high))
    weight = np.minimum(merged.bytes, (1 << _MAX_BITS) >> shift) << shift
    return Bars(merged.start, merged.end, low, high, merged.count, weight)


def _coarser() -> Iterator[tuple[int, int]]:
    """Yield the factors (columns, rows) by which the finest grid is merged, without end: 1 1, 2 1,
    2 2, 4 2 ...
    """
    columns = rows = 1
    while True:
        yield columns, rows
        columns, rows = (columns * 2, rows) if columns == rows else (columns, rows * 2)


@dataclass(frozen=True)
class _Sums:
    """Edges of the finest grid, and running sums over the segments left of and below each corner of
    its cells.

    `area` are byte-steps. `begun` and `ended` count the segments that start before, or end by, a
    corner's step, and begin below its address; `begun_under` and `ended_under` count only segments
    that also end by its address. Arrays have the shape (addresses, steps). Sums in `area` may
    overflow, but their differences are correct.
    """

    across: Ints
    up: Ints
    area: Ints
    begun: Ints
    begun_under: Ints
    ended: Ints
    ended_under: Ints

    @classmethod
    def of(cls, parts: Segments) -> _Sums:
        """Build the finest grid over segments with an address, at most 256 x 96 cells, and the
        running sums at its corners.
        """
        across = _edges(parts.start, parts.end, _COLUMNS)
        up = _edges(parts.low, parts.high, _ROWS)
        shape = (len(up), len(across))
        starts = np.searchsorted(across, parts.start, "right")
        ends = np.searchsorted(across, parts.end, "left")
        lows = np.searchsorted(up, parts.low, "right")
        highs = np.searchsorted(up, parts.high, "left")
        counts = [
            _running(shape, row, column) for column in (starts, ends) for row in (lows, highs)
        ]
        return cls(across, up, _areas(parts, across, up), *counts)


def _areas(parts: Segments, across: Ints, up: Ints) -> Ints:
    """Compute the byte-steps left of and below each corner of the grid, shape (addresses, steps).

    A rectangle is the quadrant above and right of its lower left corner, minus the quadrants at two
    corners, plus the quadrant at the fourth. A quadrant at (step, address) has (x - step) * (y -
    address) byte-steps left of and below (x, y).
    """
    total = np.zeros((len(up), len(across)), dtype=np.int64)
    x = across - across[0]
    y = (up - up[0])[:, None]
    for step, side in ((parts.start, 1), (parts.end, -1)):
        for address, sign in ((parts.low, side), (parts.high, -side)):
            spot = (np.searchsorted(up, address, "right"), np.searchsorted(across, step, "right"))
            left = step - across[0]
            below = address - up[0]
            ones, by_step, by_address, by_both = (
                _running(total.shape, *spot, amount) for amount in (1, left, below, left * below)
            )
            total += sign * (x * y * ones - y * by_step - x * by_address + by_both)
    return total


def _running(shape: tuple[int, int], row: Ints, column: Ints, amount: Ints | int = 1) -> Ints:
    """Compute two-dimensional running sums of amounts placed at (row, column), in an array of this
    shape; amounts outside the shape are dropped.
    """
    grid = np.zeros((shape[0] + 1, shape[1] + 1), dtype=np.int64)
    np.add.at(grid, (row, column), amount)
    return np.asarray(grid.cumsum(axis=0).cumsum(axis=1)[:-1, :-1])


def _runs(sums: _Sums, columns: int, rows: int) -> Bars:
    """Compute the bars of a grid in which `columns` x `rows` cells of the finest grid form a cell,
    by row, then column. Adjacent cells of a row with the same fill level (quarters) are a bar;
    empty cells have none.
    """
    x = _every(len(sums.across), columns)
    y = _every(len(sums.up), rows)
    across = sums.across[x]
    up = sums.up[y]
    area = sums.area[np.ix_(y, x)]
    cells = np.diff(np.diff(area, axis=0), axis=1)
    room = np.diff(up).astype(np.float64)[:, None] * np.diff(across)
    level = np.minimum(np.ceil(cells / room * _LEVELS), _LEVELS)
    fenced = np.pad(level, ((0, 0), (1, 1)))
    change = np.diff(fenced, axis=1) != 0
    row, begin = np.nonzero(change[:, :-1] & (level > 0))
    end = np.nonzero(change[:, 1:] & (level > 0))[1] + 1
    weight = area[row + 1, end] - area[row + 1, begin] - area[row, end] + area[row, begin]
    below = y[row]
    above = y[row + 1]
    left = x[begin]
    right = x[end]
    count = sums.begun[above, right] - sums.begun_under[below, right]
    count -= sums.ended[above, left] - sums.ended_under[below, left]
    return Bars(across[begin], across[end], up[row], up[row + 1], count, weight)


def _edges(begin: Ints, end: Ints, cells: int) -> Ints:
    """Compute the edges of at most `cells` cells of nearly equal integer width over all ranges,
    ascending: an edge more than cells. No cell is narrower than 1.
    """
    first = int(begin.min())
    width = int(end.max() - begin.min())
    count = min(cells, width)
    rank = np.arange(count + 1, dtype=np.int64)
    return first + width // count * rank + width % count * rank // count


def _every(edges: int, step: int) -> Ints:
    """List the index of every `step`-th of `edges` edges, from 0, and of the last edge."""
    return np.append(np.arange(0, edges - 1, step, dtype=np.int64), edges - 1)
