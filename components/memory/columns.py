"""Occupancy over steps as a bounded number of columns, each with the highest value of the steps that it stands for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Floats, Ints

MOST_COLUMNS = 2000
"""More columns than a screen has pixels tell nothing."""


@dataclass(frozen=True)
class Columns:
    """Rows of frame `occupancy` over all banks in view, as columns in order.

    Row i holds from step `begins[i]` to `ends[i]`, half-open; column j begins with row `first[j]`.
    """

    rows: pd.DataFrame
    begins: Ints
    ends: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.first)

    @property
    def is_binned(self) -> bool:
        """Return whether columns stand for several rows."""
        return len(self.first) < len(self.rows)

    @property
    def start(self) -> Ints:
        """Return the first step of each column."""
        return self.begins[self.first]

    @property
    def end(self) -> Ints:
        """Return the step after each column."""
        return np.append(self.begins[self.first[1:]], self.ends[-1:])

    def values(self, name: str) -> Floats:
        """Return a column of frame `occupancy` per row, NaN where it is null."""
        return np.asarray(self.rows[name].to_numpy(np.float64, na_value=np.nan))

    def highest(self, values: Floats) -> Floats:
        """Return the highest value in each column, of values per row (last axis), NaN where there are only those."""
        return np.fmax.reduceat(values, self.first, axis=-1) if len(self) else values

    def step(self) -> Ints:
        """Return the step with the most live bytes in each column, the first of several."""
        live = self.values("live_bytes")
        group = np.repeat(np.arange(len(self)), np.diff(np.append(self.first, len(live))))
        most = np.flatnonzero(live == self.highest(live)[group])
        return self.begins[most[np.unique(group[most], return_index=True)[1]]]

    def words(self) -> list[str]:
        """Return which step each column is, `step 4 (of 3 – 7)` where it stands for several: digits without spaces."""
        spans = zip(self.step().tolist(), self.start.tolist(), self.end.tolist(), strict=True)
        return [f"step {at}" if end - start == 1 else f"step {at} (of {start} – {end - 1})" for at, start, end in spans]


def columns(amap: AttemptMap, window: tuple[int, int], limit: int = MOST_COLUMNS) -> Columns:
    """Return the columns of a map's occupancy over the steps [begin, end) of a window, at most `limit`."""
    rows = amap.occupancy[amap.occupancy["bank"].isna()].sort_values("step", kind="stable")
    begins = rows["step"].to_numpy(np.int64)
    ends = np.append(begins[1:], max(amap.length, begins[-1] + 1)) if len(begins) else begins
    seen = (begins < window[1]) & (ends > window[0])
    rows, begins, ends = rows[seen], begins[seen], ends[seen]
    first = np.unique(np.linspace(0, len(begins), min(limit, len(begins)), endpoint=False).astype(np.int64))
    return Columns(rows, begins, ends, first)


def bank_shares(amap: AttemptMap, found: Columns) -> Floats:
    """Return how full each bank (first axis) is in each row of the columns, as a share; shared bytes count once."""
    banks, width = amap.whole("banks") or 0, amap.whole("bank_bytes") or 0
    shares = np.zeros((banks, len(found.rows)))
    rows = amap.occupancy[amap.occupancy["bank"].notna()]
    if not width or not len(found):
        return shares
    step, bank = rows["step"].to_numpy(np.int64), rows["bank"].to_numpy(np.int64)
    seen = (step >= found.begins[0]) & (step < found.ends[-1]) & (bank < banks)
    used = rows["union_bytes"].fillna(rows["live_bytes"]).to_numpy(np.float64) / width
    shares[bank[seen], np.searchsorted(found.begins, step[seen], side="right") - 1] = used[seen]
    return shares


def memory_shares(amap: AttemptMap, found: Columns) -> Floats:
    """Return how full the whole memory is in each row of the columns, constants included; NaN without a capacity."""
    capacity = amap.whole("capacity") or (amap.whole("banks") or 0) * (amap.whole("bank_bytes") or 0)
    used = found.values("union_bytes")
    used = np.where(np.isnan(used), found.values("live_bytes"), used) + (amap.whole("static_bytes") or 0)
    return used / capacity if capacity else np.full(len(used), np.nan)
