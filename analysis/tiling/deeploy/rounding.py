"""Rounding of tiles: Deeploy's Tetris allocators round each buffer up, MiniMalloc does not.

Rule: Deeploy `MemoryScheduler`; the cost vectors of Tetris are multiples of 4 bytes.
"""

from __future__ import annotations

import pandas as pd

ROUNDED_TO = 4
"""Bytes."""
_ROUNDING = "Tetris"
"""Prefix of the names of allocators that round."""


def tile_grain(attempts: pd.DataFrame, allocations: pd.DataFrame) -> int:
    """Return the number of bytes of which each tile of a run takes a multiple: ROUNDED_TO (4) or 1.

    The name of the allocator decides: 4 for Tetris. Without a name it is 4 if all blocks are
    multiples of 4 and some block is its tensor rounded up.
    """
    strategies = attempts["strategy"].dropna().astype("str")
    named = strategies[strategies != ""]
    if len(named):
        return ROUNDED_TO if named.str.startswith(_ROUNDING).all() else 1
    blocks = allocations[allocations["kind"] != "constant"]
    size = blocks["size"].astype("Int64")
    tensor = blocks["tensor_bytes"].astype("Int64")
    rounded = (tensor % ROUNDED_TO != 0) & (size == -(-tensor // ROUNDED_TO) * ROUNDED_TO)
    is_even = bool((size % ROUNDED_TO == 0).all())
    return ROUNDED_TO if is_even and bool(rounded.fillna(False).any()) else 1
