"""The timeline of a capture or a profile; events are merged if there are too many to draw.

A capture has a lane per tile and event, kernels above them and iterations on top. A profile has
levels of nested events for each row of tinygrad's viewer, and markers on top.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from analysis.selection import Selection
from analysis.timeline.detail import BUDGET, Rectangles
from analysis.timeline.levels import DEEPEST, MAX_STACK_LEVELS
from analysis.timeline.rows import TimelineData, TimelineRow, label_parts
from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import count_text, duration_text, integer, plain
from components.time_axis import time_axis
from components.timeline.bars import Part, Scene
from components.timeline.counter_lanes import (
    FIGURE_COLUMNS,
    counter_lanes,
    counter_values,
    counters_note,
    lane_labels,
)
from components.timeline.focus import Focus
from components.timeline.iterations import iteration_marks
from components.timeline.legend import legend
from components.timeline.marks import Hit, cursor_mark, hit_marks, marker_lines
from components.timeline.parts import SceneParts
from components.timeline.places import Places
from components.timeline.tiles import TileSource

_ROW_PX = 17
_MANY_ROWS, _SMALL_ROW_PX = 16, 14
"""Rows are smaller if there are more than this, so that the plot fits on a screen."""
_MARGIN_PX = 64
_LEGEND_PX, _NO_LEGEND_PX = 20, 4
"""Top margin in pixels, with and without a legend: without one, space would divide the lanes from
the strip above them.
"""
_MIN_MARGIN_PX, _CHARACTER_PX = 150, 7.2
"""Smallest left margin, and estimated width of a character, in pixels."""
_ITERATIONS_LABEL = "iterations"
_FOLDED = "▸ "
"""Mark before the label of a folded track."""
_FRAME: Mapping[str, Any] = MappingProxyType(
    {"type": "scatter", "x": (None,), "y": (None,), "hoverinfo": "skip", "showlegend": False}
)
"""Trace without a point: a figure without traces would count as empty and be hidden."""
_CLEAR = "rgba(0,0,0,0)"


@dataclass(frozen=True)
class TimelineView:
    """A timeline: the figure, the note about merged events, and the height in pixels."""

    figure: Figure
    line: str
    height: int


def timeline(
    data: TimelineData,
    rows: Sequence[TimelineRow],
    selection: Selection,
    theme: str,
    *,
    window: tuple[int, int] | None = None,
    budget: int = BUDGET,
    lit: pd.DataFrame | None = None,
    words: str = "",
    lit_label: str = "Using the selected block",
    hit: Hit | None = None,
    cursor: int | None = None,
    tiles: TileSource | None = None,
    folded: Collection[str] = (),
    lane_scale: float = 1.0,
) -> TimelineView:
    """Draw the timeline of rows in a window [begin, end] (ticks); a sentence if there are no rows
    or events.

    When there is no window, the selected window is drawn, else the whole run. At most `budget`
    rectangles are drawn, at least one per row with events, and a bar per iteration. In profiles
    these are highlighted: events of the selected kernel, events with the `words` in their name, and
    the executions `lit` (track, start, end), which are outlined and counted under `lit_label`. `hit`
    is the current event of a search, `cursor` a time, `tiles` the tiles that a page shows while the
    window is moved, `folded` the tracks whose other lanes are hidden, `lane_scale` a factor of the
    height of a lane.
    """
    window = window or selection.window or data.extent
    if not rows or not (len(data.events) or len(data.kept) or len(data.left_out)):
        return TimelineView(
            empty_figure("No events or kernels to draw.", theme, 160), "No events in this run.", 160
        )
    focus = Focus.of(data, selection, lit, words)
    places = Places.of(data, rows)
    at = dict(zip(rows, places.rows, strict=True))
    scene = Scene(data, at, window, selection, theme, focused=bool(focus))
    scene_parts = SceneParts.of(scene, rows, focus, budget)
    markers = marker_lines(scene)
    row_px = lane_scale * (_ROW_PX if len(rows) <= _MANY_ROWS else _SMALL_ROW_PX)
    named_colours = legend(scene, scene_parts.window)
    top = _LEGEND_PX if named_colours else _NO_LEGEND_PX
    height = _MARGIN_PX + top + round(row_px * (places.lowest + 1))
    bars = scene_parts.record() | {
        "tiles": tiles and tiles.record(data, rows),
        "counters": _counters(scene, places),
    }
    layout = _layout(
        scene, rows, places, (height, top), folded, iterations=bars["iterations"] is not None
    ) | {
        "shapes": [*iteration_marks(scene), *cursor_mark(scene, cursor)],
        "annotations": named_colours,
        "meta": {"bars": bars},
    }
    drawn = figure([dict(_FRAME), *markers.traces, *hit_marks(scene, hit)], layout, theme)
    line = [
        _merged_note([part.rects for part in scene_parts.window], data),
        *(_highlight_note(part, lit_label) for part in scene_parts.highlighted),
        _depth_note(rows),
        markers.line,
        counters_note(data),
    ]
    return TimelineView(drawn, " ".join(filter(None, line)), height)


def parse_click(
    click: Mapping[str, Any] | None, data: TimelineData, rows: Sequence[TimelineRow]
) -> tuple[TimelineRow, int, int] | None:
    """Read the row, start (`base`) and end (`x`, both ticks) of a clicked bar from Dash's clickData.

    Returns None if there is no click or it is not on a bar, such as on a marker. The row is looked
    up by its y position.
    """
    points = (click or {}).get("points") or []
    if not points or not rows or "base" not in points[0]:
        return None
    distance = np.abs(Places.of(data, rows).rows - float(points[0]["y"]))
    nearest = int(distance.argmin())
    if distance[nearest] > 0.5:
        return None
    return rows[nearest], int(points[0]["base"]), int(points[0]["x"])


def _layout(
    scene: Scene,
    rows: Sequence[TimelineRow],
    places: Places,
    pixels: tuple[int, int],
    folded: Collection[str],
    *,
    iterations: bool,
) -> dict[str, Any]:
    """Build the layout; `pixels` are the height of the figure and its top margin."""
    height, top = pixels
    ticks = [scene.at[row] for row in rows]
    labels = [
        _FOLDED * (row.track in folded)
        + _label(row, i == 0 or rows[i - 1].track != row.track, scene)
        for i, row in enumerate(rows)
    ]
    if iterations:
        ticks = [0.0, *ticks]
        labels = [_ITERATIONS_LABEL, *labels]
    ticks += places.counters
    labels += lane_labels(scene.data)
    above = iterations or len(scene.data.markers) > 0
    return {
        "barmode": "overlay",
        "height": height,
        "dragmode": "pan",
        # The bars are on a canvas below the plot.
        "paper_bgcolor": _CLEAR,
        "plot_bgcolor": _CLEAR,
        "margin": {"l": left_margin(rows), "r": 16, "t": top, "b": 44},
        # The canvas draws the grid, below its bars.
        "xaxis": time_axis(scene.window, scene.data.unit, clock_hz=scene.data.clock_hz)
        | {"showgrid": False},
        "yaxis": {
            "tickvals": ticks,
            "ticktext": labels,
            "range": [places.lowest + 0.8, -0.8 if above else 0.6],
            "fixedrange": True,
            "showgrid": False,
            "ticks": "",
            "tickfont": {"size": 11},
            "automargin": False,
            # Every lane is in range, so plotly need not search for labels outside, which costs a
            # page layout for each.
            "ticklabeloverflow": "allow",
        },
    }


def _counters(scene: Scene, places: Places) -> list[dict[str, Any]]:
    """Build the records of the counters' lanes with their values in the window."""
    lanes = counter_lanes(scene.data, places.counters, scene.theme)
    values = counter_values(scene.data, scene.window, FIGURE_COLUMNS)
    return [lane | {"values": columns} for lane, columns in zip(lanes, values, strict=True)]


def left_margin(rows: Sequence[TimelineRow]) -> int:
    """Estimate the width of the lanes' labels in pixels, at least 150.

    If plotly measured them, it would lay out the plot twice.
    """
    parts = map(label_parts, rows)
    longest = max(
        (len(plain(track, 20)) + len(plain(lane, 22)) + 1 for track, lane in parts), default=0
    )
    return max(_MIN_MARGIN_PX, round(_CHARACTER_PX * longest) + 12)


def _label(row: TimelineRow, first: bool, scene: Scene) -> str:
    """Format a lane's label.

    The first lane of a tile includes the tile's name, in bold unless another tile is selected.
    """
    track, lane = label_parts(row)
    lane = plain(lane, 22)
    if not first:
        return lane
    track = plain(track, 20)
    return (
        f"<b>{track}</b> {lane}"
        if scene.selection.track in (None, row.track)
        else f"{track} {lane}"
    )


def _merged_note(parts: Sequence[Rectangles], data: TimelineData) -> str:
    """Return the sentence about how many bars were drawn for how many events, and up to which
    length gaps were merged.
    """
    drawn = sum(map(len, parts))
    events = sum(part.events for part in parts)
    merged = sum(part.merged_count for part in parts)
    if not merged:
        return f"{count_text(events, 'event')} in view, each drawn."
    column = max(1, *(part.column for part in parts))
    width = duration_text(column) if data.named else f"{integer(column)} {data.unit}"
    bars = f"{count_text(drawn, 'bar')} for {count_text(events, 'event')}"
    # Colours of merged bars need a word only if any of them has several names.
    is_mixed = any(part.mixed.any() for part in parts)
    colours = (
        " A merged bar has the colour of the name with most of its busy time." if is_mixed else ""
    )
    return f"{bars}: gaps under {width} are merged; zoom in for single events.{colours}"


def _highlight_note(part: Part, lit_label: str) -> str:
    """Return the sentence with the number of highlighted or unfinished events of a part; "" if
    there are no unfinished events.
    """
    count = part.rects.events
    labels = {
        "named": "With that name",
        "lit": lit_label,
        "unfinished": "Still running at the end",
    }
    return f"{labels[part.role]}: {integer(count)}." if count or part.role != "unfinished" else ""


def _depth_note(rows: Sequence[TimelineRow]) -> str:
    """Return the note about the deepest level of nested events, "" if no row is that deep."""
    if all(row.lane != DEEPEST for row in rows):
        return ""
    return f"Events nested deeper than {MAX_STACK_LEVELS} levels are drawn on the last one, cut at the next event."
