"""Cells of the array: the tile that is drawn at each place, and its square."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.selection import Selection
from components.numbers import plain
from components.theme import palette
from schema.array_types import Ints

_KIND_RANK = {"core": 0, "memtile": 1, "shim": 2, "mem": 3}
"""If tiles of several kinds share a place, the kind with the lowest rank is drawn."""
FILL = 0.92
"""Width and height of a tile, as a share of its cell."""
MAX_CELLS = 4096
"""Traced tiles that are drawn, and untraced cores: if there are more, only the caption gives their
number.
"""


def place_cells(tiles: pd.DataFrame) -> pd.DataFrame:
    """Select a row per place of the array.

    If a core and its memory module share a place, the core is selected. Column `x` is where the
    cell is drawn: slices of a trace buffer are arrays side by side.
    """
    if "slice" not in tiles:
        tiles = tiles.assign(slice="")
    placed = np.flatnonzero((tiles["row"].notna() & tiles["col"].notna()).to_numpy(bool))
    places = tiles[["row", "col", "slice"]].iloc[placed]
    rows, cols, slices = (places[name].tolist() for name in places)
    ranks = [_KIND_RANK.get(kind, 9) for kind in tiles["kind"].iloc[placed]]
    first: dict[tuple[int, int, str], int] = {}
    for at in np.argsort(ranks, kind="stable").tolist():
        first.setdefault((rows[at], cols[at], slices[at]), at)
    chosen = [*first.values()][:MAX_CELLS]
    cells = tiles.iloc[placed[chosen]]
    places = {name: cells[name].to_numpy(np.int64) for name in ("row", "col")}
    return cells.assign(**places, x=_drawn_columns(cells, places["col"]))


def _drawn_columns(cells: pd.DataFrame, columns: Ints) -> Ints:
    """Return the column that each cell, at these columns of the array, is drawn in: an empty column
    is between two slices.
    """
    order = {label: rank for rank, label in enumerate(dict.fromkeys(cells["slice"].sort_index()))}
    if len(order) < 2:
        return columns
    width = int(columns.max() - columns.min()) + 2
    ranks = cells["slice"].map(order).to_numpy(np.int64)
    moved: Ints = columns + width * ranks
    return moved


def cell_bars(
    cells: pd.DataFrame, text: np.ndarray, selection: Selection, theme: str
) -> dict[str, Any]:
    """Build the bars that draw cells as squares; the selected cell has a strong outline."""
    chosen = (cells["track"] == selection.track).to_numpy(dtype=bool)
    names = cells["track"].to_numpy(dtype=object)
    return {
        "type": "bar",
        "x": cells["x"].to_numpy(),
        "base": cells["row"].to_numpy(dtype=np.float64) - FILL / 2,
        "y": np.full(len(cells), FILL),
        "width": FILL,
        "text": text,
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "customdata": names[:, None],
        "hovertext": np.array([plain(name) for name in names], dtype=object),
        "showlegend": False,
        "marker": {
            "line": {"color": palette(theme).selection, "width": np.where(chosen, 3.0, 0.0)}
        },
    }
