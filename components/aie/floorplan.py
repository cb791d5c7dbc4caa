"""Floor plan of the array as on the chip (shims below, then memtiles, cores above), coloured by a
metric.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from plotly.colors import sample_colorscale

from analysis.aie.tiles import TileMetric
from analysis.selection import Selection
from components.contrast import choose_ink
from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import in_unit, plain, significant
from components.theme import SEQUENTIAL, colorscale, palette

_CELL_PX = 46
_FIRST_CORE_ROW = 2
"""Row of the lowest cores; row 0 has the shims, row 1 the memtiles."""
_KIND_RANK = {"core": 0, "memtile": 1, "shim": 2, "mem": 3}
"""If tiles of several kinds share a place, the kind with the lowest rank is drawn."""
_FILL = 0.92
"""Width and height of a tile, as a share of its cell."""
_EQUAL_COLOR = SEQUENTIAL[3]
"""Colour of values that are all equal, from the middle of the scale."""
_MAX_CELLS = 4096
"""Traced tiles that are drawn, and untraced cores: if there are more, only the caption gives their
number.
"""
_MAX_ROW_LABELS = 64
"""Rows that get a label, and rows that the height of the plot allows for."""
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


def floorplan(
    tiles: pd.DataFrame,
    metric: TileMetric,
    selection: Selection,
    theme: str,
    *,
    shape: tuple[int, int] | None = None,
) -> Figure:
    """Draw the floor plan from a table of tiles (`analysis.aie.tiles.tile_table`), coloured by a
    metric.

    `shape` is (rows, columns) of the cores that share the work; cores that were not traced are
    hatched. A click's customdata is [track]. If no tile has a place, the figure shows only a
    sentence.
    """
    cells = _cells(tiles)
    if not len(cells):
        return empty_figure("No traced tile has a place in the array.", theme, 200)
    has_value = cells[metric.name].notna()
    equality_note = all_alike(cells.loc[has_value, metric.name].to_numpy(np.float64), metric.unit)
    traces = [
        *_tiles_with_values(cells[has_value], metric, selection, theme, scaled=not equality_note),
        *_plain_cells(cells[~has_value], selection, theme),
        *_untraced_cores(cells, shape, theme),
    ]
    return figure(traces, _layout(cells, traces, equality_note), theme)


def mark_tile(
    drawn: Figure, tiles: pd.DataFrame, track: str, mark: tuple[str, str], theme: str
) -> Figure:
    """Return a copy of a floor plan with the tile of `track` drawn on top; `mark` is (label,
    colour).

    The figure itself is returned if that tile has no place in the array.
    """
    label, color = mark
    cells = _cells(tiles)
    chosen = cells[cells["track"] == track]
    if not len(chosen):
        return drawn
    boxes = _cell_bars(chosen, np.array([label], dtype=object), Selection(), theme)
    boxes["marker"]["color"] = color
    boxes["insidetextfont"] = {"color": choose_ink(color), "size": 11}
    boxes["hovertemplate"] = "<b>%{hovertext}</b><br>sets the pace: %{text}<extra></extra>"
    return drawn.with_traces([boxes])


def all_alike(values: np.ndarray, unit: str) -> str:
    """Return a note that all values are equal, such as "all equal within 1.2 %", or "all" with the
    value.

    "" if they differ or are fewer than 2. `unit` is a unit of the schema. Durations and rates are
    equal within 2 % of the largest, shares within a percentage point, counts only if identical.
    """
    if len(values) < 2:
        return ""
    spread = float(np.ptp(values))
    most = float(np.abs(values).max())
    if not spread:
        return f"all {in_unit(most, unit)}"
    relative = spread if unit == "ratio" else spread / most
    if relative > _MAX_EQUAL_SPREAD.get(unit, 0.0):
        return ""
    return (
        f"all equal within {significant(relative * 100, 2)} {'points' if unit == 'ratio' else '%'}"
    )


def left_out(tiles: pd.DataFrame) -> str:
    """Return a note with the number of drawn tiles if more than 4,096 tiles (_MAX_CELLS) have a
    place in the array, "" if all of these are drawn.
    """
    if len(tiles) <= _MAX_CELLS:
        return ""
    placed = tiles[tiles["row"].notna() & tiles["col"].notna()].drop_duplicates(["row", "col"])
    return (
        f"{_MAX_CELLS} of {len(placed)} traced tiles are drawn." if len(placed) > _MAX_CELLS else ""
    )


def _cells(tiles: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of tiles that have a place in the array, a row per place, at most 4,096.

    If a core and its memory module share a place, the core is selected.
    """
    placed = tiles[tiles["row"].notna() & tiles["col"].notna()]
    ranked = placed.assign(rank=placed["kind"].map(_KIND_RANK).fillna(9)).sort_values(
        "rank", kind="stable"
    )
    return (
        ranked.drop_duplicates(["row", "col"])
        .head(_MAX_CELLS)
        .astype({"row": "int64", "col": "int64"})
    )


def _cell_bars(
    cells: pd.DataFrame, text: np.ndarray, selection: Selection, theme: str
) -> dict[str, Any]:
    """Build the bar trace that draws each cell as a square with its `text`; the selected cell has
    an outline.
    """
    chosen = (cells["track"] == selection.track).to_numpy(dtype=bool)
    names = cells["track"].to_numpy(dtype=object)
    return {
        "type": "bar",
        "x": cells["col"].to_numpy(),
        "base": cells["row"].to_numpy(dtype=np.float64) - _FILL / 2,
        "y": np.full(len(cells), _FILL),
        "width": _FILL,
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


def _tiles_with_values(
    cells: pd.DataFrame, metric: TileMetric, selection: Selection, theme: str, *, scaled: bool
) -> list[dict[str, Any]]:
    """Build the traces of tiles with a value: their squares, and the colour bar if `scaled`.

    Without `scaled` all tiles have the same colour. Empty if there are no cells.
    """
    if not len(cells):
        return []
    values = cells[metric.name].to_numpy(dtype=np.float64)
    boxes = _cell_bars(
        cells, np.array([in_unit(v, metric.unit) for v in values], dtype=object), selection, theme
    )
    boxes["hovertemplate"] = f"<b>%{{hovertext}}</b><br>{metric.label}: %{{text}}<extra></extra>"
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
    """Build an invisible point that carries the colour bar; `span` has the values at its ends."""
    marker = {
        "color": np.array([span[0]]),
        "colorscale": colorscale(),
        "cmin": span[0],
        "cmax": span[1],
        "colorbar": {
            "thickness": 8,
            "outlinewidth": 0,
            "tickformat": ".0%" if metric.unit == "ratio" else ",~r",
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


def _plain_cells(cells: pd.DataFrame, selection: Selection, theme: str) -> list[dict[str, Any]]:
    """Build the trace of traced tiles without a value, grey with their kind as text; empty if there
    are no such tiles.
    """
    if not len(cells):
        return []
    colours = palette(theme)
    boxes = _cell_bars(
        cells, np.array([plain(kind) for kind in cells["kind"]], dtype=object), selection, theme
    )
    boxes["marker"]["color"] = colours.missing
    boxes["insidetextfont"] = {"color": choose_ink(colours.missing), "size": 11}
    boxes["hovertemplate"] = "<b>%{hovertext}</b><br>traced, no value<extra></extra>"
    return [boxes]


def _untraced_cores(
    cells: pd.DataFrame, shape: tuple[int, int] | None, theme: str
) -> list[dict[str, Any]]:
    """Build the trace of cores that belong to the run's shape and were not traced, hatched.

    Empty if the shape is unknown or has more than 4,096 cores, or if all of its cores were traced.
    """
    if shape is None or shape[0] * shape[1] > _MAX_CELLS:
        return []
    cores = cells[cells["kind"] == "core"]
    first_row = min([_FIRST_CORE_ROW, *cores["row"]])
    first_col = int(cells["col"].min())
    traced = set(zip(cores["row"], cores["col"], strict=True))
    rows, cols = np.meshgrid(
        np.arange(shape[0]) + first_row, np.arange(shape[1]) + first_col, indexing="ij"
    )
    absent = [
        (r, c)
        for r, c in zip(rows.ravel().tolist(), cols.ravel().tolist(), strict=True)
        if (r, c) not in traced
    ]
    if not absent or len(traced) >= shape[0] * shape[1]:
        return []
    at = np.array(absent)
    colours = palette(theme)
    pattern = {"shape": "x", "fgcolor": colours.border, "bgcolor": colours.panel, "size": 8}
    return [
        {
            "type": "bar",
            "x": at[:, 1],
            "base": at[:, 0] - _FILL / 2,
            "y": np.full(len(at), _FILL),
            "width": _FILL,
            "showlegend": False,
            "marker": {
                "color": colours.border,
                "pattern": pattern,
                "line": {"color": colours.border, "width": 1},
            },
            "customdata": np.full((len(at), 1), None, dtype=object),
            "hovertemplate": "%{text}: not traced<extra></extra>",
            "text": np.array([f"core {r},{c}" for r, c in absent], dtype=object),
            "textposition": "none",
        }
    ]


def _layout(cells: pd.DataFrame, traces: list[dict[str, Any]], note: str) -> dict[str, Any]:
    boxes = [trace for trace in traces if trace["type"] == "bar"]
    cols = np.unique(np.concatenate([trace["x"] for trace in boxes]))
    bases = np.concatenate([trace["base"] for trace in boxes]) + _FILL / 2
    rows = np.arange(int(bases.min().round()), int(bases.max().round()) + 1)
    labelled = rows[:: math.ceil(len(rows) / _MAX_ROW_LABELS)]
    labels = [{0: "shim 0", 1: "memtile 1"}.get(int(row), f"core {row}") for row in labelled]
    hidden = {"showgrid": False, "ticks": "", "fixedrange": True}
    return {
        "barmode": "overlay",
        "height": (88 if note else 70) + _CELL_PX * min(len(rows), _MAX_ROW_LABELS),
        "margin": {"l": 64, "r": 8, "t": 8, "b": 52 if note else 34},
        "xaxis": hidden
        | {"tickvals": cols, "ticktext": [f"col {col}" for col in cols], "title": {"text": note}},
        "yaxis": hidden
        | {"tickvals": labelled, "ticktext": labels, "range": [rows[0] - 0.55, rows[-1] + 0.55]},
        "dragmode": False,
    }
