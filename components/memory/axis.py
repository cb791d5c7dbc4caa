"""The x axis that every memory view shares: steps, where step t takes [t, t + 1), with the cursor and the peak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.numbers import integer, plain
from components.theme import MONO, fade, palette
from components.time_axis import time_axis
from schema.time_units import NANOSECONDS

LEFT, RIGHT = 84, 12
"""Margins in pixels, the same in every memory view, so that a step lies at the same place in all of them."""
DOMAIN = (0.0, 0.91)
"""Part of the width that the steps take; labels and totals lie right of it."""
PLOT_PX = 900
"""Width of the steps that names and labels are measured for, of a page of 1100 pixels: nobody tells the server."""

_NAMED_STEPS = 40
_CHARACTER_PX, _TICK_GAP_PX = 7, 22
_MOST_BORDERS = 80
_TIME_TICKS = 8
_NAME_LENGTH = 16
_BOTTOM, _BOTTOM_NAMED = 38, 124


def window_of(maps: Sequence[AttemptMap], selection: MemorySelection, steps: int = 0) -> tuple[int, int]:
    """Return the steps in view: the selection's where they lie in the maps, else all.

    `steps` is the length of the axis where maps in other views on it are longer than these.
    """
    length = max(steps, *(one.length for one in maps))
    begin, end = selection.span or (0, length)
    begin, end = max(0, begin), min(length, end)
    return (begin, end) if begin < end else (0, length)


def named_steps(maps: Sequence[AttemptMap], window: tuple[int, int]) -> Mapping[int, str]:
    """Return step -> operator for the steps in view, empty where there are too many for words or none has a name.

    Maps whose steps have different operators, as two attempts that are compared may have, get numbers.
    """
    if window[1] - window[0] > _NAMED_STEPS:
        return {}
    names = [_names_of(one, window) for one in maps]
    return names[0] if all(found == names[0] for found in names) else {}


def _names_of(amap: AttemptMap, window: tuple[int, int]) -> dict[int, str]:
    shown = amap.steps[amap.steps["step"].between(window[0], window[1] - 1) & (amap.steps["name"] != "")]
    return dict(zip(shown["step"].tolist(), shown["name"].tolist(), strict=True))


def steps_axis(window: tuple[int, int], theme: str, names: Mapping[int, str] | None = None) -> dict[str, Any]:
    """Return the layout of the x axis over a window; `names` are put on it instead of numbers."""
    begin, end = window
    shown = range(begin, end) if names else _ticks(begin, end)
    labels = [_step_label(step, names or {}) for step in shown]
    borders = list(range(begin, end + 1)) if end - begin <= _MOST_BORDERS else []
    return {
        "range": [begin, end],
        "domain": list(DOMAIN),
        "automargin": False,
        "showgrid": False,
        "tickmode": "array",
        "tickvals": [step + 0.5 for step in shown],
        "ticktext": labels,
        "tickangle": -50 if names and _is_turned(names) else 0,
        "tickfont": {"size": 10 if names else 11, "color": palette(theme).muted},
        "minor": {"tickvals": borders, "ticks": "", "showgrid": bool(borders), "gridcolor": palette(theme).grid},
        "title": {"text": "" if names else "step", "standoff": 2},
    }


def x_axis(
    amap: AttemptMap, window: tuple[int, int], theme: str, names: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Return the layout of a map's x axis: of a device of a profile in time, else in steps."""
    return times_axis(window, theme) if amap.facts.unit == NANOSECONDS else steps_axis(window, theme, names)


def times_axis(window: tuple[int, int], theme: str) -> dict[str, Any]:
    """Return the layout of the x axis over a window in ns."""
    font = {"size": 11, "color": palette(theme).muted}
    axis = time_axis(window, NANOSECONDS, ticks=_TIME_TICKS)
    # Nothing stands right of a device: it has no banks and no capacity.
    return axis | {
        "domain": [0, 1],
        "showgrid": False,
        "tickfont": font,
        "title": axis["title"] | {"standoff": 2},
    }


def margin(top: int, names: Mapping[int, str] | None = None) -> dict[str, int]:
    """Return the margins of a memory view, with room for the names of operators below where they are shown."""
    return {"l": LEFT, "r": RIGHT, "t": top, "b": _BOTTOM_NAMED if names and _is_turned(names) else _BOTTOM}


def cursor(selection: MemorySelection, window: tuple[int, int], theme: str) -> list[dict[str, Any]]:
    """Return the mark of the selected step over the whole height, none where it is not in view."""
    step = selection.step
    if step is None or not window[0] <= step < window[1]:
        return []
    ink = palette(theme).selection
    band = {"type": "rect", "xref": "x", "yref": "paper", "x0": step, "x1": step + 1, "y0": 0, "y1": 1}
    return [band | {"fillcolor": fade(ink, 0.07), "line": {"color": ink, "width": 1}}]


def peak(amap: AttemptMap, window: tuple[int, int], theme: str, yref: str = "paper") -> list[dict[str, Any]]:
    """Return the dotted line in the middle of the step with the most live bytes, none where it is not in view."""
    step = amap.whole("peak_step")
    if step is None or not window[0] <= step < window[1]:
        return []
    middle = {"type": "line", "xref": "x", "yref": yref, "x0": step + 0.5, "x1": step + 0.5, "y0": 0, "y1": 1}
    return [middle | {"line": {"color": palette(theme).muted, "width": 1, "dash": "dot"}}]


def peak_label(amap: AttemptMap, window: tuple[int, int], theme: str, yref: str = "paper") -> list[dict[str, Any]]:
    """Return the word beside the dotted line of `peak`."""
    if not peak(amap, window, theme):
        return []
    step = amap.whole("peak_step") or 0
    late = step - window[0] > 0.8 * (window[1] - window[0])
    side = {"xanchor": "right", "xshift": -2} if late else {"xanchor": "left", "xshift": 2}
    place = {"x": step + 0.5, "xref": "x", "y": 1, "yref": yref, "yanchor": "top"}
    return [note("peak", place | side | {"bgcolor": fade(palette(theme).panel, 0.7)}, theme)]


def note(text: str, place: Mapping[str, Any], theme: str) -> dict[str, Any]:
    """Return a small muted annotation; `place` has x (a share of the width), y, and what else is not as usual."""
    font = {"size": 10, "color": palette(theme).muted}
    return {"text": text, "xref": "paper", "yref": "paper", "showarrow": False, "borderpad": 1, "font": font, **place}


def bytes_font(theme: str) -> dict[str, Any]:
    """Return the font of addresses and bytes on an axis."""
    return {"family": MONO, "size": 10, "color": palette(theme).muted}


def clicked_parts(click: Mapping[str, Any] | None, names: Sequence[str]) -> dict[str, int]:
    """Return the numbers in the customdata of a click's first point under their names; what is null is left out."""
    points = (click or {}).get("points") or [{}]
    data = points[0].get("customdata")
    if not isinstance(data, list | tuple):
        return {}
    return {name: int(value) for name, value in zip(names, data, strict=False) if value is not None}


def touch(x: np.ndarray, width: np.ndarray, span: tuple[float, float]) -> dict[str, Any]:
    """Return unseen bars over the bytes or shares of `span`: hover and click find a step wherever the pointer is.

    `x` is the middle of each; the caller adds customdata, hovertext and the axis.
    """
    return {
        "type": "bar",
        "x": x,
        "width": width,
        "base": np.full(len(x), span[0]),
        "y": np.full(len(x), span[1] - span[0]),
        "marker": {"color": "rgba(0,0,0,0)", "line": {"width": 0}},
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def _is_turned(names: Mapping[int, str]) -> bool:
    """Return whether the steps' labels are too wide to stand side by side."""
    longest = max(len(_step_label(step, names)) for step in names)
    return len(names) * (_CHARACTER_PX * longest + _TICK_GAP_PX) > PLOT_PX


def _step_label(step: int, names: Mapping[int, str]) -> str:
    return f"{plain(names[step], _NAME_LENGTH)} {step}" if step in names else integer(step)


def _ticks(begin: int, end: int) -> range:
    """Return steps at a distance of 1, 2, 5, 10, 20 ... whose labels do not touch."""
    every, label_px = 1, _CHARACTER_PX * len(integer(end)) + _TICK_GAP_PX
    while (end - begin) * label_px > every * PLOT_PX:
        every = every * 2 if str(every)[0] in "15" else every // 2 * 5
    return range(-(-begin // every) * every, end, every)
