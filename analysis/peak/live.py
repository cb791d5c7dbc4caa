"""Bytes alive over time, and the peak that remains if a storage is not in use for a while."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.memory.lives import lives, sum_per_cell
from analysis.memory.storage import find_storage, owned_spans
from schema.array_types import Ints


@dataclass(frozen=True)
class LiveBytes:
    """Step function: from `step[i]` to `step[i + 1]`, `bytes[i]` bytes are alive; int64 arrays.

    The last value holds up to `end`. `row`, `first`, `last` and `size` are the spans of cells
    [first, last) in which storages are in use: the row of the block that owns the storage, and its
    bytes. Storages count once, however many blocks share them.
    """

    attempt: pd.DataFrame
    step: Ints
    bytes: Ints
    end: int
    row: Ints
    first: Ints
    last: Ints
    size: Ints

    @property
    def peak(self) -> int:
        """Most bytes alive at once."""
        return int(self.bytes.max(initial=0))

    def of(self, blocks: pd.DataFrame) -> LiveBytes:
        """Compute the bytes alive if the attempt has other blocks."""
        return _live_bytes(self.attempt, blocks)

    @property
    def peak_cell(self) -> int:
        """Index of the first cell with the most bytes alive."""
        return int(self.bytes.argmax())

    def cell_span(self, cell: int) -> tuple[int, int]:
        """Return the steps [begin, end) of a cell."""
        end = self.end if cell + 1 >= len(self.step) else int(self.step[cell + 1])
        return int(self.step[cell]), end

    def without(self, begin: Ints, end: Ints, size: Ints) -> Ints:
        """Compute the peak that remains if `size` bytes are not in use in steps [begin, end): a
        number for each of the changes, which are alternatives.
        """
        first = np.searchsorted(self.step, begin, side="right") - 1
        last = np.searchsorted(self.step, end, side="left")
        first = np.clip(first, 0, len(self.step) - 1)
        last = np.maximum(last, first + 1)
        edges = np.append(self.step, self.end)
        # A cell that the change covers in part keeps its bytes in its other part.
        whole_first = np.where(self.step[first] < begin, first + 1, first)
        whole_last = np.where(edges[last] > end, last - 1, last)
        outside = np.maximum(
            self._before[np.maximum(whole_first, 0)], self._after[np.maximum(whole_last, 0)]
        )
        return np.asarray(np.maximum(outside, self._highest(first, last) - size))

    @cached_property
    def _before(self) -> Ints:
        """Most bytes in the cells before each cell; an entry more than there are cells."""
        return np.concatenate([[0], np.maximum.accumulate(self.bytes)])

    @cached_property
    def _after(self) -> Ints:
        """Most bytes in each cell and the cells after it; an entry more than there are cells."""
        return np.concatenate([np.maximum.accumulate(self.bytes[::-1])[::-1], [0]])

    @cached_property
    def _doublings(self) -> list[Ints]:
        """Maxima of 1, 2, 4, ... cells from each cell on: the maximum of a range is that of two."""
        tables = [self.bytes]
        width = 1
        while 2 * width <= len(self.bytes):
            table = tables[-1]
            tables.append(np.maximum(table[:-width], table[width:]))
            width *= 2
        return tables

    def _highest(self, first: Ints, last: Ints) -> Ints:
        """Compute the most bytes in the cells [first, last) of each range, none of them empty."""
        length = last - first
        level = np.frexp(length.astype(np.float64))[1] - 1
        highest = np.zeros(len(first), dtype=np.int64)
        for at, table in enumerate(self._doublings):
            own = level == at
            highest[own] = np.maximum(table[first[own]], table[last[own] - (1 << at)])
        return highest


def live_bytes(attempt: Mapping[str, object], blocks: pd.DataFrame) -> LiveBytes:
    """Compute the bytes alive over time of an attempt's blocks, without constants and without
    blocks that failed. `attempt` is its row of frame `attempts`.
    """
    # Only these columns are read, and a whole frame takes longer to build than all the rest.
    steps = pd.array([attempt["steps"]], dtype="Int64")
    return _live_bytes(pd.DataFrame({"attempt": [attempt["attempt"]], "steps": steps}), blocks)


def _live_bytes(attempt: pd.DataFrame, blocks: pd.DataFrame) -> LiveBytes:
    counted = ((blocks["status"] != "failed") & (blocks["kind"] != "constant")).to_numpy(bool)
    own = lives(blocks[counted], attempt)
    first, last, size, owner = owned_spans(own, find_storage(own.blocks))
    alive = sum_per_cell(first, last, size, len(own.cells))
    length = int(own.cells.width.sum())
    # `lives` numbers the counted blocks only.
    row = np.flatnonzero(counted)[owner]
    return LiveBytes(attempt, own.cells.step, alive, length, row, first, last, size)
