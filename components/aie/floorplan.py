"""Floor plan of the array as on the chip (shims below, then memtiles, cores above), coloured by a
metric.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from analysis.aie.tiles import TileMetric
from analysis.selection import Selection
from components.aie.array_cells import FILL, MAX_CELLS, cell_bars, place_cells
from components.aie.valued_tiles import all_alike, valued_tiles
from components.contrast import choose_ink
from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import plain, shorten
from components.theme import palette
from schema.plurals import plural
from schema.rows import filter_rows

NO_VALUE = "traced, no value"
"""Hover text of a traced tile without a value."""
_CELL_PX = 46
_FIRST_CORE_ROW = 2
"""Row of the lowest cores; row 0 has the shims, row 1 the memtiles."""
_MAX_ROW_LABELS = 64
"""Rows that get a label, and rows that the height of the plot allows for."""


def floorplan(
    tiles: pd.DataFrame,
    metric: TileMetric,
    selection: Selection,
    theme: str,
    *,
    shape: tuple[int, int] | None = None,
    no_value: str = NO_VALUE,
) -> Figure:
    """Draw the floor plan from a table of tiles (`analysis.aie.tiles.tile_table`), coloured by a
    metric.

    `shape` is (rows, columns) of the cores that share the work; cores that were not traced are
    hatched. `no_value` explains tiles without a value. A click's customdata is [track]. If no tile
    has a place, the figure shows only a sentence.
    """
    cells = place_cells(tiles)
    if not len(cells):
        return empty_figure("No traced tile has a place in the array.", theme, 200)
    numbers = cells[metric.name].to_numpy(np.float64)
    has_value = ~np.isnan(numbers)
    values = numbers[has_value]
    equality_note = all_alike(values, metric.unit, metric.share_of)
    # A scale of colours compares tiles: a single value needs none.
    is_scaled = len(values) > 1 and not equality_note
    traces = [
        *valued_tiles(filter_rows(cells, has_value), metric, selection, theme, scaled=is_scaled),
        *_plain_cells(filter_rows(cells, ~has_value), selection, theme, no_value),
        *_untraced_cores(cells, shape, theme),
    ]
    return figure(traces, _layout(cells, traces, equality_note), theme)


def mark_tiles(
    drawn: Figure, tiles: pd.DataFrame, tracks: Collection[str], mark: tuple[str, str], theme: str
) -> Figure:
    """Draw tiles on top of a floor plan with a label and a colour of their own (`mark`)."""
    label, color = mark
    cells = place_cells(tiles)
    chosen = cells[cells["track"].isin(list(tracks))]
    if not len(chosen):
        return drawn
    boxes = cell_bars(chosen, np.full(len(chosen), label, dtype=object), Selection(), theme)
    boxes["marker"]["color"] = color
    boxes["insidetextfont"] = {"color": choose_ink(color), "size": 11}
    boxes["hovertemplate"] = "<b>%{hovertext}</b><br>sets the pace: %{text}<extra></extra>"
    return drawn.with_traces([boxes])


def left_out(tiles: pd.DataFrame) -> str:
    """Return a note with the number of drawn tiles if more than 4,096 tiles (_MAX_CELLS) have a
    place in the array, "" if all of these are drawn.
    """
    if len(tiles) <= MAX_CELLS:
        return ""
    placed = tiles[tiles["row"].notna() & tiles["col"].notna()].drop_duplicates(
        ["row", "col", "slice"]
    )
    return (
        f"{MAX_CELLS} of {plural(len(placed), 'traced tile')} are drawn."
        if len(placed) > MAX_CELLS
        else ""
    )


def _plain_cells(
    cells: pd.DataFrame, selection: Selection, theme: str, no_value: str
) -> list[dict[str, Any]]:
    """Build the trace of tiles without a value, grey with their kind as text; empty if there are no
    such tiles.
    """
    if not len(cells):
        return []
    colours = palette(theme)
    boxes = cell_bars(
        cells, np.array([plain(kind) for kind in cells["kind"]], dtype=object), selection, theme
    )
    boxes["marker"]["color"] = colours.missing
    boxes["insidetextfont"] = {"color": choose_ink(colours.missing), "size": 11}
    boxes["hovertemplate"] = "<b>%{hovertext}</b><br>" + no_value + "<extra></extra>"
    return [boxes]


def _untraced_cores(
    cells: pd.DataFrame, shape: tuple[int, int] | None, theme: str
) -> list[dict[str, Any]]:
    """Build the trace of cores that belong to the run's shape and were not traced, hatched.

    Empty if the shape is unknown or has more than 4,096 cores, if all of its cores were traced, or
    if the trace has several slices, each with a shape of its own.
    """
    if shape is None or shape[0] * shape[1] > MAX_CELLS or cells["slice"].nunique() > 1:
        return []
    is_core = np.asarray(cells["kind"].array == "core", bool)
    rows_of_cores, cols_of_cores = (
        cells[name].to_numpy()[is_core].tolist() for name in ("row", "col")
    )
    first_row = min([_FIRST_CORE_ROW, *rows_of_cores])
    first_col = int(cells["col"].min())
    traced = set(zip(rows_of_cores, cols_of_cores, strict=True))
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
            "base": at[:, 0] - FILL / 2,
            "y": np.full(len(at), FILL),
            "width": FILL,
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
    bases = np.concatenate([trace["base"] for trace in boxes]) + FILL / 2
    rows = np.arange(int(bases.min().round()), int(bases.max().round()) + 1)
    labelled = rows[:: math.ceil(len(rows) / _MAX_ROW_LABELS)]
    labels = [{0: "shim 0", 1: "memtile 1"}.get(int(row), f"core {row}") for row in labelled]
    sliced = cells["slice"].nunique() > 1
    hidden = {"showgrid": False, "ticks": "", "fixedrange": True}
    return {
        "barmode": "overlay",
        "height": (88 if note else 70)
        + (18 if sliced else 0)
        + _CELL_PX * min(len(rows), _MAX_ROW_LABELS),
        "margin": {"l": 64, "r": 8, "t": 8, "b": (52 if note else 34) + (18 if sliced else 0)},
        "xaxis": hidden
        | {"tickvals": cols, "ticktext": _column_labels(cells, cols), "title": {"text": note}},
        "yaxis": hidden
        | {"tickvals": labelled, "ticktext": labels, "range": [rows[0] - 0.55, rows[-1] + 0.55]},
        "dragmode": False,
    }


def _column_labels(cells: pd.DataFrame, drawn: np.ndarray) -> list[str]:
    """Label the drawn columns by their columns of the array; the first column of each slice of the
    trace names it.
    """
    is_sliced = cells["slice"].nunique() > 1
    # The first cell of a drawn column names it.
    rows = [*zip(cells["x"].tolist(), cells["col"].tolist(), cells["slice"], strict=True)]
    of_drawn = {x: (col, str(own)) for x, col, own in reversed(rows)}
    labels = []
    named: set[str] = {""}
    for column in drawn.tolist():
        col, own = of_drawn.get(column, (column, ""))
        label = f"col {col}"
        labels.append(
            label if own in named or not is_sliced else f"{label}<br>{plain(shorten(own, 24))}"
        )
        named.add(own)
    return labels
