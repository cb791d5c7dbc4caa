"""Memory maps of the tiles of a design: a map of one step per tile whose blocks have addresses."""

from __future__ import annotations

import pandas as pd

from analysis.memory.index import MemoryIndex
from schema.frames import Frames, complete, empty

_ALIGNMENT = {"core": 32, "memtile": 4}
"""Bytes that the address of a buffer is a multiple of, by kind of tile."""


def tile_index(design: Frames) -> MemoryIndex:
    """Build the index of the maps of all tiles; `level` of an attempt is the name of its tile.

    Blocks are the buffers and stacks with an address and a size; a tile without any has no map.
    """
    buffers = design["design_buffers"]
    placed = buffers[(buffers["address"].notna() & (buffers["bytes"] > 0)).fillna(False)]
    names = placed["tile"].astype(str)
    tiles = list(dict.fromkeys(names))
    rank = {tile: number for number, tile in enumerate(tiles)}
    own = design["design_tiles"].drop_duplicates("tile").set_index("tile").reindex(tiles)
    attempts = {
        "attempt": range(len(tiles)),
        "level": tiles,
        "outcome": "solved",
        "steps": 1,
        "capacity": own["memory"].array,
        "banks": own["banks"].array,
        "bank_bytes": (own["memory"] // own["banks"]).array,
        "align_bytes": pd.array([_ALIGNMENT.get(str(kind)) for kind in own["kind"]], dtype="Int64"),
    }
    allocations = {
        "attempt": names.map(rank).to_numpy(),
        "level": names.to_numpy(),
        "block": placed.groupby(names, sort=False).cumcount().to_numpy(),
        "name": placed["name"].to_numpy(),
        "kind": "buffer",
        "address": placed["address"].array,
        "size": placed["bytes"].to_numpy(),
        "start": 0,
        "end": 1,
        "status": "placed",
    }
    return MemoryIndex.of(
        complete("attempts", attempts),
        complete("allocations", allocations),
        empty("steps"),
        empty("buffer_uses"),
    )
