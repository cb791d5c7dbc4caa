"""Plot of the array with the change on each tile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from components.contrast import blend, choose_ink
from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import plain
from components.theme import palette
from components.verdicts import SIGNS

_CELL_PX, _FRAME_PX = 46, 64
_FILL = 0.92
_MAX_CELLS = 4096
"""Maximum number of tiles that are drawn."""
_MIN_FULL_CHANGE = 0.02
"""Minimum change (ratio) with the full colour: if all changes are smaller, all colours are pale."""


def tile_changes(tiles: pd.DataFrame, chosen: str, label: str, theme: str) -> Figure:
    """Draw the tiles at their places in the array, coloured by how much better or worse a number
    became.

    `tiles` has columns track, row, col, `harm` (float64: change as a ratio, positive if worse, NaN
    if unknown), `text`, `hover` and `verdict`. The tile of track `chosen` is outlined. The
    customdata of a click is [track]. If no tile has a place, the figure shows only a sentence.
    """
    placed = tiles[tiles["row"].notna() & tiles["col"].notna()].head(_MAX_CELLS)
    if not len(placed):
        return empty_figure("No tile of both sides has a place in the array.", theme, 160)
    rows, cols = (np.unique(placed[name].astype(int)) for name in ("row", "col"))
    hidden = {"showgrid": False, "ticks": "", "fixedrange": True}
    layout = {
        "barmode": "overlay",
        "height": _FRAME_PX + _CELL_PX * min(len(rows), 64),
        "margin": {"l": 64, "r": 8, "t": 8, "b": 44},
        "xaxis": hidden
        | {
            "tickvals": cols,
            "ticktext": [f"col {col}" for col in cols],
            "title": {"text": f"{label}, change vs base"},
        },
        "yaxis": hidden
        | {
            "tickvals": rows,
            "ticktext": [f"core {row}" for row in rows],
            "range": [rows[0] - 0.55, rows[-1] + 0.55],
        },
        "dragmode": False,
    }
    return figure([_cells(placed, chosen, theme)], layout, theme)


def _cells(placed: pd.DataFrame, chosen: str, theme: str) -> dict[str, Any]:
    colours = palette(theme)
    names = placed["track"].astype("str").to_numpy(dtype=object)
    shades = _shades(placed, theme)
    signs = [SIGNS.get(str(verdict), "") for verdict in placed["verdict"]]
    return {
        "type": "bar",
        "x": placed["col"].to_numpy(np.int64),
        "base": placed["row"].to_numpy(np.float64) - _FILL / 2,
        "y": np.full(len(placed), _FILL),
        "width": _FILL,
        "text": [
            f"{text} {sign}".strip() for text, sign in zip(placed["text"], signs, strict=True)
        ],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "insidetextfont": {"color": [choose_ink(shade) for shade in shades]},
        "customdata": names[:, None],
        "hovertext": [
            f"<b>{plain(name)}</b><br>{hover}"
            for name, hover in zip(names, placed["hover"], strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
        "marker": {
            "color": shades,
            "line": {"color": colours.selection, "width": np.where(names == chosen, 3.0, 0.0)},
        },
    }


def _shades(placed: pd.DataFrame, theme: str) -> list[str]:
    """Compute the colour (#rrggbb) of each tile: red if regressed, green if improved, stronger for
    larger changes, and grey for any other verdict.
    """
    colours = palette(theme)
    harm = placed["harm"].to_numpy(np.float64)
    most = max(_MIN_FULL_CHANGE, float(np.nanmax(np.abs(harm), initial=0.0)))
    by_verdict = {"regressed": colours.trouble, "improved": colours.good}
    shades = []
    for value, verdict in zip(harm.tolist(), placed["verdict"], strict=True):
        # When a change is small, its tile still has a visible tint.
        strength = 0.15 + 0.55 * min(abs(value) / most, 1.0)
        plain_shade = colours.missing if np.isnan(value) else colours.raised
        shades.append(
            blend(by_verdict[verdict], colours.panel, strength)
            if verdict in by_verdict
            else plain_shade
        )
    return shades
