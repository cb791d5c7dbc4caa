"""Plot of the samples of a named number: their distribution, or their values in order."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from components.figure import Figure, compact
from components.graph import figure
from components.index_axis import index_axis
from components.metric_text import values_in_unit
from components.numbers import integer, plain
from components.results.sample_ticks import sample_ticks
from components.theme import CATEGORICAL, palette
from schema.array_types import Floats

VIEWS: Mapping[str, str] = MappingProxyType({"histogram": "distribution", "order": "in order"})
"""Form of the plot -> label."""
_HEIGHT = 280
_MIN_BINS, _MAX_BINS = 5, 40
_MAX_POINTS = 2_000
"""Maximum number of points in order; of more samples every n-th is drawn."""
_MIN_COUNT_FOR_TICKS = 8
"""If no bin has this many samples, ticks are set to whole numbers: plotly would put ticks between."""


def samples_plot(values: Floats, unit: str, centre: float, theme: str, view: str) -> Figure:
    """Draw the samples of a number in its unit; `centre` is marked. `view` is a key of VIEWS.

    `values` has at least one sample, all finite.
    """
    traces, layout = (_in_order if view == "order" else _histogram)(values, unit)
    shape = _centre_line(centre, theme, is_vertical=view != "order")
    return figure(traces, {"height": _HEIGHT, "shapes": [shape], **layout}, theme)


def points_left_out(count: int, view: str) -> str:
    """Return the note about samples that are not drawn, "" if all of `count` are."""
    step = _step(count)
    return f"Every {step}th sample is drawn." if view == "order" and step > 1 else ""


def _step(count: int) -> int:
    return -(-count // _MAX_POINTS)


def _histogram(values: Floats, unit: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    bins = int(np.clip(np.sqrt(len(values)) * 2, _MIN_BINS, _MAX_BINS))
    counts, edges = np.histogram(values, bins=bins)
    ends = values_in_unit(edges.tolist(), unit)
    spans = [f"{low} to {high}" for low, high in pairwise(ends)]
    trace = {
        "type": "bar",
        "x": compact((edges[:-1] + edges[1:]) / 2),
        "y": compact(counts),
        "width": compact(np.diff(edges)),
        "text": [
            f"<b>{integer(count)}</b> of {plain(span)}"
            for count, span in zip(counts.tolist(), spans, strict=True)
        ],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": CATEGORICAL[0]},
    }
    axis = sample_ticks(values, unit)
    few = int(counts.max()) < _MIN_COUNT_FOR_TICKS
    return [trace], {
        "bargap": 0.04,
        "xaxis": axis,
        "yaxis": {"title": {"text": "samples"}, "rangemode": "tozero"}
        | ({"dtick": 1} if few else {}),
    }


def _in_order(values: Floats, unit: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    places = np.arange(0, len(values), _step(len(values)))
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": compact(places),
        "y": compact(values[places]),
        "text": [plain(text) for text in values_in_unit(values[places].tolist(), unit)],
        "hovertemplate": "sample %{x}: %{text}<extra></extra>",
        "marker": {"color": CATEGORICAL[0], "size": 6},
    }
    return [trace], {
        "xaxis": index_axis("sample", 0, len(values) - 1),
        "yaxis": sample_ticks(values, unit),
    }


def _centre_line(centre: float, theme: str, *, is_vertical: bool) -> dict[str, Any]:
    along, across = ("x", "y") if is_vertical else ("y", "x")
    return {
        "type": "line",
        f"{along}0": centre,
        f"{along}1": centre,
        f"{across}0": 0,
        f"{across}1": 1,
        f"{across}ref": "paper",
        "line": {"color": palette(theme).muted, "width": 1.5, "dash": "dot"},
    }
