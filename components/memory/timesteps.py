"""Bars of cycles per time step: computation upwards, transfers downwards, longer bar coloured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.figure import Figure, compact
from components.graph import empty_figure, figure
from components.memory import axis as memory_axis
from components.memory.columns import MAX_COLUMNS
from components.numbers import count_text, integer, plain
from components.theme import CATEGORICAL, fade, palette
from schema.array_types import Bools, Ints

LANES = ("layer", "gdma")
"""Lanes of an attempt's track: computation and transfers."""

_HEIGHT, _TOP = 170, 28
_BOUND = {
    "layer": ("compute-bound", CATEGORICAL[0], ""),
    "gdma": ("DMA-bound", CATEGORICAL[1], "/"),
}
"""Longer lane of a step -> label, colour and pattern of the step."""
_MAX_NAMES = 8
"""Maximum number of tensors that a hover text names per lane."""
_EMPTY_PX = 160
_HEADROOM, _TICKS = 1.1, 5


@dataclass(frozen=True)
class _Steps:
    """The steps that are drawn, with cycles per lane and slack.

    Slack is in cycles and below 0 if transfers are longer than computation. `hidden` is the number
    of steps in view that are not drawn.
    """

    rows: pd.DataFrame
    cycles: Mapping[str, Ints]
    slack: Ints
    hidden: int

    @property
    def longer(self) -> npt.NDArray[np.str_]:
        """The lane (layer or gdma) that determines the length of each step, an array of texts;
        layer if both are equal.
        """
        return np.where(self.slack < 0, "gdma", "layer")


def timesteps(
    amap: AttemptMap, events: pd.DataFrame, selection: MemorySelection, theme: str, steps: int = 0
) -> Figure:
    """Draw two bars of cycles per time step: up for computation (layer), down for transfers (gdma).

    The longer bar has the colour of its lane, the shorter bar is grey. `events` are the rows of
    frame `events` of the attempt's track; hover texts take the tensors of a step from them. Beyond
    2,000 steps in view only the longest are drawn. The customdata of a click is [attempt, step].
    `steps` is the length of the x axis if other views on it show a longer map. When there are no
    cycles, the figure shows only a sentence.
    """
    window = memory_axis.steps_in_view([amap], selection, steps)
    shown = _steps(amap.steps, window)
    if not len(shown.rows):
        return empty_figure("The log has no cycles for these time steps.", theme, _EMPTY_PX)
    custom = np.full((len(shown.rows), 2), amap.number, dtype=object)
    custom[:, 1] = shown.rows["step"].to_numpy(np.int64)
    hover = np.array(_hovers(shown, _names(shown.rows, events)), dtype=object)
    layout = _layout(amap, shown, window, selection, theme)
    bars = memory_axis.touch(
        custom[:, 1].astype(np.float64) + 0.5, np.ones(len(custom)), layout["yaxis"]["range"]
    )
    traces = [
        _bars(shown, lane, chosen, theme, binding=binding)
        for lane in LANES
        for binding, chosen in ((True, shown.longer == lane), (False, shown.longer != lane))
        if chosen.any()
    ]
    return figure([*traces, bars | {"customdata": custom, "hovertext": hover}], layout, theme)


def _steps(frame: pd.DataFrame, window: tuple[int, int]) -> _Steps:
    """Select the steps with cycles in a window [begin, end), in order; of more than 2,000
    (MAX_COLUMNS) the longest.
    """
    has_cycles = frame["gdma_cycles"].notna() | frame["layer_cycles"].notna()
    seen = frame[has_cycles & (frame["step"] >= window[0]) & (frame["step"] < window[1])]
    longest = (
        seen[["gdma_cycles", "layer_cycles"]]
        .max(axis=1)
        .sort_values(ascending=False, kind="stable")
    )
    rows = seen.loc[longest.index[:MAX_COLUMNS].sort_values()]
    cycles = {lane: rows[f"{lane}_cycles"].fillna(0).to_numpy(np.int64) for lane in LANES}
    slack_column = rows["slack"].to_numpy(np.float64, na_value=np.nan)
    # The log may have no slack for a step.
    slack = np.where(np.isnan(slack_column), cycles["layer"] - cycles["gdma"], slack_column).astype(
        np.int64
    )
    return _Steps(rows, cycles, slack, len(seen) - len(rows))


def _bars(steps: _Steps, lane: str, chosen: Bools, theme: str, *, binding: bool) -> dict[str, Any]:
    label, colour, shape = _BOUND[lane]
    pattern = {
        "shape": shape,
        "fillmode": "overlay",
        "fgcolor": fade(palette(theme).panel, 0.7),
        "size": 6,
    }
    muted = {"color": fade(palette(theme).muted, 0.45), "line": {"width": 0}}
    return {
        "type": "bar",
        "name": f"{label}: {lane} is longer" if binding else f"the shorter {lane}",
        "x": steps.rows["step"].to_numpy(np.float64)[chosen] + 0.5,
        "y": compact(steps.cycles[lane][chosen] * (1 if lane == "layer" else -1)),
        "width": 0.86,
        "marker": muted | {"color": colour, "pattern": pattern} if binding else muted,
        "hoverinfo": "skip",
        "showlegend": binding,
    }


def _names(steps: pd.DataFrame, events: pd.DataFrame) -> Mapping[tuple[int, str], list[str]]:
    """Map (step, lane) to the names of its tensors, the longest event first; empty without events
    or begins of steps.
    """
    begins = steps[steps["begin"].notna()].sort_values("begin", kind="stable")
    if not len(begins) or not len(events):
        return {}
    # An event belongs to the last step that begins at or before its start.
    at = (
        np.searchsorted(
            begins["begin"].to_numpy(np.int64), events["start"].to_numpy(np.int64), side="right"
        )
        - 1
    )
    rows = pd.DataFrame(
        {
            "step": begins["step"].to_numpy(np.int64)[np.maximum(at, 0)],
            "lane": events["lane"].astype("str").to_numpy(),
            "name": events["name"].astype("str").to_numpy(),
            "cycles": (events["end"] - events["start"]).to_numpy(np.int64),
        }
    )[at >= 0].sort_values("cycles", ascending=False, kind="stable")
    return {
        (int(step), str(lane)): part.tolist()
        for (step, lane), part in rows.groupby(["step", "lane"])["name"]
    }


def _hovers(steps: _Steps, names: Mapping[tuple[int, str], list[str]]) -> list[str]:
    lanes = [_lane_words(lane, steps, names) for lane in LANES]
    columns = (steps.rows["step"].tolist(), steps.longer.tolist(), steps.slack.tolist(), *lanes)
    return [
        f"<b>step {integer(step)}</b> {_BOUND[lane][0]}, slack {integer(slack)}<br>{layer}<br>{gdma}"
        for step, lane, slack, layer, gdma in zip(*columns, strict=True)
    ]


def _lane_words(lane: str, steps: _Steps, names: Mapping[tuple[int, str], list[str]]) -> list[str]:
    """Write a lane's cycles and at most 8 tensor names (_MAX_NAMES), a text per step."""
    pairs = zip(steps.rows["step"].tolist(), steps.cycles[lane].tolist(), strict=True)
    return [
        f"{lane} {count_text(cycles, 'cycle')}{_list_names(names.get((step, lane), []))}"
        for step, cycles in pairs
    ]


def _list_names(names: list[str]) -> str:
    shown = [f"<br>\u2003{plain(name, 44)}" for name in names[:_MAX_NAMES]]
    rest = len(names) - len(shown)
    return "".join([*shown, f"<br>\u2003and {integer(rest)} more" if rest else ""])


def _layout(
    amap: AttemptMap, steps: _Steps, window: tuple[int, int], selection: MemorySelection, theme: str
) -> dict[str, Any]:
    margin = memory_axis.margin(_TOP)
    return {
        "barmode": "overlay",
        "bargap": 0,
        "height": _HEIGHT + margin["t"] + margin["b"],
        "margin": margin,
        "uirevision": f"{amap.number} {selection.span}",
        "xaxis": memory_axis.steps_axis(window, theme) | {"minor": {}},
        "yaxis": _cycles_axis(steps, theme),
        "shapes": memory_axis.peak(amap, window, theme)
        + memory_axis.cursor(selection, window, theme),
        "annotations": _words(steps, theme),
        "legend": {"x": 0, "y": 1, "yanchor": "bottom", "font": {"size": 10}},
    }


def _cycles_axis(steps: _Steps, theme: str) -> dict[str, Any]:
    """Build the layout of the y axis of cycles, with positive tick labels in both directions."""
    layer, gdma = (float(max(steps.cycles[lane].max(), 1)) * _HEADROOM for lane in LANES)
    # Each direction has at least an eighth of the other, so that a short lane stays visible.
    up = max(layer, gdma / 8)
    down = max(gdma, layer / 8)
    every = _round_up((up + down) / _TICKS)
    ticks = [tick * every for tick in range(-int(down // every), int(up // every) + 1)]
    return {
        "range": [-down, up],
        "tickvals": ticks,
        # The arrow tells the two directions apart, which have the same numbers.
        "ticktext": [f"↓ {integer(-tick)}" if tick < 0 else integer(tick) for tick in ticks],
        "zeroline": True,
        "zerolinecolor": palette(theme).border,
        "fixedrange": True,
        "automargin": False,
        "title": {"text": "cycles"},
    }


def _round_up(value: float) -> int:
    """Round up to the next of 1, 2, 5, 10, 20, 50, ...; 1 for a value below 1."""
    power: int = 10 ** max(0, math.floor(math.log10(value)))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= value)


def _words(steps: _Steps, theme: str) -> list[dict[str, Any]]:
    """Build the annotations that label the two directions, and count the steps that are not drawn,
    if any.
    """
    right = {"x": memory_axis.DOMAIN[1], "xanchor": "left", "xshift": 4, "yref": "y domain"}
    words = [("layer ↑", {"y": 1, "yanchor": "top"}), ("gdma ↓", {"y": 0, "yanchor": "bottom"})]
    if steps.hidden:
        words.append(
            (f"{integer(steps.hidden)} shorter<br>steps not drawn", {"y": 0.5, "align": "left"})
        )
    return [memory_axis.note(text, right | place, theme) for text, place in words]
