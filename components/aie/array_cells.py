"""Cells of the array: the tile that is drawn at each place, and its square."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.selection import Selection
from components.numbers import plain
from components.theme import palette

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
    placed = tiles[tiles["row"].notna() & tiles["col"].notna()]
    ranked = placed.assign(rank=placed["kind"].map(_KIND_RANK).fillna(9)).sort_values(
        "rank", kind="stable"
    )
    if "slice" not in ranked:
        ranked = ranked.assign(slice="")
    cells = (
        ranked.drop_duplicates(["row", "col", "slice"])
        .head(MAX_CELLS)
        .astype({"row": "int64", "col": "int64"})
    )
    return cells.assign(x=_drawn_columns(cells))


def _drawn_columns(cells: pd.DataFrame) -> np.ndarray:
    """Return the column that each cell is drawn in: an empty column is between two slices."""
    columns: np.ndarray = cells["col"].to_numpy(np.int64)
    order = {label: rank for rank, label in enumerate(dict.fromkeys(cells["slice"].sort_index()))}
    if len(order) < 2:
        return columns
    width = int(columns.max() - columns.min()) + 2
    ranks: np.ndarray = cells["slice"].map(order).to_numpy(np.int64)
    moved: np.ndarray = columns + width * ranks
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
