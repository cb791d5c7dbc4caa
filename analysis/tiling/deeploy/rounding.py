"""What a tile's bytes are rounded up to: Deeploy's allocators Tetris round each buffer, MiniMalloc rounds none.

Rule: Deeploy `MemoryScheduler`, whose cost vectors of Tetris are multiples of 4 bytes.
"""

from __future__ import annotations

import pandas as pd

ROUNDED_TO = 4
"""Bytes."""
_ROUNDING = "Tetris"
"""How the names of allocators begin that round."""


def tile_grain(attempts: pd.DataFrame, allocations: pd.DataFrame) -> int:
    """Return the multiple of bytes that each tile of a run takes: ROUNDED_TO or 1.

    The name of the allocator says so; without one, a tensor whose block is rounded up, where no block is odd.
    """
    strategies = attempts["strategy"].dropna().astype("str")
    named = strategies[strategies != ""]
    if len(named):
        return ROUNDED_TO if named.str.startswith(_ROUNDING).all() else 1
    blocks = allocations[allocations["kind"] != "constant"]
    size, tensor = blocks["size"].astype("Int64"), blocks["tensor_bytes"].astype("Int64")
    rounded = (tensor % ROUNDED_TO != 0) & (size == -(-tensor // ROUNDED_TO) * ROUNDED_TO)
    is_even = bool((size % ROUNDED_TO == 0).all())
    return ROUNDED_TO if is_even and bool(rounded.fillna(False).any()) else 1
