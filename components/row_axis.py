"""The y axis of plots with a named row per item, and invisible bars that make whole rows
clickable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_COPIED_PROPERTIES = ("y", "customdata", "hovertext", "hovertemplate")
"""Properties of a bar trace that `row_targets` copies: position, click data and hover text."""


def row_axis(names: Sequence[str]) -> dict[str, Any]:
    """Build the layout of a y axis with a name for each of the rows 0, 1, ... from top to bottom;
    it cannot be zoomed.
    """
    return {
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        # A falling range puts row 0 on top.
        "range": [len(names) - 0.4, -0.6],
        "showgrid": False,
        "ticks": "",
        "fixedrange": True,
    }


def row_targets(bars: Mapping[str, Any], span: Sequence[float]) -> dict[str, Any]:
    """Build a trace of invisible bars over the full width of each row of `bars`, with the same
    hover text and click data as the bars of that row.

    A visible bar may be a pixel wide, too small to point at. `span` is the range of the x axis.
    """
    low, high = span
    rows = len(bars["y"])
    return {
        "type": "bar",
        "orientation": "h",
        "base": np.full(rows, low),
        "x": np.full(rows, high - low),
        "width": 1.0,
        "marker": {"color": "rgba(0,0,0,0)"},
        "showlegend": False,
        **{part: bars[part] for part in _COPIED_PROPERTIES if part in bars},
    }
