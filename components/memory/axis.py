"""Shared x axis of all memory views, with margins, cursor and peak line.

Step t takes the interval [t, t + 1) of the axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.in_use import peak_in_use
from analysis.memory.selection import MemorySelection
from components.numbers import integer, plain
from components.theme import MONO, fade, palette
from components.time_axis import time_axis
from schema.time_units import NANOSECONDS

LEFT, RIGHT = 84, 12
"""Left and right margin in pixels.

They are equal in all memory views, so that a step has the same x in all of them.
"""
DOMAIN = (0.0, 0.91)
"""Part of the plot's width for the steps; the rest, at the right, is for labels and totals."""
PLOT_PX = 900
"""Assumed width of the steps in pixels (on a page of 1100 px) for measuring names and labels.

The server does not know the real width, because the browser does not send it.
"""

_MAX_NAMED_STEPS = 40
"""Maximum number of steps in view that are labelled with operator names."""
_CHARACTER_PX, _TICK_GAP_PX = 7, 22
_MAX_BORDERS = 80
"""Maximum number of steps in view between which border lines are drawn."""
_TIME_TICKS = 8
_NAME_LENGTH = 16
"""Characters of an operator name on the axis."""
_BOTTOM, _BOTTOM_NAMED = 38, 124


def steps_in_view(
    maps: Sequence[AttemptMap], selection: MemorySelection, steps: int = 0
) -> tuple[int, int]:
    """Return the steps [begin, end) in view: the selected window, cut to the axis, if it overlaps
    it, else all steps.

    `steps` is the length of the x axis if other views on it show longer maps than these.
    """
    length = max(steps, *(amap.length for amap in maps))
    begin, end = selection.span or (0, length)
    begin = max(0, begin)
    end = min(length, end)
    return (begin, end) if begin < end else (0, length)


def named_steps(maps: Sequence[AttemptMap], window: tuple[int, int]) -> Mapping[int, str]:
    """Map each step in view to its operator name; empty if more than 40 steps are in view or there
    are no names.

    Also empty if the maps have different operators at the same steps, which happens if two attempts
    are compared: the axis then has numbers.
    """
    if window[1] - window[0] > _MAX_NAMED_STEPS:
        return {}
    names = [_step_names(amap, window) for amap in maps]
    return names[0] if all(other == names[0] for other in names) else {}


def _step_names(amap: AttemptMap, window: tuple[int, int]) -> dict[int, str]:
    shown = amap.steps[
        amap.steps["step"].between(window[0], window[1] - 1) & (amap.steps["name"] != "")
    ]
    return dict(zip(shown["step"].tolist(), shown["name"].tolist(), strict=True))


def steps_axis(
    window: tuple[int, int], theme: str, names: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Build the plotly layout of the x axis over steps [begin, end).

    The ticks are operator `names` (step -> name) if there are any, else step numbers.
    """
    begin, end = window
    shown = range(begin, end) if names else _ticks(begin, end)
    labels = [_step_label(step, names or {}) for step in shown]
    borders = list(range(begin, end + 1)) if end - begin <= _MAX_BORDERS else []
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
        "minor": {
            "tickvals": borders,
            "ticks": "",
            "showgrid": bool(borders),
            "gridcolor": palette(theme).grid,
        },
        "title": {"text": "" if names else "step", "standoff": 2},
    }


def x_axis(
    amap: AttemptMap, window: tuple[int, int], theme: str, names: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Build the plotly layout of a map's x axis: time for a device of a profile, else steps."""
    return (
        times_axis(window, theme)
        if amap.facts.unit == NANOSECONDS
        else steps_axis(window, theme, names)
    )


def times_axis(window: tuple[int, int], theme: str) -> dict[str, Any]:
    """Build the plotly layout of the x axis over a window [begin, end) in ns."""
    font = {"size": 11, "color": palette(theme).muted}
    axis = time_axis(window, NANOSECONDS, ticks=_TIME_TICKS)
    # A device of a profile has no banks and no capacity, so there is nothing to label at the right
    # and the axis takes the full width.
    return axis | {
        "domain": [0, 1],
        "showgrid": False,
        "tickfont": font,
        "title": axis["title"] | {"standoff": 2},
    }


def margin(top: int, names: Mapping[int, str] | None = None) -> dict[str, int]:
    """Compute the margins (l, r, t, b) of a memory view in pixels; `top` is the top margin.

    If the step `names` must be turned to fit, there is more room below.
    """
    return {
        "l": LEFT,
        "r": RIGHT,
        "t": top,
        "b": _BOTTOM_NAMED if names and _is_turned(names) else _BOTTOM,
    }


def cursor(selection: MemorySelection, window: tuple[int, int], theme: str) -> list[dict[str, Any]]:
    """Build the shape of a band over the selected step and the whole height, in a list; empty if no
    step is selected or it is not in view.
    """
    step = selection.step
    if step is None or not window[0] <= step < window[1]:
        return []
    ink = palette(theme).selection
    band = {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": step,
        "x1": step + 1,
        "y0": 0,
        "y1": 1,
    }
    return [band | {"fillcolor": fade(ink, 0.07), "line": {"color": ink, "width": 1}}]


def peak(
    amap: AttemptMap, window: tuple[int, int], theme: str, yref: str = "paper"
) -> list[dict[str, Any]]:
    """Build the shape of a dotted line through the middle of the step with most bytes in use, in a
    list.

    Empty if the step is unknown or not in view.
    """
    _, step = peak_in_use(amap)
    if step is None or not window[0] <= step < window[1]:
        return []
    middle = {
        "type": "line",
        "xref": "x",
        "yref": yref,
        "x0": step + 0.5,
        "x1": step + 0.5,
        "y0": 0,
        "y1": 1,
    }
    return [middle | {"line": {"color": palette(theme).muted, "width": 1, "dash": "dot"}}]


def peak_label(
    amap: AttemptMap, window: tuple[int, int], theme: str, yref: str = "paper"
) -> list[dict[str, Any]]:
    """Build the annotation with the word "peak" next to the line of `peak`, in a list; empty if the
    line is not in view.
    """
    if not peak(amap, window, theme):
        return []
    step = peak_in_use(amap)[1] or 0
    # Near the right end the word is left of its line, so that it is not cut off.
    late = step - window[0] > 0.8 * (window[1] - window[0])
    side = {"xanchor": "right", "xshift": -2} if late else {"xanchor": "left", "xshift": 2}
    place = {"x": step + 0.5, "xref": "x", "y": 1, "yref": yref, "yanchor": "top"}
    return [note("peak", place | side | {"bgcolor": fade(palette(theme).panel, 0.7)}, theme)]


def note(text: str, place: Mapping[str, Any], theme: str) -> dict[str, Any]:
    """Build a small muted annotation without an arrow.

    `place` has x (0 to 1 of the width), y, and any properties that override the defaults.
    """
    font = {"size": 10, "color": palette(theme).muted}
    return {
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
        "borderpad": 1,
        "font": font,
        **place,
    }


def bytes_font(theme: str) -> dict[str, Any]:
    """Build the plotly font of addresses and bytes on an axis: monospace, 10 px, muted."""
    return {"family": MONO, "size": 10, "color": palette(theme).muted}


def plot_title(words: Sequence[str], domain: tuple[float, float], theme: str) -> dict[str, Any]:
    """Build the annotation above a plot, which takes the part `domain` of the figure's height."""
    place = {"x": 0, "y": domain[1], "xanchor": "left", "yanchor": "bottom", "font": {"size": 11}}
    return note(" · ".join(words), place, theme)


def clicked_parts(click: Mapping[str, Any] | None, names: Sequence[str]) -> dict[str, int]:
    """Map `names` to the integers in the customdata of the first clicked point, in order; null
    entries are left out. Empty if there is no click or no customdata.
    """
    points = (click or {}).get("points") or [{}]
    data = points[0].get("customdata")
    if not isinstance(data, list | tuple):
        return {}
    return {name: int(value) for name, value in zip(names, data, strict=False) if value is not None}


def parse_step_click(click: Mapping[str, Any] | None) -> dict[str, int]:
    """Parse a click into `attempt` (missing for a sum) and `step`, of a profile the time in ns;
    empty if there is no click.
    """
    return clicked_parts(click, ("attempt", "step"))


def touch(x: np.ndarray, width: np.ndarray, span: tuple[float, float]) -> dict[str, Any]:
    """Build a trace of invisible bars over the y range `span`, so that hover and click work at any
    height.

    `x` is the middle and `width` the width of each bar, in units of the x axis. The caller adds
    customdata, hovertext and the y axis.
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
    """Whether the labels of the steps are too wide to fit next to each other into 900 px (PLOT_PX)
    and must be turned.
    """
    longest = max(len(_step_label(step, names)) for step in names)
    return len(names) * (_CHARACTER_PX * longest + _TICK_GAP_PX) > PLOT_PX


def _step_label(step: int, names: Mapping[int, str]) -> str:
    return f"{plain(names[step], _NAME_LENGTH)} {step}" if step in names else integer(step)


def _ticks(begin: int, end: int) -> range:
    """Choose steps in [begin, end) at a distance of 1, 2, 5, 10, 20 ... such that their labels do
    not overlap.
    """
    every = 1
    label_px = _CHARACTER_PX * len(integer(end)) + _TICK_GAP_PX
    while (end - begin) * label_px > every * PLOT_PX:
        every = every * 2 if str(every)[0] in "15" else every // 2 * 5
    return range(-(-begin // every) * every, end, every)
