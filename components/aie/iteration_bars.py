"""Bars of the rates of iterations: colour by phase, marks of uncounted iterations, texts and data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.selection import Selection
from components.aie.counted_iterations import best_iteration
from components.contrast import choose_ink
from components.numbers import gmacs, integer, percent, plain
from components.theme import FADE, palette, phase_color
from schema.array_types import Bools

MAX_LABELLED = 24
"""Up to this many iterations have their values printed in the bars."""


def phase_bars(
    shown: pd.DataFrame, value: str, selection: Selection, theme: str
) -> list[dict[str, Any]]:
    """Build a bar trace per phase; `value` is the column of the heights.

    Partial iterations are hatched, iterations on fewer cores dotted, iterations that are not
    selected faded.
    """
    colours = palette(theme)
    best = best_iteration(shown)
    labelled = len(shown) <= MAX_LABELLED
    most = int(shown["cores"].to_numpy(np.int64, na_value=0).max())
    number = shown["iteration"].to_numpy(dtype=np.int64)
    height = shown[value].to_numpy(dtype=np.float64, na_value=np.nan)
    chosen = number == selection.iteration
    whole = shown["complete"].to_numpy(dtype=bool)
    fewer = shown["cores"].to_numpy(dtype=np.int64, na_value=most) < most
    lit = ((selection.iteration is None) | chosen) & _in_window(shown, selection)
    text = _bar_text(shown, value, best, whole & ~fewer) if labelled else None
    data = _bar_data(shown, most)
    phases = shown["phase"].to_numpy(object)
    traces = []
    for phase in dict.fromkeys(name for name in phases.tolist() if pd.notna(name)):
        own = phases == phase
        colour = phase_color(str(phase), theme)
        opacity = np.where(lit[own], 1.0, FADE)
        traces.append(
            {
                "type": "bar",
                "name": plain(phase),
                "x": number[own],
                "y": height[own],
                "marker": {
                    "color": colour,
                    "opacity": opacity,
                    "line": {"color": colours.selection, "width": np.where(chosen[own], 2.0, 0.0)},
                    "pattern": {
                        "shape": np.where(whole[own], np.where(fewer[own], ".", ""), "/"),
                        "size": 6,
                    },
                },
                "text": None if text is None else text[own],
                "textposition": "inside",
                "insidetextanchor": "end",
                "insidetextfont": {
                    "color": [choose_ink(colour, colours.panel, share) for share in opacity]
                },
                "textangle": 0,
                "constraintext": "inside",
                "customdata": data[own],
                "hovertemplate": _BAR_HOVER,
            }
        )
    return traces


def _in_window(part: pd.DataFrame, selection: Selection) -> np.ndarray:
    """Compute a mask of the iterations that overlap the selected window [begin, end).

    When no window is selected, the mask is True for all iterations.
    """
    if selection.window is None:
        return np.ones(len(part), dtype=bool)
    begin, end = selection.window
    overlap = (part["first_start"] < end) & (part["last_end"] > begin)
    return np.asarray(overlap.fillna(False), dtype=bool)


def _bar_text(part: pd.DataFrame, value: str, best: int | None, plain_bars: Bools) -> np.ndarray:
    """Format the value to print in each bar, in an array of objects, after a line `best` in the bar
    of iteration `best`.

    "" for a bar with a pattern (`plain_bars` False), since text on it is hard to read.
    """
    write = gmacs if value == "gmacs_per_s" else integer
    rows = zip(part["iteration"], part[value], plain_bars, strict=True)
    return np.array(
        [
            ("best<br>" if i == best else "") + write(v) if is_plain else ""
            for i, v, is_plain in rows
        ],
        dtype=object,
    )


_BAR_HOVER = (
    "<b>iteration %{customdata[0]}</b> %{customdata[2]}%{customdata[3]}<br>%{customdata[4]} GMAC/s · "
    "%{customdata[5]} of peak<br>span %{customdata[6]:,} · kernels %{customdata[7]:,}<extra></extra>"
)


def _bar_data(part: pd.DataFrame, most: int) -> np.ndarray:
    """Build the customdata of the bars: iteration, track, phase, note, rate, utilisation, span,
    kernels.

    An array of objects, shape (bars, 8): a browser does not send binary arrays back on a click.
    """
    cores = part["cores"].to_numpy(dtype=np.int64, na_value=most)
    few = [
        f", {count} of {most} cores: not counted" if count < most else ""
        for count in cores.tolist()
    ]
    note = np.where(part["complete"], np.array(few, dtype=object), ", partial: not counted")
    phases = part["phase"].astype("str")
    columns = [
        part["iteration"],
        part["track"].astype("str"),
        np.array([plain(phase) for phase in phases], dtype=object),
        note,
        np.array([gmacs(rate) for rate in part["gmacs_per_s"]], dtype=object),
        np.array([percent(share) for share in part["utilization"]], dtype=object),
        part["span"],
        part["kernels"],
    ]
    return np.column_stack([np.asarray(column, dtype=object) for column in columns])
