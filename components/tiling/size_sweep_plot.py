"""Plot of efficiencies over M, K or N: sizes at equal distances, missing numbers bridged by dashes.

Layout of Stream's `postprocess_plots.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from components.figure import Figure
from components.graph import figure
from components.numbers import plain
from components.theme import CATEGORICAL, palette
from components.tick_formats import SHARE_TICKS

_HEIGHT = 260
_MAX_LINE_CHARACTERS = 200
"""Characters of a line of hover text at most."""
_MARKERS = ("circle", "square", "diamond")


@dataclass(frozen=True)
class Series:
    """An efficiency of all sizes, as ratios; `None` if a size does not have it."""

    name: str
    values: Sequence[float | None]


def size_sweep_plot(
    sizes: Sequence[str], series: Sequence[Series], texts: Sequence[str], axis: str, theme: str
) -> Figure:
    """Draw the series over the sizes; `texts` are the hover texts of the sizes."""
    traces: list[dict[str, Any]] = []
    for at, drawn in enumerate(series):
        traces += _traces(drawn, texts, CATEGORICAL[at], _MARKERS[at], theme)
    layout = {
        "height": _HEIGHT,
        "margin": {"l": 64, "r": 16, "t": 24, "b": 44},
        "legend": {"y": 1.08, "orientation": "h"},
        "xaxis": {
            "title": {"text": axis},
            "tickvals": list(range(len(sizes))),
            "ticktext": [*sizes],
        },
        "yaxis": {
            "title": {"text": "share of the peak rate"},
            "tickformat": SHARE_TICKS,
            "rangemode": "tozero",
        },
    }
    return figure(traces, layout, theme)


def _traces(
    drawn: Series, texts: Sequence[str], colour: str, marker: str, theme: str
) -> Iterator[dict[str, Any]]:
    """Yield the line of a series, then dashes across its gaps with a cross at each missing size."""
    values = np.array([np.nan if value is None else value for value in drawn.values], np.float64)
    yield {
        "type": "scatter",
        "mode": "lines+markers",
        "name": drawn.name,
        "x": np.arange(len(values), dtype=np.float64),
        "y": values,
        "text": ["<br>".join(_lines(text)) for text in texts],
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": colour, "width": 2},
        "marker": {"symbol": marker, "size": 8, "color": colour},
    }
    at, bridged = bridge_gaps(values)
    if len(at):
        missing = np.isnan(values)
        is_cross = [not np.isnan(place) and bool(missing[int(place)]) for place in at]
        yield {
            "type": "scatter",
            "mode": "lines+markers",
            "showlegend": False,
            "hoverinfo": "skip",
            "x": at,
            "y": bridged,
            "line": {"color": colour, "width": 1, "dash": "dash"},
            "marker": {
                "symbol": "x",
                "size": [8 if cross else 0 for cross in is_cross],
                "color": palette(theme).trouble,
            },
        }


def bridge_gaps(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Interpolate missing values between known neighbours, by position.

    Returns positions and values of every gap with its two ends, gaps separated by NaN. Values that
    are missing before the first or after the last known value are not interpolated.
    """
    known = np.flatnonzero(~np.isnan(values))
    positions: list[float] = []
    for left, right in pairwise(known.tolist()):
        if right - left > 1:
            positions += [*range(left, right + 1), np.nan]
    at = np.array(positions, np.float64)
    bridged = np.interp(at, known, values[known]) if len(known) else at
    return at, np.where(np.isnan(at), np.nan, bridged)


def _lines(text: str) -> list[str]:
    return [plain(line, _MAX_LINE_CHARACTERS) for line in text.splitlines()]
