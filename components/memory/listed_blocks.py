"""Maps whose blocks are not listed, and blocks that share addresses."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from components.memory.block_words import MAX_NAME_CHARACTERS, exact
from components.numbers import shorten


def are_unlisted(amap: AttemptMap) -> bool:
    """Whether a map has an extent above 0 but no listed block: a log without its companion files
    may list none.
    """
    return bool(amap.whole("extent")) and not (amap.blocks["kind"] != "constant").any()


def unlisted_words(amap: AttemptMap) -> str:
    """Write that the blocks are not listed, with the bytes that they need."""
    name = shorten(amap.label, MAX_NAME_CHARACTERS)
    return f"The blocks of {name} are not listed, only that they need {exact(amap.whole('extent') or 0)}."


def used_bytes(amap: AttemptMap, step: int) -> int | None:
    """Look up the addresses in use at a step in bytes; None if they are unknown.

    Blocks that share addresses have fewer bytes of addresses than the sum of their sizes.
    """
    rows = amap.occupancy[amap.occupancy["bank"].isna() & (amap.occupancy["step"] <= step)]
    if not len(rows):
        return None
    union = rows.loc[rows["step"].idxmax(), "union_bytes"]
    return None if pd.isna(union) else int(union)


def no_bytes_words(maps: Sequence[AttemptMap]) -> str:
    """Write why maps have no bytes at any step: no block is alive, or every block has 0 bytes."""
    for amap in maps:
        blocks = amap.blocks.iloc[amap.segments.row]
        # The table of the blocks alive at a step lists blocks of 0 bytes.
        if ((blocks["kind"] != "constant") & (blocks["status"] != "failed")).any():
            return "Every block that is alive has 0 bytes."
    return "No block is alive at any step."
