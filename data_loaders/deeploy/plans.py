"""Separate the blocks of a level into the outer plan and the inner plans of single steps.

Deeploy lists the inner plans of a level first, step by step, then its outer plan. A tile is alive
in its step, a tile of the network's output one step longer. A tensor has one block in an outer
plan, and in inner plans one per step that needs it. In all measured runs a level has either outer
or inner blocks.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from schema.array_types import Bools

OUTER, INNER = "outer", "inner"
_TILE_STEPS = 2
"""Longest lifetime of a tile in steps."""


def plans(blocks: pd.DataFrame) -> pd.Series:
    """Return the plan of every block (`outer` or `inner`), with the index of `blocks`.

    Constants are outer. `blocks` has attempt, name, start, end and constant in the order of the
    plot. If a level could be either, it is inner, except that the first such level is outer if no
    level surely is: Deeploy names the levels from the outermost inwards.
    """
    inner = np.zeros(len(blocks), bool)
    unsure: list[npt.NDArray[np.intp]] = []
    has_outer = False
    placed = np.flatnonzero(~blocks["constant"].to_numpy(bool))
    attempt = blocks["attempt"].to_numpy()[placed]
    for number in np.unique(attempt):
        rows = placed[attempt == number]
        tiles, sure = _tiles(blocks.iloc[rows])
        inner[rows] = tiles
        has_outer |= not tiles.all()
        if not sure:
            unsure.append(rows)
    if unsure and not has_outer:
        inner[unsure[0]] = False
    return pd.Series(np.where(inner, INNER, OUTER), index=blocks.index, dtype="str")


def _tiles(blocks: pd.DataFrame) -> tuple[Bools, bool]:
    """Return a mask of the blocks of a level that are tiles, and whether this is certain.

    Tiles come first: blocks of at most 2 steps in order of start. Certain if a name repeats among
    them or longer blocks follow.
    """
    start = blocks["start"].to_numpy()
    end = blocks["end"].to_numpy()
    # Tiles are listed first, step by step. The outer plan begins at the first block that lives
    # longer than a tile or begins before the block ahead of it.
    stops = end - start > _TILE_STEPS
    stops[1:] |= start[1:] < start[:-1]
    leading = int(stops.argmax()) if stops.any() else len(blocks)
    repeated = bool(blocks["name"].iloc[:leading].duplicated().any())
    tiles = np.arange(len(blocks)) < leading
    if leading == len(blocks):
        return tiles, repeated
    return tiles & repeated, True
