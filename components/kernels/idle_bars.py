"""Idle time of devices by reason, as bars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from components.contrast import choose_ink
from components.figure import Figure
from components.graph import figure, nothing
from components.kernels.device_words import REASON_LABELS, REASON_MEANINGS
from components.numbers import duration_text, integer, percent, plain, whole_percent
from components.row_axis import row_axis, row_targets
from components.theme import palette
from components.time_axis import duration_axis

MAX_BARS = 24
"""Maximum number of bars: reasons of several devices."""
_ROW_PX, _FRAME_PX = 24, 66
_ROOM = 1.05
"""The axis is longer than the longest bar, whose text is inside of it."""
_MAX_LABEL = 28


def shown_reasons(times: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of frame `idle_times` with time, by device, the longest first, with column
    `time`: idle time in counted steps if any count, else between first and last execution.
    """
    time = times["counted"].fillna(times["idle"]).astype("int64")
    rows = times.assign(time=time)[time > 0]
    return rows.sort_values(["device", "time"], ascending=[True, False], kind="stable").reset_index(
        drop=True
    )


def idle_bars(times: pd.DataFrame, theme: str) -> Figure:
    """Draw the first 24 rows (MAX_BARS) of `shown_reasons`; without rows, no traces."""
    shown = times.head(MAX_BARS)
    if shown.empty:
        return nothing(theme)
    whole = times.groupby("device")["time"].sum()
    has_several = times["device"].nunique() > 1
    labels = [
        f"{device} · {REASON_LABELS[reason]}" if has_several else REASON_LABELS[reason]
        for device, reason in zip(shown["device"], shown["reason"].astype("str"), strict=True)
    ]
    time = shown["time"].to_numpy(np.int64)
    share = time / whole.loc[shown["device"]].to_numpy(np.float64)
    colour = palette(theme).warmup
    axis = duration_axis((0, int(_ROOM * time.max()) + 1), "idle time", ticks=4)
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "x": time,
        "y": np.arange(len(shown)),
        "text": [
            f"{duration_text(t)}, {whole_percent(s)} of idle"
            for t, s in zip(time, share, strict=True)
        ],
        # Inside of bars that are long enough: behind the longest bar there is no room on a phone.
        "textposition": "auto",
        "insidetextanchor": "end",
        "textangle": 0,
        "cliponaxis": False,
        "insidetextfont": {"size": 11, "color": choose_ink(colour)},
        "outsidetextfont": {"size": 11},
        "hovertext": [
            f"<b>{plain(label)}</b><br>{duration_text(t)} ({integer(int(t))} ns), {percent(s)} of the "
            f"device's idle time<br>{REASON_MEANINGS[reason]}"
            for label, t, s, reason in zip(
                labels, time, share, shown["reason"].astype("str"), strict=True
            )
        ],
        "hoverinfo": "text",
        "marker": {"color": colour},
    }
    layout: dict[str, Any] = {
        "height": _FRAME_PX + _ROW_PX * len(shown),
        "margin": {"l": 60, "r": 16, "t": 12, "b": 44},
        "bargap": 0.25,
        "barmode": "overlay",
        "showlegend": False,
        "xaxis": axis | {"fixedrange": True},
        "yaxis": row_axis([plain(label, _MAX_LABEL) for label in labels]) | {"automargin": True},
    }
    targets = row_targets(bars, axis["range"]) | {"hoverinfo": "text"}
    return figure([bars, targets], layout, theme)
