"""Mean and peak bytes in each memory bank, for both sides of a comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from components.byte_axis import byte_ticks
from components.comparison.sides import SIDES, side_color
from components.figure import Figure
from components.graph import figure
from components.memory.columns import bank_shares, columns
from components.numbers import size
from components.row_axis import row_axis

_ROW_PX, _FRAME_PX = 30, 86
_MAX_COLUMNS = 4_000
"""Maximum number of columns that a bank's mean is computed from."""


def bank_use(amap: AttemptMap) -> pd.DataFrame:
    """Compute a row per bank of a map: bank (int64, from 0), mean and peak bytes in use over all
    steps (float64). No rows if the map has no banks.
    """
    grouped = columns(amap, (0, amap.length), _MAX_COLUMNS)
    used = bank_shares(amap, grouped) * (amap.whole("bank_bytes") or 0)
    # Columns cover different numbers of steps.
    weights = grouped.ends - grouped.begins
    return pd.DataFrame(
        {
            "bank": np.arange(len(used)),
            "mean": np.average(used, axis=1, weights=weights)
            if len(weights)
            else np.zeros(len(used)),
            "peak": used.max(axis=1, initial=0.0),
        }
    )


def banks(base: pd.DataFrame, new: pd.DataFrame, theme: str) -> Figure:
    """Draw the results of `bank_use` for both sides: means as bars, peaks as marks, in bytes."""
    traces = [
        trace
        for side, rows in zip(SIDES, (base, new), strict=True)
        for trace in _traces(side, rows, theme)
    ]
    layout = {
        "height": _FRAME_PX + _ROW_PX * len(base),
        "margin": {"l": 64, "r": 24, "t": 34, "b": 40},
        "barmode": "group",
        "bargap": 0.25,
        "scattermode": "group",
        "xaxis": {
            "title": {"text": "bytes in use"},
            "rangemode": "tozero",
            **byte_ticks(0, max(base["peak"].max(), new["peak"].max(), 1)),
        },
        "yaxis": row_axis([f"bank {bank}" for bank in base["bank"]]),
    }
    return figure(traces, layout, theme)


def _traces(side: str, rows: pd.DataFrame, theme: str) -> list[dict[str, Any]]:
    colour = side_color(side, theme)
    pattern = {
        "shape": "/" if side == "base" else "",
        "size": 5,
        "solidity": 0.15,
        "fillmode": "overlay",
    }
    # Marks of a side are at the middle of its bars, as bars of both sides are next to each other.
    shift = -0.19 if side == SIDES[0] else 0.19
    words = [
        f"mean {size(mean)}, peak {size(peak)}"
        for mean, peak in zip(rows["mean"], rows["peak"], strict=True)
    ]
    hover = {"hovertext": words, "hovertemplate": f"<b>{side}</b> %{{hovertext}}<extra></extra>"}
    return [
        {
            "type": "bar",
            "orientation": "h",
            "name": f"{side}, mean",
            "x": rows["mean"].to_numpy(),
            "y": rows["bank"].to_numpy(),
            "offsetgroup": side,
            "marker": {"color": colour, "pattern": pattern},
        }
        | hover,
        {
            "type": "scatter",
            "mode": "markers",
            "name": f"{side}, peak",
            "x": rows["peak"].to_numpy(),
            "y": rows["bank"].to_numpy() + shift,
            "marker": {
                "symbol": "line-ns-open",
                "size": 12,
                "line": {"width": 2.5, "color": colour},
                "color": colour,
            },
        }
        | hover,
    ]
