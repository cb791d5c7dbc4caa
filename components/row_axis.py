"""The y axis of plots that have a row per name, and rows that are pointed at as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_TOLD = ("y", "customdata", "hovertext", "hovertemplate")


def row_axis(names: Sequence[str]) -> dict[str, Any]:
    """Return an axis that names rows 0, 1, ... from top to bottom; all of them stay in view."""
    return {
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "range": [len(names) - 0.4, -0.6],
        "showgrid": False,
        "ticks": "",
        "fixedrange": True,
    }


def row_targets(bars: Mapping[str, Any], span: Sequence[float]) -> dict[str, Any]:
    """Return unseen bars over all of the rows that a trace has bars in: they tell and are clicked as those.

    A bar may be a pixel wide; `span` is the range of the x axis.
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
        **{part: bars[part] for part in _TOLD if part in bars},
    }
