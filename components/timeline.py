"""The timeline: a lane per tile and event, kernels above, iterations on top; merged where there is too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.lanes import LaneIndex
from analysis.selection import Selection
from analysis.timeline import BUDGET, Rectangles, rectangles
from components.graph import compact, empty_figure, figure
from components.numbers import integer, plain, ticks_time
from components.theme import FADE, event_color, faded, name_color, palette, phase_color
from components.timeline_rows import SYSTEM, Row, TimelineData, lane_numbers, positions

_ROW_PX = 17
_MARGIN_PX = 84
_MOST_BOUNDARIES = 40
_TOP = "iterations"


@dataclass(frozen=True)
class TimelineView:
    """A timeline: the figure, the line that says what was merged, and its height in pixels."""

    figure: go.Figure
    line: str
    height: int


@dataclass(frozen=True)
class _Scene:
    """What every part of one drawing needs."""

    data: TimelineData
    at: Mapping[Row, float]
    window: tuple[int, int]
    selection: Selection
    theme: str

    def opacity(self, row: Row) -> float:
        return FADE if self.selection.track not in (None, row.track) else 1.0


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
    scene = _Scene(data, dict(zip(rows, positions(rows, 1.4), strict=True)), window, selection, theme)
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


@dataclass(frozen=True)
class _Part:
    """The rectangles of one index and how they look."""

    scene: _Scene
    index: LaneIndex
    rects: Rectangles
    lanes: Mapping[int, Row]
    role: str

    def traces(self) -> list[dict[str, Any]]:
        """Return a bar trace per lane, name and whether bars stand for several intervals."""
        if not len(self.rects):
            return []
        key = np.column_stack([self.rects.lane, self.rects.name, self.rects.count > 1])
        groups, member = np.unique(key, axis=0, return_inverse=True)
        order = np.argsort(member, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(member[order])) + 1)
        return [self._trace(group, chosen) for group, chosen in zip(groups.tolist(), parts, strict=True)]

    def _trace(self, group: list[int], chosen: np.ndarray) -> dict[str, Any]:
        lane, name, merged = group
        row = self.lanes[lane]
        label = str(self.index.names[name]) if name >= 0 else "several names"
        start, end = self.rects.start[chosen], self.rects.end[chosen]
        length = np.maximum(end - start, 1)
        busy, count = self.rects.busy[chosen], self.rects.count[chosen]
        opacity = self.scene.opacity(row) * self._emphasis(label, length, bool(merged))
        return {
            "type": "bar",
            "orientation": "h",
            "base": compact(start),
            "x": compact(length),
            "y": np.full(len(chosen), self.scene.at[row]),
            "width": 0.86,
            "marker": self._marker(label, name, opacity * (0.3 + 0.7 * busy / length if merged else 1.0)),
            "customdata": np.column_stack(
                [count, busy, end - start, (end - start) / (self.scene.data.clock_hz or 1.0)]
            ),
            "hovertemplate": self._hover(row, label, bool(merged)),
            "showlegend": False,
        }

    def _emphasis(self, label: str, length: np.ndarray, merged: bool) -> np.ndarray:
        """Return 1 for what the kernel kind and the duration range select, and the fade for the rest."""
        chosen = np.ones(len(length), dtype=bool)
        if self.role != "event":
            kind, duration = self.scene.selection.kind, self.scene.selection.duration
            chosen &= kind in (None, label) or self.role == "left out"
            if duration is not None and not merged:
                chosen &= (length >= duration[0]) & (length < duration[1])
        return np.where(chosen, 1.0, FADE)

    def _marker(self, label: str, name: int, opacity: np.ndarray) -> dict[str, Any]:
        colours = palette(self.scene.theme)
        shown: Any = round(float(opacity[0]), 3) if np.ptp(opacity) == 0 else opacity.astype(np.float32)
        if self.role == "left out":
            pattern = {"shape": "/", "fgcolor": colours.trouble, "bgcolor": colours.panel, "size": 5}
            line = {"color": colours.trouble, "width": 1}
            return {"color": colours.trouble, "pattern": pattern, "line": line, "opacity": shown}
        named = name_color(label) if self.role == "kernel" else event_color(label, self.scene.theme)
        return {"color": named if name >= 0 else colours.muted, "line": {"width": 0}, "opacity": shown}

    def _hover(self, row: Row, label: str, merged: bool) -> str:
        unit, what = plain(self.scene.data.unit), plain(label)
        title = f"left out: {what}" if self.role == "left out" else what
        where = f"{plain(row.track)} · %{{base:,}} – %{{x:,}} {unit}"
        if merged:
            share = f"busy %{{customdata[1]:,}} of %{{customdata[2]:,}} {unit}"
            return f"<b>%{{customdata[0]:,}} × {title}</b><br>{where}<br>{share}<extra></extra>"
        time = " · %{customdata[3]:.3s}s" if self.scene.data.clock_hz else ""
        return f"<b>{title}</b><br>{where}<br>%{{customdata[2]:,}} {unit}{time}<extra></extra>"


def _parts(scene: _Scene, rows: Sequence[Row], budget: int) -> list[_Part]:
    """Return the rectangles of events and kernels; together they keep the budget."""
    parts: list[_Part] = []
    left = budget
    shares = ((scene.data.left_out, "left out", 12), (scene.data.kept, "kernel", 2), (scene.data.events, "event", 1))
    for index, role, share in shares:
        lanes = lane_numbers(index, rows, kernels=role != "event")
        rects = rectangles(index, scene.window, sorted(lanes), budget=left // share)
        left -= len(rects)
        parts.append(_Part(scene, index, rects, lanes, role))
    return parts[::-1]


def _iteration_bars(scene: _Scene) -> list[dict[str, Any]]:
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


def _shown_iterations(scene: _Scene) -> pd.DataFrame:
    """Return the iterations of the selected track, else of the system, that overlap the window."""
    frame = scene.data.iterations
    track = scene.selection.track if (frame["track"] == scene.selection.track).any() else SYSTEM
    known = frame["first_start"].notna() & frame["last_end"].notna()
    frame = frame[(frame["track"] == track) & known]
    return frame[(frame["first_start"] < scene.window[1]) & (frame["last_end"] > scene.window[0])]


def _layout(scene: _Scene, rows: Sequence[Row], height: int, iterations: bool) -> dict[str, Any]:
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
        "margin": {"l": 150, "r": 16, "t": 20, "b": 44},
        "xaxis": {
            "range": list(scene.window),
            "tickformat": ",d",
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
        },
        "shapes": _marks(scene),
    }


def _label(row: Row, first: bool, scene: _Scene) -> str:
    """Return a lane's label; the first of a tile names the tile, bold where it is selected."""
    lane = plain(row.lane, 22)
    if not first:
        return lane
    track = plain(row.track, 20)
    return f"<b>{track}</b> {lane}" if scene.selection.track in (None, row.track) else f"{track} {lane}"


def _marks(scene: _Scene) -> list[dict[str, Any]]:
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
        return f"{integer(events)} events in view, each drawn."
    column = max(part.column for part in parts)
    return (
        f"{integer(drawn)} bars for {integer(events)} events: gaps under {integer(max(1, column))} {unit} are merged; "
        "zoom in for single events."
    )
