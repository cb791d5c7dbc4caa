"""The timeline: a lane per tile and event, kernels above, iterations on top; merged where there is too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.selection import Selection
from analysis.timeline import BUDGET, Rectangles, rectangles
from components.graph import compact, empty_figure, figure
from components.numbers import integer, plain, ticks_time
from components.theme import FADE, faded, palette, phase_color
from components.timeline_bars import Part, Scene
from components.timeline_rows import SYSTEM, Row, TimelineData, lane_numbers, positions

_ROW_PX = 17
_MARGIN_PX = 84
_LEAST_MARGIN, _CHARACTER_PX = 150, 7.2
_MOST_BOUNDARIES = 40
_TOP = "iterations"


@dataclass(frozen=True)
class TimelineView:
    """A timeline: the figure, the line that says what was merged, and its height in pixels."""

    figure: go.Figure
    line: str
    height: int


def timeline(
    data: TimelineData,
    rows: Sequence[Row],
    selection: Selection,
    theme: str,
    *,
    window: tuple[int, int] | None = None,
    budget: int = BUDGET,
) -> TimelineView:
    """Build the timeline of the rows in a window (ticks; default the selection's, else everything).

    At most `budget` rectangles and a bar per iteration are drawn.
    """
    window = window or selection.window or data.extent
    if not rows or not (len(data.events) or len(data.kept) or len(data.left_out)):
        return TimelineView(empty_figure("No events or kernels to draw.", theme, 160), "No events in this run.", 160)
    scene = Scene(data, dict(zip(rows, positions(rows, 1.4), strict=True)), window, selection, theme)
    parts = _parts(scene, rows, budget)
    traces = [trace for part in parts for trace in part.traces()]
    top = _iteration_bars(scene)
    height = _MARGIN_PX + round(_ROW_PX * (max(scene.at.values()) + 1))
    drawn = figure([*top, *traces], _layout(scene, rows, height, bool(top)), theme)
    return TimelineView(drawn, _merged_line([part.rects for part in parts], data.unit), height)


def clicked(click: Mapping[str, Any] | None, rows: Sequence[Row]) -> tuple[Row, int, int] | None:
    """Return the row, start and end of a clicked bar from Dash's clickData; None off the rows.

    Dash drops customdata that travelled as binary, so the row is found by its place.
    """
    points = (click or {}).get("points") or []
    if not points or "base" not in points[0] or not rows:
        return None
    distance = np.abs(positions(rows, 1.4) - float(points[0]["y"]))
    nearest = int(distance.argmin())
    if distance[nearest] > 0.5:
        return None
    return rows[nearest], int(points[0]["base"]), int(points[0]["x"])


def _parts(scene: Scene, rows: Sequence[Row], budget: int) -> list[Part]:
    """Return the rectangles of events and kernels; together they keep the budget."""
    parts: list[Part] = []
    left = budget
    shares = ((scene.data.left_out, "left out", 12), (scene.data.kept, "kernel", 2), (scene.data.events, "event", 1))
    for index, role, share in shares:
        lanes = lane_numbers(index, rows, kernels=role != "event")
        rects = rectangles(index, scene.window, sorted(lanes), budget=left // share)
        left -= len(rects)
        parts.append(Part(scene, index, rects, lanes, role))
    return parts[::-1]


def _iteration_bars(scene: Scene) -> list[dict[str, Any]]:
    """Return the row on top: a bar per iteration in the window, coloured by phase, partial ones hatched."""
    frame = _shown_iterations(scene)
    traces = []
    for phase, part in frame.groupby("phase", observed=True):
        start = part["first_start"].to_numpy(dtype=np.int64)
        end = part["last_end"].to_numpy(dtype=np.int64)
        whole = part["complete"].to_numpy(dtype=bool)
        chosen = scene.selection.iteration
        faded = np.where((part["iteration"] == chosen) | (chosen is None), 1.0, FADE)
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "base": compact(start),
                "x": compact(np.maximum(end - start, 1)),
                "y": np.zeros(len(part)),
                "width": 1.0,
                "text": part["iteration"].astype("str").to_numpy(dtype=object),
                "textposition": "inside",
                "insidetextanchor": "middle",
                "textangle": 0,
                "constraintext": "inside",
                "marker": {
                    "color": phase_color(str(phase), scene.theme),
                    "opacity": faded,
                    "line": {"width": 0},
                    "pattern": {"shape": np.where(whole, "", "/"), "size": 6},
                },
                "hovertemplate": f"<b>iteration %{{text}}</b> {plain(phase)}<br>%{{base:,}} – %{{x:,}}<extra></extra>",
                "showlegend": False,
            }
        )
    return traces


def _shown_iterations(scene: Scene) -> pd.DataFrame:
    """Return the iterations of the selected track, else of the system, that overlap the window."""
    frame = scene.data.iterations
    track = scene.selection.track if (frame["track"] == scene.selection.track).any() else SYSTEM
    known = frame["first_start"].notna() & frame["last_end"].notna()
    frame = frame[(frame["track"] == track) & known]
    return frame[(frame["first_start"] < scene.window[1]) & (frame["last_end"] > scene.window[0])]


def _layout(scene: Scene, rows: Sequence[Row], height: int, iterations: bool) -> dict[str, Any]:
    ticks = [scene.at[row] for row in rows]
    labels = [_label(row, i == 0 or rows[i - 1].track != row.track, scene) for i, row in enumerate(rows)]
    if iterations:
        ticks, labels = [0.0, *ticks], [_TOP, *labels]
    length = scene.window[1] - scene.window[0]
    time = f" = {ticks_time(length, scene.data.clock_hz)}" if scene.data.clock_hz else ""
    return {
        "barmode": "overlay",
        "bargap": 0,
        "height": height,
        "dragmode": "zoom",
        "margin": {"l": left_margin(rows), "r": 16, "t": 20, "b": 44},
        "xaxis": {
            "range": list(scene.window),
            "tickformat": ",d",
            "automargin": False,
            "title": {"text": f"{plain(scene.data.unit)} · {integer(length)} in view{time}"},
        },
        "yaxis": {
            "tickvals": ticks,
            "ticktext": labels,
            "range": [max(scene.at.values()) + 0.8, -0.8 if iterations else 0.6],
            "fixedrange": True,
            "showgrid": False,
            "ticks": "",
            "tickfont": {"size": 11},
            "automargin": False,
        },
        "shapes": _marks(scene),
    }


def left_margin(rows: Sequence[Row]) -> int:
    """Return the room that the lanes' labels take, in pixels: to let plotly find out costs a second layout."""
    longest = max((len(plain(row.track, 20)) + len(plain(row.lane, 22)) + 1 for row in rows), default=0)
    return max(_LEAST_MARGIN, round(_CHARACTER_PX * longest) + 12)


def _label(row: Row, first: bool, scene: Scene) -> str:
    """Return a lane's label; the first of a tile names the tile, bold where it is selected."""
    lane = plain(row.lane, 22)
    if not first:
        return lane
    track = plain(row.track, 20)
    return f"<b>{track}</b> {lane}" if scene.selection.track in (None, row.track) else f"{track} {lane}"


def _marks(scene: Scene) -> list[dict[str, Any]]:
    """Return a line where each iteration begins, where there are few, and a band behind the selected one."""
    frame = _shown_iterations(scene)
    colours = palette(scene.theme)
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    shapes: list[dict[str, Any]] = []
    if len(frame) <= _MOST_BOUNDARIES:
        style = {"color": colours.border, "width": 1, "dash": "dot"}
        shapes = [line | {"x0": int(x), "x1": int(x), "line": style} for x in frame["first_start"]]
    chosen = frame[frame["iteration"] == scene.selection.iteration]
    for begin, end in zip(chosen["first_start"], chosen["last_end"], strict=True):
        band = {"type": "rect", "x0": int(begin), "x1": int(end), "fillcolor": faded(colours.selection, 0.05)}
        shapes.append(line | band | {"line": {"width": 0}})
    return shapes


def _merged_line(parts: Sequence[Rectangles], unit: str) -> str:
    """Return how many rectangles stand for how many events, in words."""
    drawn, events = sum(map(len, parts)), sum(part.events for part in parts)
    merged = sum(part.merged for part in parts)
    if not merged:
        return f"{integer(events)} event{'' if events == 1 else 's'} in view, each drawn."
    column = max(part.column for part in parts)
    return (
        f"{integer(drawn)} bars for {integer(events)} events: gaps under {integer(max(1, column))} {unit} are merged; "
        "zoom in for single events."
    )
