"""Bytes in use at each step of a map, in which addresses that several blocks share count once."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap


def counts_addresses(amap: AttemptMap) -> bool:
    """Whether the bytes in use of a map are the union of its addresses.

    So it is if blocks share addresses as intended, as values of XLA do: the sum of their sizes
    would exceed the memory that they take.
    """
    if not (amap.blocks["status"] == "shared").any():
        return False
    return bool(_whole_memory(amap)["union_bytes"].notna().all())


def used_column(amap: AttemptMap) -> str:
    """Return the column of frame `occupancy` with the bytes in use."""
    return "union_bytes" if counts_addresses(amap) else "live_bytes"


def peak_in_use(amap: AttemptMap) -> tuple[int | None, int | None]:
    """Return the most bytes in use at a step and the first such step; None if unknown.

    They are `live_peak` and `peak_step` of the attempt if no blocks share addresses.
    """
    rows = _whole_memory(amap)
    if not len(rows) or not counts_addresses(amap):
        return amap.whole("live_peak"), amap.whole("peak_step")
    used = rows["union_bytes"].to_numpy(np.int64)
    at = int(used.argmax())
    return int(used[at]), int(rows["step"].iloc[at])


def _whole_memory(amap: AttemptMap) -> pd.DataFrame:
    return amap.occupancy[amap.occupancy["bank"].isna()]
