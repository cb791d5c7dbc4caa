"""Use of the memories of a design's tiles, as a table for the floor plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd

from analysis.aie.tiles import TileMetric

USE_METRICS: Mapping[str, TileMetric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            TileMetric("memory_use", "memory in use", "ratio", share_of="of the memory"),
            TileMetric("bank_use", "most used bank", "ratio", share_of="of the bank"),
        )
    }
)
"""Shares of a tile's memory that the buffers of its design take."""
LOCK_WAIT = TileMetric("lock_wait", "lock stall, all cycles", "ticks")
"""Cycles of LOCK_STALL of a core, as the join with the design divides them."""


def tile_use(tiles: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Compute a row per tile: track, kind, row, col, slice and the metrics of USE_METRICS.

    `tiles` are those of `services.run.design.design_mapping`. Shares are 0 to 1, and may exceed 1
    if buffers do not fit; NaN if a size or an address is not known.
    """
    rows = [
        {
            "track": tile["tile"],
            "kind": tile["kind"],
            "row": tile["row"],
            "col": tile["col"],
            "slice": tile["slice"] or "",
            "memory_use": _share(tile["bytes"], tile["memory"]),
            "bank_use": _bank_share(tile),
        }
        for tile in tiles
    ]
    places = {"row": "Int64", "col": "Int64"}
    shares = dict.fromkeys(USE_METRICS, "float64")
    columns = ["track", "kind", *places, "slice", *shares]
    return pd.DataFrame(rows, columns=columns).astype(places | shares)


def _share(used: int | None, size: int | None) -> float | None:
    return None if used is None or not size else used / size


def _bank_share(tile: Mapping[str, Any]) -> float | None:
    banks = tile["bank_bytes"]
    return _share(max(banks), tile["memory"] // len(banks)) if banks else None
