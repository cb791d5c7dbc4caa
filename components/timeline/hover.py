"""Invisible points on bars that are too narrow to point at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from components.numbers import duration_text, integer, plain, seconds
from components.theme import palette
from components.timeline.bars import PIXEL, Part, Scene

HOVER_PX = 4
"""Distance from the pointer (px) within which plotly looks for points.

It is less than half a lane, so that bars of neighbouring lanes do not respond.
"""
MAX_POINTS = 1_000
"""Points of one drawing; if more bars are narrow, every n-th gets a point."""
_NARROW_PX = 3
"""A bar narrower than this gets a point."""


def hover_points(scene: Scene, parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Build a trace of invisible points, in a list: a point on each bar narrower than three pixels,
    at most 1,000.

    Returns an empty list if all bars are wider. A point's customdata is [start, end] of its bar.
    """
    narrow = [(part, _narrow(part)) for part in parts]
    step = -(-sum(len(chosen) for _, chosen in narrow) // MAX_POINTS)
    columns_by_part = [_part_points(part, chosen[::step]) for part, chosen in narrow if len(chosen)]
    if not columns_by_part:
        return []
    x, y, text, ends = (np.concatenate(columns) for columns in zip(*columns_by_part, strict=True))
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": x,
            "y": y,
            "marker": {"size": 2 * _NARROW_PX, "opacity": 0, "color": palette(scene.theme).ink},
            "hovertext": text,
            "hovertemplate": "%{hovertext}<extra></extra>",
            "customdata": ends,
            "showlegend": False,
        }
    ]


def _narrow(part: Part) -> np.ndarray:
    window = part.scene.window[1] - part.scene.window[0]
    middle = (part.rects.start + part.rects.end) / 2
    inside = (middle >= part.scene.window[0]) & (middle <= part.scene.window[1])
    return np.flatnonzero(
        inside & (part.rects.end - part.rects.start < _NARROW_PX * PIXEL * window)
    )


def _part_points(
    part: Part, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Compute x, y, hover text and [start, end] of the points of the bars `chosen`, an array each."""
    rects = part.rects
    labels = part.labels()[chosen]
    start = rects.start[chosen]
    end = rects.end[chosen]
    rows = zip(
        labels, start.tolist(), end.tolist(), rects.count[chosen], rects.busy[chosen], strict=True
    )
    texts = np.array([_text(part.scene, *row) for row in rows], dtype=object)
    # Objects are sent as JSON: a browser does not send binary arrays back with a click.
    ends = np.array(list(zip(start.tolist(), end.tolist(), strict=True)), dtype=object).reshape(
        len(start), 2
    )
    return (start + end) / 2, part.places()[chosen], texts, ends


def _text(scene: Scene, *row: Any) -> str:  # noqa: ANN401
    """Format the hover text of a bar as its trace would."""
    label, start, end, count, busy = row
    name = f"<b>{integer(count)} × {label}" if count > 1 else f"<b>{label}"
    if scene.data.named:
        times = f"{duration_text(end - start)} from {duration_text(start)}"
        return f"{name}<br>{times}" + (f"<br>busy {duration_text(busy)}" if count > 1 else "")
    unit = plain(scene.data.unit)
    length = (
        f"busy {integer(busy)} of {integer(end - start)} {unit}"
        if count > 1
        else f"{integer(end - start)} {unit}"
    )
    time = (
        f" · {seconds((end - start) / scene.data.clock_hz)}"
        if scene.data.clock_hz and count == 1
        else ""
    )
    return f"{name}<br>{integer(start)} – {integer(end)} {unit}<br>{length}{time}"
