"""The steps of a training run as stacked bars of the parts of their time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from analysis.kernels.step_times import FILLS
from components.figure import Figure
from components.graph import figure, nothing
from components.kernels.step_words import FILL_LABELS
from components.numbers import count_text, duration_text, percent, plain
from components.theme import palette
from schema.array_types import Bools, Floats

MAX_STEPS = 200
"""Steps that are drawn at most, the first of the run."""
_MAX_TICKS = 12
"""Maximum number of steps whose names are on the axis."""
_MAX_TICK_CHARACTERS = 24
_CUT_ABOVE = 3.0
"""A bar longer than this multiple of the median is cut.

A first step includes compilation; drawn in full it would make all other bars tiny.
"""
_ROOM = 1.3
_LOOKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "kernels": ("perf", ""),
        "copies": ("stream", "."),
        "compile": ("lock", "/"),
        "profiler": ("muted", "x"),
        "host": ("cascade", "-"),
        "python": ("memory", "\\"),
        "idle": ("missing", ""),
    }
)
"""Part -> colour (field of `Palette`) and pattern."""
_HEIGHT_PX = 280
_LEGEND_Y = 1.16
"""Place of the legend above the times of cut bars, in heights of the plot."""
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def step_bars(steps: pd.DataFrame, theme: str) -> Figure:
    """Draw the first 200 rows of a frame `step_times` as stacked bars of parts; customdata of a bar
    is [rank of the step].

    Bars longer than three times the median are cut. When there are no rows, the figure has no
    traces.
    """
    shown = steps.head(MAX_STEPS)
    if shown.empty:
        return nothing(theme)
    durations = shown["duration"].to_numpy(np.float64)
    top, cut = _top(durations)
    scale, unit = next(((scale, unit) for scale, unit in _UNITS if top >= scale), _UNITS[-1])
    ranks = shown["step"].to_numpy(np.int64)
    traces = [_bars(shown, part, scale, theme) for part in FILLS]
    layout: dict[str, Any] = {
        "barmode": "stack",
        "bargap": 0.25,
        "height": _HEIGHT_PX,
        "margin": {"l": 60, "r": 16, "t": 58 if cut.any() else 40, "b": 44},
        "xaxis": {
            "title": {"text": "step"},
            "range": [ranks[0] - 0.6, ranks[-1] + 0.6],
            **_name_ticks(shown),
        },
        "yaxis": {
            "title": {"text": unit},
            "range": [0, _ROOM * top / scale if cut.any() else 1.05 * top / scale],
        },
        # The times of cut bars are between the bars and the legend.
        "legend": {"y": _LEGEND_Y if cut.any() else 1.02},
        "annotations": [
            _break(int(rank), float(took), top / scale, theme)
            for rank, took in zip(ranks[cut], durations[cut], strict=True)
        ],
        "shapes": [_gap(int(rank), top / scale, theme) for rank in ranks[cut]],
    }
    return figure(traces, layout, theme)


def _name_ticks(steps: pd.DataFrame) -> dict[str, Any]:
    """Build the ticks of the axis: at most _MAX_TICKS (12) names of steps, as in the file."""
    every = -(-len(steps) // _MAX_TICKS)
    ticked = steps.iloc[::every]
    names = ticked["name"].astype("str").tolist()
    return {
        "tickmode": "array",
        "tickvals": ticked["step"].tolist(),
        "ticktext": [plain(name, _MAX_TICK_CHARACTERS) for name in names],
        "automargin": True,
    }


def _top(durations: Floats) -> tuple[float, Bools]:
    """Compute the longest duration that is drawn in full (ns, the axis is scaled to it), and a mask
    of the bars that are cut: longer than three times the median.
    """
    usual = float(np.median(durations))
    cut = durations > _CUT_ABOVE * usual
    uncut = durations[~cut]
    return max(float(uncut.max()) if len(uncut) else float(durations.max()), 1.0), cut


def _bars(steps: pd.DataFrame, part: str, scale: float, theme: str) -> dict[str, Any]:
    colour, pattern = _LOOKS[part]
    spent = steps[part].to_numpy(np.float64)
    durations = steps["duration"].to_numpy(np.float64)
    names = steps["name"].astype("str").tolist()
    hovers = [
        f"{plain(name)}<br>{FILL_LABELS[part]}: {duration_text(time)}, {percent(time / all_)} of {duration_text(all_)}"
        for name, time, all_ in zip(names, spent, durations, strict=True)
    ]
    return {
        "type": "bar",
        "name": FILL_LABELS[part],
        "x": steps["step"].to_numpy(np.int64),
        "y": spent / scale,
        "customdata": [[rank] for rank in steps["step"].tolist()],
        "hovertext": hovers,
        "hoverinfo": "text",
        "marker": {
            "color": getattr(palette(theme), colour),
            "pattern": {"shape": pattern, "size": 5},
        },
    }


def _break(rank: int, took: float, top: float, theme: str) -> dict[str, Any]:
    """Build the label above a cut bar at step `rank` with its real duration `took` (ns); `top` is
    the height of the longest uncut bar.
    """
    font = {"size": 11, "color": palette(theme).ink}
    place = {
        "x": rank,
        "y": _ROOM * top,
        "xanchor": "center",
        "yanchor": "bottom",
        "showarrow": False,
    }
    return {"text": duration_text(took), "font": font, **place}


def _gap(rank: int, top: float, theme: str) -> dict[str, Any]:
    """Build the shape of the gap in a cut bar, in the colour of the background."""
    height = {"y0": 1.12 * top, "y1": 1.16 * top}
    sides = {
        "x0": rank - 0.45,
        "x1": rank + 0.45,
        "line": {"width": 0},
        "fillcolor": palette(theme).panel,
    }
    return {"type": "rect", "layer": "above", **height, **sides}


def steps_left_out(steps: pd.DataFrame) -> str:
    """Return a note with the numbers of later steps that are not drawn and of bars that are cut, ""
    if both are 0.
    """
    left = len(steps) - MAX_STEPS
    shown = steps.head(MAX_STEPS)
    cut = int(_top(shown["duration"].to_numpy(np.float64))[1].sum()) if len(shown) else 0
    notes = [f"{count_text(left, 'later step')} not drawn"] if left > 0 else []
    notes += [f"{count_text(cut, 'longer bar')} cut, with the time above"] if cut else []
    return f"{'; '.join(notes)[:1].upper()}{'; '.join(notes)[1:]}." if notes else ""
