"""Flame graph: bars of nested parts, each bar below its parent and as wide as its total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from components.contrast import choose_ink
from components.figure import Figure
from components.graph import figure, nothing
from components.numbers import plain
from components.theme import name_color, palette

MAX_PARTS = 400
"""Bars that a flame graph draws at most, the largest ones."""
_LEVEL_PX, _FRAME_PX = 24, 60
_MIN_SHARE = 0.001
"""Smallest share of the whole that is drawn; a smaller bar would be narrower than a pixel."""
_MAX_NAME_CHARACTERS = 40
"""Characters of a name in a bar at most."""
_PLOT_PX, _CHARACTER_PX, _EDGES_PX = 1_060, 6.4, 10
"""Width in pixels for which names are cut: a page of 1100 pixels, since the server does not know
the width of the window. Then the width of a character, and the padding of a bar.
"""
_MIN_NAME_CHARACTERS = 4
"""A bar without room for this many characters has no name, unless the name is shorter."""


def whole_of(tree: pd.DataFrame) -> int:
    """Sum the totals of the outermost parts (depth 0) of a tree; 0 without rows."""
    return int(tree.loc[tree["depth"] == 0, "total"].sum())


def shown_parts(tree: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of a tree that are drawn: rows with at least 0.1 % of the whole, at most 400,
    the largest first.
    """
    return tree[tree["total"] >= _MIN_SHARE * whole_of(tree)].nlargest(MAX_PARTS, "total")


def flame(
    shown: pd.DataFrame,
    hovers: Sequence[str],
    axis: Mapping[str, Any],
    theme: str,
    *,
    numbers: Sequence[int] | None = None,
) -> Figure:
    """Draw rows of `shown_parts` (columns name, depth, total, start) as a flame graph.

    `hovers` has the hover text of each row. If `numbers` is set, the customdata of a bar is [its
    number]. If there are no rows or all totals are 0, the figure has no traces.
    """
    if not len(shown) or not shown["total"].any():
        return nothing(theme)
    levels = int(shown["depth"].max()) + 1
    names = shown["name"].astype("str").tolist()
    colours = [name_color(name) for name in names]
    widths = shown["total"].to_numpy(np.float64) * (
        _PLOT_PX / shown.loc[shown["depth"] == 0, "total"].sum()
    )
    bars = {
        "type": "bar",
        "orientation": "h",
        "base": shown["start"].to_numpy(np.int64),
        "x": shown["total"].to_numpy(np.int64),
        "y": shown["depth"].to_numpy(np.int64),
        "width": 0.92,
        "text": [
            _fit_name(name, width) for name, width in zip(names, widths.tolist(), strict=True)
        ],
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "insidetextfont": {"size": 11, "color": [choose_ink(colour) for colour in colours]},
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
        # Plotly would shrink texts until they fit; below 9 px it hides them instead.
        "uniformtext": {"minsize": 9, "mode": "hide"},
        "xaxis": axis,
        "yaxis": {"range": [levels - 0.4, -0.6], "visible": False, "fixedrange": True},
    }
    return figure([bars], layout, theme)


def _fit_name(name: str, width_px: float) -> str:
    """Cut a name to the room in a bar of this width.

    Returns "" if less than 4 characters (_MIN_NAME_CHARACTERS), and less than the whole name, would
    fit.
    """
    room = int((width_px - _EDGES_PX) / _CHARACTER_PX)
    if room < min(_MIN_NAME_CHARACTERS, len(name)):
        return ""
    return (
        plain(name, _MAX_NAME_CHARACTERS)
        if len(name) <= room
        else plain(f"{name[: room - 1]}…", _MAX_NAME_CHARACTERS)
    )
