"""Occupancy over steps, reduced to a bounded number of columns with their highest values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Floats, Ints

MAX_COLUMNS = 2000
"""Maximum number of columns of a plot: a screen has no more pixels across."""


@dataclass(frozen=True)
class Columns:
    """Rows of frame `occupancy` over all banks in view, grouped into columns in step order.

    Row i holds for the steps [begins[i], ends[i]); column j begins with row `first[j]`.
    """

    rows: pd.DataFrame
    begins: Ints
    ends: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.first)

    @property
    def start(self) -> Ints:
        """First step of each column (int64)."""
        return self.begins[self.first]

    @property
    def end(self) -> Ints:
        """End of each column (int64): the step after its last step."""
        return np.append(self.begins[self.first[1:]], self.ends[-1:])

    def values(self, name: str) -> Floats:
        """Read the column `name` of frame `occupancy` as floats, a value per row, NaN where it is
        null.
        """
        return np.asarray(self.rows[name].to_numpy(np.float64, na_value=np.nan))

    def highest(self, values: Floats) -> Floats:
        """Compute the highest value per column from values per row (last axis).

        NaN is ignored; the result is NaN for a column with NaN only.
        """
        # fmax ignores NaN unless all values of a column are NaN.
        return np.fmax.reduceat(values, self.first, axis=-1) if len(self) else values

    def step(self) -> Ints:
        """Find the first step with the most live bytes in each column (int64)."""
        live = self.values("live_bytes")
        group = np.repeat(np.arange(len(self)), np.diff(np.append(self.first, len(live))))
        most = np.flatnonzero(live == self.highest(live)[group])
        return self.begins[most[np.unique(group[most], return_index=True)[1]]]

    def words(self) -> list[str]:
        """Name the step of each column (see `step`): `step 4`, or `step 4 (of 3 – 7)` for a column
        of several steps, both ends included.

        Numbers have no thousands separators: `banks.parse_click` reads them.
        """
        spans = zip(self.step().tolist(), self.start.tolist(), self.end.tolist(), strict=True)
        return [
            f"step {at}" if end - start == 1 else f"step {at} (of {start} – {end - 1})"
            for at, start, end in spans
        ]


def columns(amap: AttemptMap, window: tuple[int, int], limit: int = MAX_COLUMNS) -> Columns:
    """Group a map's occupancy over a window [begin, end) of steps into at most `limit` columns.

    No columns if the map has no occupancy in the window.
    """
    rows = amap.occupancy[amap.occupancy["bank"].isna()].sort_values("step", kind="stable")
    begins = rows["step"].to_numpy(np.int64)
    # A row of frame `occupancy` holds until the step of the next row.
    ends = np.append(begins[1:], max(amap.length, begins[-1] + 1)) if len(begins) else begins
    seen = (begins < window[1]) & (ends > window[0])
    rows = rows[seen]
    begins = begins[seen]
    ends = ends[seen]
    first = np.unique(
        np.linspace(0, len(begins), min(limit, len(begins)), endpoint=False).astype(np.int64)
    )
    return Columns(rows, begins, ends, first)


def bank_shares(amap: AttemptMap, grouped: Columns) -> Floats:
    """Compute how full each bank (first axis) is in each of the rows `grouped.rows` (second axis),
    which are not joined to columns yet.

    Values are shares of the bank's size, from 0; bytes that several blocks share count once. All
    are 0 if the size is unknown; shape (0, rows) without banks.
    """
    banks = amap.whole("banks") or 0
    width = amap.whole("bank_bytes") or 0
    shares = np.zeros((banks, len(grouped.rows)))
    rows = amap.occupancy[amap.occupancy["bank"].notna()]
    if not width or not len(grouped):
        return shares
    step = rows["step"].to_numpy(np.int64)
    bank = rows["bank"].to_numpy(np.int64)
    seen = (step >= grouped.begins[0]) & (step < grouped.ends[-1]) & (bank < banks)
    used = rows["union_bytes"].fillna(rows["live_bytes"]).to_numpy(np.float64) / width
    shares[bank[seen], np.searchsorted(grouped.begins, step[seen], side="right") - 1] = used[seen]
    return shares


def memory_shares(amap: AttemptMap, grouped: Columns) -> Floats:
    """Compute how full the whole memory is in each of the rows `grouped.rows`, which are not joined
    to columns yet; constants are included.

    Values are shares of the capacity (else of the size of all banks), NaN if both are unknown.
    """
    capacity = amap.whole("capacity") or (amap.whole("banks") or 0) * (
        amap.whole("bank_bytes") or 0
    )
    used = grouped.values("union_bytes")
    used = np.where(np.isnan(used), grouped.values("live_bytes"), used) + (
        amap.whole("static_bytes") or 0
    )
    return used / capacity if capacity else np.full(len(used), np.nan)
