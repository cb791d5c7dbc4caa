"""Time of devices and steps as stacked bars: compute, exposed communication and copies, idle."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from components.contrast import choose_ink
from components.figure import Figure
from components.graph import figure, nothing
from components.kernels.device_rows import window_labels
from components.numbers import duration_text, integer, percent, plain, whole_percent
from components.row_axis import row_axis
from components.theme import palette
from components.tick_formats import SHARE_TICKS

MAX_BARS = 24
"""Maximum number of bars; the grid below the plot has all windows."""
PARTS: Mapping[str, str] = MappingProxyType(
    {
        "compute": "compute",
        "communication_exposed": "exposed comm.",
        "copy_exposed": "exposed copies",
        "idle": "idle",
    }
)
"""Part of a window, a column of frame `device_times` -> label; the parts sum to the window."""
_SHORT: Mapping[str, str] = MappingProxyType(
    {
        "compute": "compute",
        "communication_exposed": "comm.",
        "copy_exposed": "copies",
        "idle": "idle",
    }
)
"""Part -> name in the legend, of which two fit beside each other on a phone."""
EXPOSED_NOTE = "Comm. (communication) and copies: only the time in which nothing before them runs."
_LOOKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "compute": ("perf", ""),
        "communication_exposed": ("cascade", "x"),
        "copy_exposed": ("stream", "."),
        "idle": ("missing", ""),
    }
)
"""Part -> colour (field of `Palette`) and pattern; copies and idle look as in the steps."""
_ROW_PX, _FRAME_PX = 24, 94
_MAX_IN_ROW = 2
"""Entries of the legend that fit into one row on a phone."""
_MIN_LABELLED = 0.1
"""Shares below this one have no text in their bar."""
_MAX_LABEL = 28


def device_bars(rows: pd.DataFrame, theme: str) -> Figure:
    """Draw the first 24 rows (MAX_BARS) of frame `device_times` as shares of their window, without
    parts that have no time.

    customdata of a bar is [position of the row]. Windows without length have no bar. When there
    are no rows, the figure has no traces.
    """
    shown = rows.head(MAX_BARS)
    if shown.empty:
        return nothing(theme)
    labels = window_labels(shown)
    parts = [part for part in PARTS if shown[part].any()]
    layout: dict[str, Any] = {
        "barmode": "stack",
        "bargap": 0.25,
        "height": _FRAME_PX + _ROW_PX * len(shown),
        "margin": {"l": 60, "r": 24, "t": 34 if len(parts) <= _MAX_IN_ROW else 54, "b": 40},
        "xaxis": {
            "title": {"text": "share of the window's time"},
            "tickformat": SHARE_TICKS,
            "range": [0, 1],
            "fixedrange": True,
        },
        "yaxis": row_axis([plain(label, _MAX_LABEL) for label in labels]) | {"automargin": True},
        "legend": {"traceorder": "normal"},
        # Plotly would shrink texts until they fit; below 9 px it hides them instead.
        "uniformtext": {"minsize": 9, "mode": "hide"},
    }
    return figure([_bars(shown, part, labels, theme) for part in parts], layout, theme)


def _bars(rows: pd.DataFrame, part: str, labels: list[str], theme: str) -> dict[str, Any]:
    field, pattern = _LOOKS[part]
    colour = getattr(palette(theme), field)
    total = rows["total"].to_numpy(np.float64)
    time = rows[part].to_numpy(np.float64)
    share = np.divide(time, total, out=np.zeros(len(total)), where=total > 0)
    return {
        "type": "bar",
        "orientation": "h",
        "name": _SHORT[part],
        "x": share,
        "y": np.arange(len(rows)),
        "customdata": [[row] for row in range(len(rows))],
        "text": [
            whole_percent(value) if value >= _MIN_LABELLED else "" for value in share.tolist()
        ],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "insidetextfont": {"size": 11, "color": choose_ink(colour)},
        "hovertext": [
            _hover(row, part, label)
            for row, label in zip(rows.to_dict("records"), labels, strict=True)
        ],
        "hoverinfo": "text",
        "marker": {
            "color": colour,
            "line": {"width": 0.5, "color": palette(theme).panel},
            "pattern": {"shape": pattern, "size": 5, "solidity": 0.2, "fillmode": "overlay"},
        },
    }


def _hover(row: dict[str, Any], part: str, label: str) -> str:
    lines = [
        f"<b>{plain(label)}</b>",
        f"{PARTS[part]}: {_of(row[part], row['total'])}",
    ]
    if part == "communication_exposed":
        lines.append(f"overlapped by compute: {duration_text(row['communication_overlapped'])}")
    return "<br>".join(lines)


def _of(time: int, total: int) -> str:
    share = percent(time / total) if total else "no share"
    return f"{duration_text(time)} ({integer(time)} ns), {share} of {duration_text(total)}"
