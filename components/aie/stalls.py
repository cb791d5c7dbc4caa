"""Bars of each tile's stalls and vector work, as shares of its time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from analysis.selection import Selection
from components.aie.tile_bars import tile_label
from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import integer, percent, plain
from components.row_axis import row_axis
from components.theme import FADE, event_color, palette
from components.tick_formats import SHARE_TICKS

SHARES: Mapping[str, str] = MappingProxyType(
    {"share": "of traced time", "inside": "of kernel time", "outside": "of time outside of kernels"}
)
"""Columns of frame `activity` that can be drawn -> words for the whole that they are shares of."""
SHOWN: Mapping[str, str] = MappingProxyType(
    {
        "LOCK_STALL": "lock stall",
        "MEMORY_STALL": "memory stall",
        "STREAM_STALL": "stream stall",
        "CASCADE_STALL": "cascade stall",
        "INSTR_VECTOR": "vector",
    }
)
"""Event name -> label, in drawing order."""
_PATTERNS = {
    "LOCK_STALL": "/",
    "MEMORY_STALL": "\\",
    "STREAM_STALL": ".",
    "CASCADE_STALL": "x",
    "INSTR_VECTOR": "",
}
_ROW_PX = 20
_MAX_TILES = 80
"""Tiles that are drawn at most."""


def stalls(
    activity: pd.DataFrame, selection: Selection, theme: str, *, share: str = "share"
) -> Figure:
    """Draw stacked bars of the shares of time in stalls and vector work per tile, from a frame
    `activity`.

    `share` is a key of SHARES. Beyond 80 tiles only the tiles with the largest sum of stalls and
    the selected tile are drawn. A click's customdata is [track, event]. When there are no such
    events, the figure shows only a sentence.
    """
    totals = _totals(activity, share)
    tiles = _tiles(totals, share, selection)
    if not tiles:
        return empty_figure("No stall or vector events were traced.", theme, 160)
    bars = [
        _bars(name, totals, tiles, share, selection=selection, theme=theme)
        for name in SHOWN
        if (totals["name"] == name).any()
    ]
    layout = {
        "barmode": "stack",
        "bargap": 0.25,
        "height": 96 + _ROW_PX * len(tiles),
        "margin": {"l": 84, "r": 16, "t": 34, "b": 40},
        "xaxis": {
            "tickformat": SHARE_TICKS,
            "title": {"text": f"share {SHARES[share]}"},
            "rangemode": "tozero",
        },
        "yaxis": row_axis([tile_label(tile, selection) for tile in tiles]),
        "legend": {"traceorder": "normal"},
    }
    return figure([trace for trace in bars if len(trace["x"])], layout, theme)


def _tiles(totals: Mapping[str, np.ndarray], share: str, selection: Selection) -> list[str]:
    """List the tracks to draw, in the file's order.

    Beyond 80 tracks (_MAX_TILES) only the 79 with the largest sum of stalls and the selected track
    are listed.
    """
    order = [*dict.fromkeys(totals["track"].tolist())]
    if len(order) <= _MAX_TILES:
        return order
    stall = totals["name"] != "INSTR_VECTOR"
    sums = pd.Series(totals[share][stall]).groupby(totals["track"][stall]).sum()
    # One place is left for the selected tile.
    worst = sums.nlargest(_MAX_TILES - 1).index
    keep = {*worst, selection.track}
    return [track for track in order if track in keep]


def _totals(activity: pd.DataFrame, share: str) -> dict[str, np.ndarray]:
    """Sum share and `busy` and take the maximum of `longest` of the events in SHOWN, per event and
    track; rows without a share are left out.

    Returns arrays by name of the column, with `name` and `track` of each sum.
    """
    # Arrays, because filters and groups of a frame take as long as the rest of a small run.
    texts = {key: np.asarray(activity[key].array, object) for key in ("name", "track")}
    shares = activity[share].to_numpy(np.float64, na_value=np.nan)
    rows = np.isin(texts["name"], [*SHOWN]) & ~np.isnan(shares)
    keys = {key: text[rows] for key, text in texts.items()}
    numbers = {share: shares[rows]} | {
        key: activity[key].to_numpy(np.int64)[rows] for key in ("busy", "longest")
    }
    # A tile has several lanes of an event only in some captures, and grouping takes milliseconds.
    if len(set(zip(*keys.values(), strict=True))) == int(rows.sum()):
        return keys | numbers
    grouped = pd.DataFrame(numbers).groupby([*keys.values()], sort=False)
    sums = grouped.agg({share: "sum", "busy": "sum", "longest": "max"})
    pairs = {key: np.asarray(sums.index.get_level_values(at)) for at, key in enumerate(keys)}
    return pairs | {str(column): sums[column].to_numpy() for column in sums}


def _bars(
    name: str,
    totals: dict[str, np.ndarray],
    tiles: list[str],
    share: str,
    *,
    selection: Selection,
    theme: str,
) -> dict[str, Any]:
    at = {tile: i for i, tile in enumerate(tiles)}
    drawn = [tile in at for tile in totals["track"]] & (totals["name"] == name)
    names = totals["track"][drawn]
    values, busy_ticks, longest_ticks = (totals[key][drawn] for key in (share, "busy", "longest"))
    lit = np.array([selection.track in (None, tile) for tile in names], dtype=bool)
    hover = [
        f"<b>{plain(tile)}</b> {SHOWN[name]}<br>{percent(value)} {SHARES[share]}<br>"
        f"{integer(busy)} in all, longest {integer(longest)}"
        for tile, value, busy, longest in zip(
            names, values.tolist(), busy_ticks.tolist(), longest_ticks.tolist(), strict=True
        )
    ]
    return {
        "type": "bar",
        "orientation": "h",
        "name": SHOWN[name],
        "x": values.astype(np.float64, copy=False),
        "y": np.array([at[tile] for tile in names], dtype=np.int64),
        "marker": {
            "color": event_color(name, theme),
            "opacity": np.where(lit, 1.0, FADE),
            "line": {"width": 0.5, "color": palette(theme).panel},
            "pattern": {
                "shape": _PATTERNS[name],
                "fillmode": "overlay",
                "size": 6,
                "solidity": 0.15,
                "fgcolor": palette(theme).panel,
            },
        },
        "customdata": np.column_stack([names, np.full(len(names), name, dtype=object)]),
        "hovertext": np.array(hover, dtype=object),
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
