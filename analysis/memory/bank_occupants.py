"""Blocks in each memory bank at each step, with their bytes in the bank."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED, AttemptMap
from analysis.memory.occupancy import MAX_BANKS

MAX_SHOWN_STEPS = 12
"""Maximum number of steps in a table of occupants."""
_MAX_PARTS = 4096
"""Maximum number of blocks in the table, largest first; real logs have fewer at a few steps."""


def steps_around(
    amap: AttemptMap, step: int, window: tuple[int, int] | None, most: int = MAX_SHOWN_STEPS
) -> range:
    """Choose at most `most` consecutive steps of a window [begin, end), or of all steps if it is
    `None`, with `step` about in the middle. An empty range if the window has no step of the map.
    """
    begin, end = window or (0, amap.length)
    begin = max(0, begin)
    end = min(end, amap.length)
    first = min(max(step - most // 2, begin), max(end - most, begin))
    return range(first, min(first + most, end))


def bank_occupants(amap: AttemptMap, steps: range) -> pd.DataFrame:
    """List the blocks in each bank at each step: bank (from 0), step, row (of the block), bytes (of
    the block in the bank); all int64.

    Sorted by bank, step and bytes, largest first. Failed blocks and constants are left out. Empty
    if the memory has no banks, or more than MAX_BANKS (64).
    """
    banks = amap.whole("banks") or 0
    width = amap.whole("bank_bytes") or 0
    parts = amap.segments
    outside = (amap.blocks["status"] == "failed").to_numpy(bool) | (
        amap.blocks["kind"] == "constant"
    ).to_numpy(bool)
    seen = (
        (parts.low != NOT_PLACED)
        & ~outside[parts.row]
        & (parts.start < steps.stop)
        & (parts.end > steps.start)
    )
    if not width or not 0 < banks <= MAX_BANKS or not seen.any():
        return pd.DataFrame(
            {name: np.zeros(0, dtype=np.int64) for name in ("bank", "step", "row", "bytes")}
        )
    parts = parts.take(np.flatnonzero(seen))
    parts = parts.take(np.argsort(parts.low - parts.high, kind="stable")[:_MAX_PARTS])
    bank = np.arange(banks)[:, None, None]
    step = np.arange(steps.start, steps.stop)[None, :, None]
    inside = np.minimum(parts.high, (bank + 1) * width) - np.maximum(parts.low, bank * width)
    alive = (parts.start <= step) & (parts.end > step)
    cells = np.nonzero((inside > 0) & alive)
    columns = {"bank": cells[0], "step": cells[1] + steps.start, "row": parts.row[cells[2]]}
    rows = pd.DataFrame(columns | {"bytes": inside[cells[0], 0, cells[2]]})
    return rows.sort_values(
        ["bank", "step", "bytes"], ascending=[True, True, False], kind="stable", ignore_index=True
    )
