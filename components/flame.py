"""A flame of parts of parts: each below what it is part of, as wide as it is large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from components.contrast import ink_on
from components.figure import Figure
from components.graph import figure, nothing
from components.numbers import plain
from components.theme import name_color, palette

MOST_PARTS = 400
_LEVEL_PX, _FRAME_PX = 24, 60
_LEAST = 0.001
"""Least share of the whole that is drawn: less than a pixel otherwise."""
_NAME = 40
_PLOT_PX, _CHARACTER_PX, _EDGES_PX = 1_060, 6.4, 10
"""Pixels that names are cut for, of a page of 1100 pixels: nobody tells the server."""
_LEAST_NAME = 4


def whole_of(tree: pd.DataFrame) -> int:
    """Return what the outermost parts add up to."""
    return int(tree.loc[tree["depth"] == 0, "total"].sum())


def shown_parts(tree: pd.DataFrame) -> pd.DataFrame:
    """Return the parts that are drawn, the largest first."""
    return tree[tree["total"] >= _LEAST * whole_of(tree)].nlargest(MOST_PARTS, "total")


def flame(
    shown: pd.DataFrame,
    hovers: Sequence[str],
    axis: Mapping[str, Any],
    theme: str,
    *,
    numbers: Sequence[int] | None = None,
) -> Figure:
    """Draw rows of `shown_parts` (name, depth, total, start); a bar's customdata is [its one of `numbers`]."""
    if not len(shown) or not shown["total"].any():
        return nothing(theme)
    levels = int(shown["depth"].max()) + 1
    names = shown["name"].astype("str").tolist()
    colours = [name_color(name) for name in names]
    widths = shown["total"].to_numpy(np.float64) * (_PLOT_PX / shown.loc[shown["depth"] == 0, "total"].sum())
    bars = {
        "type": "bar",
        "orientation": "h",
        "base": shown["start"].to_numpy(np.int64),
        "x": shown["total"].to_numpy(np.int64),
        "y": shown["depth"].to_numpy(np.int64),
        "width": 0.92,
        "text": [_fitting(name, width) for name, width in zip(names, widths.tolist(), strict=True)],
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "insidetextfont": {"size": 11, "color": [ink_on(colour) for colour in colours]},
        "marker": {
            "color": colours,
            "line": {"width": 0.5, "color": palette(theme).panel},
        },
        "hovertext": list(hovers),
        "hoverinfo": "text",
    }
    bars |= {} if numbers is None else {"customdata": [[number] for number in numbers]}
    layout: dict[str, Any] = {
        "height": _FRAME_PX + _LEVEL_PX * levels,
        "margin": {"l": 16, "r": 16, "t": 8, "b": 44},
        "showlegend": False,
        "barmode": "overlay",
        "uniformtext": {"minsize": 9, "mode": "hide"},
        "xaxis": axis,
        "yaxis": {"range": [levels - 0.4, -0.6], "visible": False, "fixedrange": True},
    }
    return figure([bars], layout, theme)


def _fitting(name: str, width_px: float) -> str:
    """Return the name cut to what a bar has room for, empty where that is too little to be read."""
    room = int((width_px - _EDGES_PX) / _CHARACTER_PX)
    if room < min(_LEAST_NAME, len(name)):
        return ""
    return plain(name, _NAME) if len(name) <= room else plain(f"{name[: room - 1]}…", _NAME)
