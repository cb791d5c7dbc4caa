"""Marks over a timeline: markers of the user's program, the current hit of a search, and the time
cursor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.timeline.rows import TimelineRow
from components.counts import part_text
from components.figure import compact
from components.numbers import plain
from components.theme import palette
from components.timeline.bars import Scene
from schema.css_colours import css_colour
from schema.time_units import NANOSECONDS_PER_S

Hit = tuple[str, str, int, int]
"""Track, lane, start and end (ticks) of an event."""

MAX_LINES = 300
"""Maximum number of markers that are drawn."""
MAX_NAMES = 30
"""Maximum number of names of markers that are drawn."""
_MAX_NAME_CHARACTERS = 24
"""Maximum number of characters of a name at a marker."""
_PLOT_PX, _CHARACTER_PX, _SYMBOL_PX = 1100, 6.6, 16
"""Estimated sizes in pixels that decide which names have room: the plot, a character, a marker's
head.
"""
_HEAD_Y = 0.55
"""y position of the heads of markers, above the rows; their names are above the heads."""
_MAX_STRONG = 60
"""If there are more markers, they are drawn fainter and with smaller heads."""
_GRAY = "gray"


@dataclass(frozen=True)
class Markers:
    """The traces of markers, and a note about markers that are not drawn."""

    traces: list[dict[str, Any]]
    line: str


def marker_lines(scene: Scene) -> Markers:
    """Draw the markers in the window: at most 300 lines (MAX_LINES), evenly chosen, and the names
    that have room. No traces if no marker is in the window.

    A colour that is not a CSS colour is replaced by gray.
    """
    frame = scene.data.markers
    if not len(frame):
        return Markers([], "")
    seen = frame[(frame["start"] >= scene.window[0]) & (frame["start"] <= scene.window[1])]
    if not len(seen):
        return Markers([], "")
    # When there are too many markers, every n-th is drawn instead of the first.
    places = np.unique(np.linspace(0, len(seen) - 1, min(len(seen), MAX_LINES)).astype(np.int64))
    shown = seen.iloc[places].sort_values("start", kind="stable")
    colours = [css_colour(colour) or _GRAY for colour in shown["colour"]]
    lines = [
        _lines(shown["start"].to_numpy(np.int64), colours, colour, scene)
        for colour in dict.fromkeys(colours)
    ]
    return Markers([*lines, _heads(shown, colours, scene)], _omitted_note(len(shown), len(seen)))


def hit_marks(scene: Scene, hit: Hit | None) -> list[dict[str, Any]]:
    """Build the traces that mark a search's hit: an outline of its event, and a triangle above it
    that is visible even if the event is very narrow.

    Returns an empty list if there is no hit or it is out of view.
    """
    if hit is None or TimelineRow(hit[0], hit[1]) not in scene.at:
        return []
    start = hit[2]
    end = hit[3]
    if end < scene.window[0] or start > scene.window[1]:
        return []
    at = float(scene.at[TimelineRow(hit[0], hit[1])])
    ink = palette(scene.theme).selection
    middle = (max(start, scene.window[0]) + min(end, scene.window[1])) / 2
    unseen = {"showlegend": False, "hoverinfo": "skip"}
    outline = {
        "type": "bar",
        "orientation": "h",
        "base": compact(np.array([start])),
        "x": compact(np.array([max(end - start, 1)])),
        "y": [at],
        "width": 0.94,
        "marker": {"color": "rgba(0,0,0,0)", "line": {"color": ink, "width": 2.5}},
    }
    head = {
        "symbol": "triangle-down",
        "size": 11,
        "color": ink,
        "line": {"color": palette(scene.theme).panel, "width": 1},
    }
    point = {
        "type": "scatter",
        "mode": "markers",
        "x": [middle],
        "y": [at - 0.66],
        "marker": head,
        "cliponaxis": False,
    }
    return [outline | unseen, point | unseen]


def cursor_mark(scene: Scene, cursor: int | None) -> list[dict[str, Any]]:
    """Build the shape of the dashed line of the time cursor, in a list.

    Returns an empty list if it is not set or out of view.
    """
    if cursor is None or not scene.window[0] <= cursor <= scene.window[1]:
        return []
    line = {"color": palette(scene.theme).selection, "width": 1.5, "dash": "dash"}
    return [
        {
            "type": "line",
            "x0": cursor,
            "x1": cursor,
            "yref": "paper",
            "y0": 0,
            "y1": 1,
            "line": line,
        }
    ]


def _lines(start: np.ndarray, colours: Sequence[str], colour: str, scene: Scene) -> dict[str, Any]:
    """Build the trace with the lines of all markers whose colour is `colour`."""
    times = start[[own == colour for own in colours]].astype(np.float64)
    bottom = max(scene.at.values()) + 0.8
    return {
        "type": "scatter",
        "mode": "lines",
        # NaN after each line ends it, so that one trace has all lines.
        "x": np.column_stack([times, times, np.full(len(times), np.nan)]).ravel(),
        "y": np.tile(np.array([_HEAD_Y, bottom, np.nan], dtype=np.float32), len(times)),
        "line": {"color": colour, "width": 1, "dash": "dot"},
        "opacity": 0.8 if len(start) <= _MAX_STRONG else 0.35,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _heads(shown: pd.DataFrame, colours: Sequence[str], scene: Scene) -> dict[str, Any]:
    """Build the trace of the heads of the markers with the names that have room.

    The hover text has every name.
    """
    start = shown["start"].to_numpy(np.int64)
    names = [plain(name, _MAX_NAME_CHARACTERS) for name in shown["name"]]
    ink = palette(scene.theme)
    texts, sides = _place_names(start, names, scene.window)
    size = 8 if len(start) <= _MAX_STRONG else 5
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": compact(start),
        "y": np.full(len(start), _HEAD_Y, dtype=np.float32),
        "marker": {
            "symbol": "triangle-down",
            "size": size,
            "color": colours,
            "line": {"color": ink.muted, "width": 0.5},
        },
        "text": texts,
        "textposition": sides,
        "textfont": {"size": 11, "color": ink.ink},
        "hovertext": [plain(name) for name in shown["name"]],
        "customdata": start / NANOSECONDS_PER_S,
        "hovertemplate": "marker <b>%{hovertext}</b><br>at %{customdata:.15~s}s<extra></extra>",
        "cliponaxis": False,
        "showlegend": False,
    }


def _place_names(
    start: np.ndarray, names: Sequence[str], window: tuple[int, int]
) -> tuple[list[str], list[str]]:
    """Select the names that do not overlap, at most 30; returns a text per marker, "" for the other
    markers, and the plotly position of each text.

    A name is to the right of its marker, or to the left if it would leave the plot.
    """
    places = (start - window[0]) * (_PLOT_PX / max(window[1] - window[0], 1))
    shown = []
    sides = []
    free = 0.0
    named = 0
    for place, name in zip(places.tolist(), names, strict=True):
        width = _SYMBOL_PX + _CHARACTER_PX * len(name)
        begin, side = (
            (place, "top right") if place + width <= _PLOT_PX else (place - width, "top left")
        )
        fits = begin >= free and named < MAX_NAMES
        shown.append(name if fits else "")
        sides.append(side)
        free = begin + width if fits else free
        named += fits
    return shown, sides


def _omitted_note(shown: int, count: int) -> str:
    return f"{part_text(shown, count, 'marker')} drawn." if shown < count else ""
