"""Iterations on a timeline: a row on top, lines at their starts, a band behind the selected
iteration.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.timeline.rows import SYSTEM
from components.contrast import choose_ink
from components.figure import compact
from components.numbers import plain
from components.theme import FADE, fade, palette, phase_color
from components.timeline.bars import Scene
from schema.array_types import Ints

_MAX_BOUNDARIES = 40
"""If more iterations are in view, their starts get no lines."""
_HATCHED_SHARE = 0.3
"""Share of a hatched bar's area that is painted."""
_MAX_NUMBERS = 150
"""A bar narrower than 1 / 150 of the window has no room for its number."""


def iteration_bars(scene: Scene) -> list[dict[str, Any]]:
    """Build the traces of the top row, a trace per phase: a bar per iteration in the window,
    partial iterations hatched. Empty without iterations.
    """
    frame = shown_iterations(scene)
    ground = palette(scene.theme).panel
    traces = []
    for phase, part in frame.groupby("phase", observed=True):
        start = part["first_start"].to_numpy(dtype=np.int64)
        end = part["last_end"].to_numpy(dtype=np.int64)
        whole = part["complete"].to_numpy(dtype=bool)
        chosen = scene.selection.iteration
        opacity = np.where((part["iteration"] == chosen) | (chosen is None), 1.0, FADE)
        colour = phase_color(str(phase), scene.theme)
        # A hatched bar lets most of the ground through, which decides the colour of its text.
        under = np.where(whole, opacity, _HATCHED_SHARE * opacity)
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "base": compact(start),
                "x": compact(np.maximum(end - start, 1)),
                "y": np.zeros(len(part)),
                "width": 1.0,
                "text": _numbers(part, end - start, scene.window),
                "customdata": compact(part["iteration"].to_numpy(dtype=np.int64)),
                "textposition": "inside",
                "insidetextanchor": "middle",
                "insidetextfont": {"color": [choose_ink(colour, ground, share) for share in under]},
                "textangle": 0,
                "constraintext": "inside",
                "marker": {
                    "color": colour,
                    "opacity": opacity,
                    "line": {"width": 0},
                    "pattern": {
                        "shape": np.where(whole, "", "/"),
                        "size": 6,
                        "solidity": _HATCHED_SHARE,
                    },
                },
                "hovertemplate": f"<b>iteration %{{customdata}}</b> {plain(phase)}<br>"
                "%{base:,} – %{x:,}<extra></extra>",
                "showlegend": False,
            }
        )
    return traces


def _numbers(part: pd.DataFrame, length: Ints, window: tuple[int, int]) -> np.ndarray:
    """Format the numbers of iterations as texts of the bars, in an array.

    A bar narrower than 1/150 of the window gets "", since a browser measures every text.
    """
    has_room = length * _MAX_NUMBERS >= window[1] - window[0]
    return np.where(has_room, part["iteration"].astype("str").to_numpy(dtype=object), "")


def iteration_marks(scene: Scene) -> list[dict[str, Any]]:
    """Build the shapes of a line at the start of each iteration in the window, if they are at most
    40, and of a band behind the selected iteration.
    """
    frame = shown_iterations(scene)
    colours = palette(scene.theme)
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    shapes: list[dict[str, Any]] = []
    if len(frame) <= _MAX_BOUNDARIES:
        style = {"color": colours.border, "width": 1, "dash": "dot"}
        shapes = [line | {"x0": int(x), "x1": int(x), "line": style} for x in frame["first_start"]]
    chosen = frame[frame["iteration"] == scene.selection.iteration]
    for begin, end in zip(chosen["first_start"], chosen["last_end"], strict=True):
        band = {
            "type": "rect",
            "x0": int(begin),
            "x1": int(end),
            "fillcolor": fade(colours.selection, 0.05),
        }
        shapes.append(line | band | {"line": {"width": 0}})
    return shapes


def shown_iterations(scene: Scene) -> pd.DataFrame:
    """Select the iterations that overlap the window, of the selected track if it has any, else of
    the whole array.
    """
    frame = scene.data.iterations
    track = scene.selection.track if (frame["track"] == scene.selection.track).any() else SYSTEM
    has_times = frame["first_start"].notna() & frame["last_end"].notna()
    frame = frame[(frame["track"] == track) & has_times]
    return frame[(frame["first_start"] < scene.window[1]) & (frame["last_end"] > scene.window[0])]
