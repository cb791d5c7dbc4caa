"""Measured times of tiles: cycles before, in and after their kernels."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from components.figure import Figure
from components.graph import figure, nothing
from components.numbers import count_text, integer, percent, plain, shorten, significant
from components.row_axis import row_axis
from components.theme import CATEGORICAL, palette

MAX_TILES = 80
"""Tiles that are drawn at most, the first of the network."""
PARTS: Mapping[str, str] = MappingProxyType(
    {"pre": "before the kernel", "kernel": "kernel", "post": "behind the kernel"}
)
"""Part of a tile's time -> label."""
_COLOURS = {"pre": CATEGORICAL[1], "kernel": CATEGORICAL[0], "post": CATEGORICAL[2]}
_PATTERNS = {"pre": "/", "kernel": "", "post": "\\"}
_BUFFERING = {"SB": "single buffered", "DB": "double buffered"}
_ROW_PX, _SMALL_ROW_PX, _FRAME_PX = 20, 14, 96
_MAX_LARGE_ROWS = 12
"""Above this number of tiles their bars are thinner."""


def operator_times(tiles: pd.DataFrame) -> pd.DataFrame:
    """Sum rows of a frame `tile_times` by operator, level and buffering, a row each in the order of
    the network.

    Columns: name, level, buffering, operations, tiles (their number), pre, kernel, post (cycles),
    `overhead`, the share of cycles outside of kernels, and `rate`, operations per cycle over all
    tiles; both are null if there are no cycles, `overhead` also if `pre` and `post` are unknown.
    """
    keys = [
        tiles["name"].astype("str"),
        tiles["level"].astype("str").fillna(""),
        tiles["buffering"].astype("str").fillna(""),
    ]
    # Unsorted, so that operators keep the order of the network.
    grouped = tiles.groupby(keys, sort=False)
    times = grouped[["pre", "kernel", "post"]].sum(min_count=1).reset_index()
    # Each tile repeats the operations of its whole operator, so they must not be summed.
    times.insert(3, "operations", grouped["operations"].first().to_numpy())
    times.insert(4, "tiles", grouped.size().to_numpy())
    cycles = times[["pre", "kernel", "post"]].sum(axis=1).astype("float64")
    # Null instead of a division by zero.
    cycles = cycles.where(cycles > 0)
    around = times[["pre", "post"]].notna().any(axis=1)
    times["overhead"] = (1 - times["kernel"].astype("float64") / cycles).where(around)
    times["rate"] = times["operations"].astype("float64") / cycles
    return times


def tile_bars(tiles: pd.DataFrame, theme: str) -> Figure:
    """Draw the parts of the first 80 tiles (MAX_TILES) of a memory level as stacked bars, in
    cycles.

    When there are no tiles, the figure has no traces.
    """
    shown = tiles.head(MAX_TILES)
    if shown.empty:
        return nothing(theme)
    labels = [_label(row.name, row.tile) for row in shown[["name", "tile"]].itertuples(index=False)]
    layout = {
        "barmode": "stack",
        "bargap": 0.25,
        "height": _FRAME_PX
        + (_ROW_PX if len(shown) <= _MAX_LARGE_ROWS else _SMALL_ROW_PX) * len(shown),
        "margin": {"l": 150, "r": 16, "t": 34, "b": 40},
        "xaxis": {"title": {"text": "cycles"}, "rangemode": "tozero"},
        "yaxis": row_axis(labels),
        "legend": {"traceorder": "normal"},
    }
    return figure([_bars(shown, part, labels, theme) for part in PARTS], layout, theme)


def _label(name: str, tile: int) -> str:
    return f"{plain(shorten(name or '(no name)', 18))} {tile}"


def _bars(tiles: pd.DataFrame, part: str, labels: list[str], theme: str) -> dict[str, Any]:
    cycles = tiles[part].astype("float64").fillna(0.0)
    rows = zip(labels, tiles[part], tiles["buffering"].astype("str"), tiles["total"], strict=True)
    return {
        "type": "bar",
        "orientation": "h",
        "name": PARTS[part],
        "x": cycles.to_numpy(),
        "y": np.arange(len(tiles)),
        "hovertext": [
            f"<b>{label}</b><br>{PARTS[part]}: {'not printed' if pd.isna(own) else integer(own)} cycles<br>"
            f"{_BUFFERING.get(buffering, 'not tiled')}{_total_words(total)}"
            for label, own, buffering, total in rows
        ],
        "hoverinfo": "text",
        "marker": {
            "color": _COLOURS[part],
            "line": {"width": 0.5, "color": palette(theme).panel},
            "pattern": {
                "shape": _PATTERNS[part],
                "fillmode": "overlay",
                "size": 6,
                "solidity": 0.15,
            },
        },
    }


def _total_words(total: int | None) -> str:
    return "" if pd.isna(total) else f", {integer(total)} in all"


def tile_times_caption(operators: pd.DataFrame) -> str:
    """Return the caption: the share of cycles outside of kernels, the operator with most of these
    cycles, and operations per cycle, as far as they are known.

    `operators` is the result of `operator_times`. If no tile has cycles, it states that.
    """
    cycles = float(operators[["pre", "kernel", "post"]].to_numpy(np.float64, na_value=0.0).sum())
    if not cycles:
        return "No tile has cycles."
    lost = float(operators[["pre", "post"]].to_numpy(np.float64, na_value=0.0).sum())
    counted = f"{count_text(int(operators['tiles'].sum()), 'tile')} of {count_text(len(operators), 'operator')}"
    is_around_known = bool(operators[["pre", "post"]].notna().any(axis=None))
    sentence = f"{counted}: {percent(lost / cycles)} of their {count_text(cycles, 'cycle')} are outside of kernels"
    if not is_around_known:
        sentence = f"{counted}: {count_text(cycles, 'cycle')} in kernels, those around them are not printed"
    outside = operators[["pre", "post"]].astype("float64").sum(axis=1)
    worst = outside.idxmax()
    if len(operators) > 1 and outside[worst] > 0:
        name = plain(shorten(operators["name"][worst], 40))
        sentence += (
            f"; {percent(outside[worst] / lost)} of these are in {name}, more than in any other"
        )
    operations = operators["operations"].astype("float64")
    if operations.isna().any():
        return f"{sentence}."
    return f"{sentence}. {significant(float(operations.sum()) / cycles)} operations/cycle."


def tiles_left_out(count: int) -> str:
    """Return the note about the number of tiles beyond 80 (MAX_TILES) that are not drawn, "" if all
    of `count` are drawn.
    """
    left = max(count - MAX_TILES, 0)
    return f"{count_text(left, 'later tile')} left out." if left else ""
