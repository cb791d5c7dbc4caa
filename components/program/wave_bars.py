"""Waves of a thread trace over its clock: a lane per slot of a SIMD unit, a bar per wave.

A click selects a wave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from components.figure import Figure, compact
from components.graph import figure
from components.numbers import count_text, integer
from components.theme import palette
from components.time_axis import time_axis

MAX_BARS = 3_000
"""Waves that are drawn at most, the longest."""
MAX_TRACE_LANES = 64
"""Lanes that are drawn at most. If there are more slots, all slots of a SIMD unit share a lane."""
_ROW_PX, _MARGIN_PX = 17, 64
_LABEL_PX = 178
_HALF_HEIGHT = 0.44
"""Half of a bar's height."""
_PLACE_COLUMNS = ("array", "unit", "simd", "slot")
"""Columns of frame `waves` that identify a slot."""


@dataclass(frozen=True)
class WaveBars:
    """A figure, and the note about waves that it leaves out."""

    figure: Figure
    line: str


def wave_bars(
    waves: pd.DataFrame, issued: Mapping[int, int], selected: int | None, theme: str
) -> WaveBars:
    """Draw rows of a frame `waves` of a single trace, at least one, over its clock; a bar's
    customdata is [its wave].

    `issued` maps a wave to its number of instructions. The wave `selected` is outlined. At most
    3,000 waves, the longest, and 64 lanes are drawn.
    """
    # Without the slot, the last column of a place, each SIMD unit has a single lane.
    depth = 4 if waves[[*_PLACE_COLUMNS]].drop_duplicates().shape[0] <= MAX_TRACE_LANES else 3
    places = list(zip(*(waves[name].tolist() for name in _PLACE_COLUMNS[:depth]), strict=True))
    lanes = {place: lane for lane, place in enumerate(sorted(set(places))[:MAX_TRACE_LANES])}
    laid = waves.assign(
        lane=[lanes.get(place, -1) for place in places], length=waves["end"] - waves["start"]
    )
    within = laid[laid["lane"] >= 0]
    shown = (
        within.nlargest(MAX_BARS, "length").sort_values("wave")
        if len(within) > MAX_BARS
        else within
    )
    window = int(waves["start"].min()), int(waves["end"].max())
    shown = shown.assign(hover=[_hover(row, issued) for row in shown.to_dict("records")])
    # Only one SIMD unit of each engine is traced with instructions.
    traced = shown["wave"].isin(list(issued))
    colours = palette(theme)
    parts = [
        (shown[traced], colours.perf, "with instructions"),
        (shown[~traced], colours.warmup, "times alone"),
    ]
    bars = [_bars(rows, colour, name) for rows, colour, name in parts if len(rows)]
    layout = _layout(list(lanes), window) | {"showlegend": len(bars) > 1}
    layout |= {"uirevision": f"trace {waves['trace'].iloc[0]}"}  # a zoom is one of this trace
    layout |= {
        "shapes": [
            _outline(row, theme) for row in shown[shown["wave"] == selected].to_dict("records")
        ]
    }
    return WaveBars(figure(bars, layout, theme), _omitted_note(len(waves) - len(shown), depth))


def _omitted_note(count: int, depth: int) -> str:
    more = (
        f"{count_text(count, 'wave')} {'is' if count == 1 else 'are'} not drawn." if count else ""
    )
    merged = "Waves of all slots of a SIMD unit lie on one lane." if depth == 3 else ""
    return f"{merged} {more}".strip()


def place_text(place: Sequence[int], several: bool = True) -> str:
    """Format array, unit, SIMD unit and slot, as many as `place` has: `array 0 · unit 3 · simd 1`.

    Without the array unless `several`.
    """
    names = ("array", "unit", "simd", "slot")
    return " · ".join(
        f"{name} {at}" for name, at in zip(names, place, strict=False) if several or name != "array"
    )


def _layout(lanes: Sequence[Sequence[int]], window: tuple[int, int]) -> dict[str, Any]:
    several = len({place[0] for place in lanes}) > 1
    room = max((window[1] - window[0]) // 50, 1)
    return {
        "height": _MARGIN_PX + _ROW_PX * max(len(lanes), 4),
        "margin": {"l": _LABEL_PX, "r": 16, "t": 24, "b": 40},
        "barmode": "overlay",
        "bargap": 1 - 2 * _HALF_HEIGHT,
        "clickmode": "event",
        "xaxis": time_axis((max(window[0] - room, 0), window[1] + room), "clocks of the trace")
        | {"automargin": True},
        "yaxis": {
            "tickvals": list(range(len(lanes))),
            "ticktext": [place_text(place, several) for place in lanes],
            # From high to low, so that the first lane is on top.
            "range": [len(lanes) - 0.4, -0.6],
            "automargin": False,
            "showgrid": False,
            "ticks": "",
            "ticklabelstandoff": 4,
        },
    }


def _bars(rows: pd.DataFrame, colour: str, name: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "base": compact(rows["start"].to_numpy()),
        # A bar of length 0 could be neither seen nor clicked.
        "x": compact(np.maximum(rows["length"].to_numpy(), 1)),
        "y": compact(rows["lane"].to_numpy()),
        "name": name,
        "marker": {
            "color": colour,
            # A wave is paler when its start or end is not in the trace.
            "opacity": [0.85 if closed else 0.4 for closed in rows["closed"]],
            "line": {"width": 0},
        },
        "customdata": [[number] for number in rows["wave"].tolist()],
        "hovertext": rows["hover"].tolist(),
        "hoverinfo": "text",
    }


def _outline(row: Mapping[Any, Any], theme: str) -> dict[str, Any]:
    """Build the shape of the outline of the selected wave, a row with `lane`."""
    ends = {"x0": row["start"], "x1": max(row["end"], row["start"] + 1)}
    sides = {"y0": row["lane"] - _HALF_HEIGHT, "y1": row["lane"] + _HALF_HEIGHT}
    return {
        "type": "rect",
        **ends,
        **sides,
        "line": {"color": palette(theme).selection, "width": 2},
    }


def _hover(row: Mapping[Any, Any], issued: Mapping[int, int]) -> str:
    lines = [
        f"<b>wave {row['wave']}</b> · {place_text([row[name] for name in _PLACE_COLUMNS])}",
        f"{integer(row['start'])} – {integer(row['end'])}",
        count_text(int(row["length"]), "clock"),
    ]
    count = issued.get(row["wave"])
    lines += [count_text(count, "instruction")] if count else []
    lines += [] if row["closed"] else ["its start or its end is not in the trace"]
    return "<br>".join(lines)
