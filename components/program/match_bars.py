"""The matches of a rewrite step as bars of their durations; a click selects a match."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from components.figure import Figure, compact
from components.graph import figure
from components.numbers import duration_text, plain
from components.theme import name_color, palette
from components.time_axis import duration_axis

HEIGHT = 130
_MIN_MATCHES = 16
"""Matches that the axis has room for at least, so that few bars do not become broad."""
_ROOM = 1.05
"""Height of the axis as a multiple of the longest match."""
MAX_BARS = 3_000
"""Matches that are drawn at most, the slowest."""


def match_bars(matches: pd.DataFrame, match: int, theme: str) -> Figure:
    """Draw the durations of rows of a frame `rewrite_matches` of a single step, at least one, as
    bars; a bar's customdata is [its match].

    Of more than 3,000 rows the slowest are drawn. A line marks the shown `match`; match 0 is the
    state before the first match and has no line.
    """
    shown = (
        matches.nlargest(MAX_BARS, "duration").sort_values("match")
        if len(matches) > MAX_BARS
        else matches
    )
    places = _places(shown)
    numbers = shown["match"].to_numpy(np.int64)
    times = shown["duration"].to_numpy(np.int64)
    bars = {
        "type": "bar",
        "x": numbers,
        "y": compact(times),
        "marker": {"color": [name_color(place) for place in places], "line": {"width": 0}},
        "customdata": [[int(number)] for number in numbers],
        "hovertext": [
            f"match {number}<br>{duration_text(time)}<br>{plain(place, 90)}"
            for number, time, place in zip(numbers.tolist(), times.tolist(), places, strict=True)
        ],
        "hoverinfo": "text",
    }
    last = int(matches["match"].max())
    line = {"color": palette(theme).selection, "width": 1.5}
    cursor = {
        "type": "line",
        "x0": match,
        "x1": match,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": line,
    }
    layout: dict[str, Any] = {
        "height": HEIGHT,
        "margin": {"l": 56, "r": 12, "t": 8, "b": 34},
        "showlegend": False,
        "clickmode": "event",
        # From 200 bars on, the gaps would be thinner than a pixel.
        "bargap": 0.15 if len(shown) < 200 else 0,
        "shapes": [cursor] if match else [],
        "xaxis": {
            "title": {"text": "match"},
            # Bars are centred on whole numbers, so that the axis ends beyond half a bar.
            "range": [0.4, max(last, _MIN_MATCHES) + 0.6],
            **_ticks(last),
        },
        "yaxis": duration_axis((0, round(int(times.max()) * _ROOM)), "time", ticks=4),
    }
    return figure([bars], layout, theme)


def _ticks(last: int) -> dict[str, Any]:
    """Build axis properties that prevent fractions and numbers beyond `last`, the last match, as
    ticks.
    """
    return {"tickvals": list(range(1, last + 1))} if last <= _MIN_MATCHES else {"tickformat": ",d"}


def _places(matches: pd.DataFrame) -> list[str]:
    """Format file and line of each match's pattern, as `file:line`.

    "" for a match without a file.
    """
    files = matches["file"].astype("str")
    # pandas writes a missing whole number as <NA>.
    lines = matches["line"].astype("str").replace("<NA>", "")
    return [f"{file}:{line}" if file else "" for file, line in zip(files, lines, strict=True)]
