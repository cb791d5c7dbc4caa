"""Cells of the array that have a value: their colours, the scale, and whether they differ."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from plotly.colors import sample_colorscale

from analysis.aie.tiles import TileMetric
from analysis.selection import Selection
from components.aie.array_cells import cell_bars
from components.contrast import choose_ink
from components.numbers import in_unit, significant
from components.theme import SEQUENTIAL, colorscale
from components.tick_formats import NUMBER_TICKS, SHARE_TICKS

_EQUAL_COLOR = SEQUENTIAL[3]
"""Colour of values that are all equal, from the middle of the scale."""
_MAX_SCALE_START = 0.9
"""The scale of durations begins at this share of the largest value or below, so that tiny
differences do not look large.
"""
_MAX_EQUAL_SPREAD: Mapping[str, float] = MappingProxyType(
    {"ticks": 0.02, "GMAC/s": 0.02, "ratio": 0.01}
)
"""Unit -> largest spread of values that count as equal: relative to the largest value, for shares
absolute.

Values of other units (counts) must be exactly equal.
"""


def all_alike(values: np.ndarray, unit: str, share_of: str = "") -> str:
    """Return a note that all values are equal, and within which spread, "" if they differ or are
    fewer than 2.

    `unit` is a unit of the schema, `share_of` names the whole of a share. Durations and rates are
    equal within 2 % of the largest, shares within a percentage point, counts only if identical.
    """
    if len(values) < 2:
        return ""
    spread = float(np.ptp(values))
    most = float(np.abs(values).max())
    if not spread:
        return f"all {in_unit(most, unit)} {share_of}".rstrip()
    relative = spread if unit == "ratio" else spread / most
    if relative > _MAX_EQUAL_SPREAD.get(unit, 0.0):
        return ""
    return f"all equal within {significant(relative * 100, 2)} {'percentage points' if unit == 'ratio' else '%'}"


def valued_tiles(
    cells: pd.DataFrame, metric: TileMetric, selection: Selection, theme: str, *, scaled: bool
) -> list[dict[str, Any]]:
    """Build the traces of tiles with a value.

    Without `scaled` all tiles have the same colour and there is no colour bar.
    """
    if not len(cells):
        return []
    values = cells[metric.name].to_numpy(dtype=np.float64)
    boxes = cell_bars(
        cells, np.array([in_unit(v, metric.unit) for v in values], dtype=object), selection, theme
    )
    boxes["hovertemplate"] = (
        f"<b>%{{hovertext}}</b><br>{metric.label}: %{{text}} {metric.share_of}<extra></extra>"
    )
    if not scaled:
        boxes["marker"]["color"] = _EQUAL_COLOR
        boxes["insidetextfont"] = {"color": choose_ink(_EQUAL_COLOR)}
        return [boxes]
    low = 0.0
    high = max(1e-9, float(values.max()))
    if metric.unit == "ticks":
        low = min(float(values.min()), high * _MAX_SCALE_START)
    # Equal values need a scale of positive length.
    high = high if high > low else low + 1
    place = (values - low) / (high - low)
    # Colours are computed here: given numbers, plotly warns for each when it looks for a readable
    # text colour. An extra trace shows the scale.
    shades = sample_colorscale(colorscale(), place)
    boxes["marker"]["color"] = np.array(shades, dtype=object)
    boxes["insidetextfont"] = {
        "color": np.array([choose_ink(shade) for shade in shades], dtype=object)
    }
    return [boxes, _scale(boxes, (low, high), metric)]


def _scale(boxes: dict[str, Any], span: tuple[float, float], metric: TileMetric) -> dict[str, Any]:
    """Build an invisible point that carries the colour bar."""
    marker = {
        "color": np.array([span[0]]),
        "colorscale": colorscale(),
        "cmin": span[0],
        "cmax": span[1],
        "colorbar": {
            "thickness": 8,
            "outlinewidth": 0,
            "tickformat": SHARE_TICKS if metric.unit == "ratio" else NUMBER_TICKS,
            "title": {
                "text": f"share {metric.share_of}" if metric.share_of else "",
                "side": "right",
            },
        },
        "showscale": True,
    }
    unseen = {"mode": "markers", "opacity": 0, "hoverinfo": "skip", "showlegend": False}
    return {
        "type": "scatter",
        "x": boxes["x"][:1],
        "y": boxes["base"][:1],
        "marker": marker,
    } | unseen
