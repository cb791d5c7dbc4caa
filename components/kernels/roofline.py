"""Roofline plot: FLOP/s against FLOP per byte, a point per kernel, with the peak rates as lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.kernels.roofline import ridge, roof
from analysis.selection import has_name
from components.figure import Figure
from components.graph import figure
from components.kernels.words import why_missing
from components.numbers import duration_text, integer, missing, percent, plain, rate_text
from components.theme import FADE, name_color, palette
from schema.array_types import Bools
from schema.peak_rates import exceeds_peak

MAX_POINTS = 1_000
"""Kernels that are drawn, the ones with the most time; more points would hide each other."""

HEIGHT = 340
_MIN_POINT_PX, _MAX_POINT_PX = 6.0, 34.0
"""Diameters of points in pixels."""
_ROOM = 0.35
"""Decades that are free on either side of the points."""
_MAX_DECADE = 200
"""Limit of the axes in decades.

A roof is a power of ten times a peak, which must not overflow a float.
"""
Peaks = tuple[float | None, float | None]
"""Peak operations per second and peak bytes per second; None or 0 if unknown."""
Chosen = tuple[str, int | None]
"""Name and program of a kernel; a program of None matches every program."""


def roofline(rows: pd.DataFrame, peaks: Peaks, selected: Chosen | None, theme: str) -> Figure:
    """Draw at most the first 1,000 rows (at least one) of `analysis.kernels.roofline.roofline_rows`
    with the roofs of the peaks that are known.

    The area of a point is its share of the time, its customdata is [position in the kernel table].
    The kernel `selected` is outlined and the other points are faded.
    """
    shown = rows.head(MAX_POINTS)
    x, y = (shown[name].to_numpy(np.float64) for name in ("intensity", "flops"))
    spans = _span(x, ridge(*peaks) if _both(peaks) else None), _span(y, peaks[0])  # type: ignore[arg-type]
    lines, labels = _roofs(peaks, spans[0], theme)
    layout = {
        "height": HEIGHT,
        "margin": {"l": 64, "r": 16, "t": 16, "b": 44},
        "showlegend": False,
        "clickmode": "event",
        "annotations": labels,
        "xaxis": _axis("arithmetic intensity, FLOP per byte of memory", spans[0], "~r"),
        "yaxis": _axis("FLOP/s", spans[1], "~s"),
    }
    return figure([*lines, _points(shown, x, y, selected, theme)], layout, theme)


def reason_unplaced(table: pd.DataFrame) -> str:
    """Write the reason why no row of a kernel table can be drawn on the roofline, as a sentence."""
    kernels = table[~table["copy"]]
    if not len(kernels):
        return (
            "Only copies are in the selection: they compute nothing."
            if len(table)
            else "No kernel in the selection."
        )
    reasons = kernels["missing"].astype("str")
    reasons = reasons[reasons != ""]
    why = (
        f": {why_missing(str(reasons.value_counts().index[0]), copy=False)}" if len(reasons) else ""
    )
    return f"No kernel here has both operations and bytes{why}."


def _axis(title: str, span: tuple[float, float], form: str) -> dict[str, Any]:
    decades = span[1] - span[0]
    return {
        "type": "log",
        "title": {"text": title},
        "range": list(span),
        "tickformat": form,
        "dtick": "D2" if decades < 3 else 1,
    }


def _span(values: np.ndarray, further: float | None) -> tuple[float, float]:
    """Compute the range [low, high] of an axis in decades (log10): it contains the values and, if
    positive, `further`, with 0.35 decades of room on either side.
    """
    seen = values if further is None or further <= 0 else np.append(values, further)
    decades = np.clip(np.log10(seen), -_MAX_DECADE, _MAX_DECADE)
    return float(decades.min()) - _ROOM, float(decades.max()) + _ROOM


def _both(peaks: Peaks) -> bool:
    return bool(peaks[0]) and bool(peaks[1])


def _roofs(
    peaks: Peaks, span: tuple[float, float], theme: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Build the line of attainable FLOP/s in a list, and the labels of the peaks; ([], []) without
    peaks.

    `span` is the range of the x axis in decades.
    """
    compute, memory = peaks
    if not compute and not memory:
        return [], []
    left = 10 ** span[0]
    right = 10 ** span[1]
    # The roof is straight on both sides of the ridge, so three points draw it.
    bend = [ridge(*peaks)] if _both(peaks) else []  # type: ignore[arg-type]
    x = np.array([left, *(at for at in bend if left < at < right), right])
    y = roof(compute or None, memory or None, x)
    colour = palette(theme).capacity
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 1.5, "dash": "dash"},
        "hoverinfo": "skip",
    }
    labels = [_label(x[-1], y[-1], rate_text(compute, "FLOP/s"), colour)] if compute else []
    aside = {"xanchor": "left", "yanchor": "top"}
    labels += [_label(x[0], y[0], rate_text(memory, "B/s"), colour) | aside] if memory else []
    return [line], labels


def _label(x: float, y: float, words: str, colour: str) -> dict[str, Any]:
    # On a logarithmic axis plotly takes positions of annotations as exponents of ten.
    place = {
        "x": float(np.log10(x)),
        "y": float(np.log10(y)),
        "xanchor": "right",
        "yanchor": "bottom",
    }
    return place | {
        "text": f"peak {words}",
        "showarrow": False,
        "font": {"size": 11, "color": colour},
    }


def _points(
    rows: pd.DataFrame, x: np.ndarray, y: np.ndarray, selected: Chosen | None, theme: str
) -> dict[str, Any]:
    names = rows["name"].astype("str")
    chosen = _is_chosen(rows, selected)
    colours = palette(theme)
    time = rows["total"].to_numpy(np.float64)
    # The square root makes the area of a point, not its diameter, proportional to its time.
    area = np.sqrt(time / max(float(time.max()), 1.0))
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "customdata": [[int(row)] for row in rows["row"]],
        "text": [_hover(row) for row in rows.to_dict("records")],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "color": [name_color(name) for name in names],
            "size": np.maximum(_MIN_POINT_PX, _MAX_POINT_PX * area),
            "opacity": np.where(chosen | (selected is None), 0.85, FADE),
            "line": {
                "width": np.where(chosen, 2.5, 1.0),
                "color": [
                    colours.selection if is_chosen else colours.panel
                    for is_chosen in chosen.tolist()
                ],
            },
        },
    }


def _is_chosen(rows: pd.DataFrame, selected: Chosen | None) -> Bools:
    if selected is None:
        return np.zeros(len(rows), dtype=np.bool_)
    name, program = selected
    chosen = has_name(rows["name"], name)
    if program is not None:
        chosen = chosen & (rows["program"] == program).to_numpy(np.bool_, na_value=False)
    return chosen


def _hover(row: dict[Any, Any]) -> str:
    """Format a kernel's hover text as HTML, with its name escaped: rates, runs and time, share,
    limit.
    """
    rate = f"{rate_text(row['flops'], 'FLOP/s')} at {rate_text(row['intensity'], 'FLOP/B')}"
    time = f"{integer(row['count'])} × {duration_text(row['p50'])} = {duration_text(row['total'])}"
    share = "" if missing(row["share"]) else f", {percent(row['share'])} of kernels and copies"
    doubt = ", counted too high or a peak too low" if exceeds_peak(row["reached"]) else ""
    reached = (
        ""
        if missing(row["reached"])
        else f"<br>{percent(row['reached'])} of what is attainable{doubt}"
    )
    bound = f", bound by {row['bound']}" if reached and isinstance(row["bound"], str) else ""
    return f"<b>{plain(row['name'])}</b><br>{rate}<br>{time}{share}{reached}{bound}"
