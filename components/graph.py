"""The one place where a plot becomes a graph on a page: its configuration, its words, its empty state."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import plotly.graph_objects as go
from dash import dcc, html

from components.theme import UIREVISION, palette, template

GRAPH_CONFIG: Mapping[str, Any] = MappingProxyType(
    {
        "showSendToCloud": False,
        "displaylogo": False,
        "responsive": True,
        "doubleClick": False,
        "modeBarButtonsToRemove": ("lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"),
        "toImageButtonOptions": MappingProxyType({"format": "svg", "filename": "tilescope"}),
    }
)
"""Configuration of every plot, on pages and in exported HTML; nothing is ever sent to a cloud."""


def graph_config() -> dict[str, Any]:
    """Return GRAPH_CONFIG as plain JSON types."""
    config = dict(GRAPH_CONFIG)
    config["modeBarButtonsToRemove"] = list(config["modeBarButtonsToRemove"])
    config["toImageButtonOptions"] = dict(config["toImageButtonOptions"])
    return config


def summary_id(graph_id: str) -> str:
    """Return the id of the element that holds a graph's summary sentence."""
    return f"{graph_id}-summary"


def graph(graph_id: str, figure: go.Figure, summary: str, height: int | None = None) -> html.Figure:
    """Wrap a figure for a page; `summary` is what a screen reader says in its place.

    The graph has the id `graph_id`, the sentence `summary_id(graph_id)`: a callback sets both together.
    """
    style = {"height": f"{height}px"} if height else {}
    described: Any = {"aria-describedby": summary_id(graph_id)}
    config: Any = graph_config()
    return html.Figure(
        [
            dcc.Graph(id=graph_id, figure=figure, config=config, style=style, className="ts-graph"),
            html.Figcaption(summary, id=summary_id(graph_id), className="visually-hidden"),
        ],
        className="ts-figure",
        **described,
    )


def figure(traces: list[dict[str, Any]], layout: Mapping[str, Any], theme: str) -> go.Figure:
    """Build a figure of a theme from plain trace and layout dicts."""
    base = {"template": dict(template(theme)), "uirevision": UIREVISION, "hovermode": "closest"}
    return go.Figure({"data": traces, "layout": {**base, **layout}})


def warm_up() -> None:
    """Draw once what every page draws: a process's first figure takes plotly a quarter of a second."""
    for theme in ("light", "dark"):
        figure(
            [{"type": kind, "x": np.arange(1), "y": np.arange(1)} for kind in ("bar", "scatter")], {}, theme
        ).to_json()


def empty_figure(sentence: str, theme: str, height: int | None = None) -> go.Figure:
    """Build the figure that says in one sentence why there is nothing to see."""
    note = {
        "text": sentence,
        "showarrow": False,
        "x": 0.5,
        "y": 0.5,
        "xref": "paper",
        "yref": "paper",
        "font": {"color": palette(theme).muted, "size": 13},
    }
    hidden = {"visible": False}
    layout: dict[str, Any] = {"annotations": [note], "xaxis": hidden, "yaxis": hidden}
    return figure([], layout | ({"height": height} if height else {}), theme)


def compact(values: np.ndarray) -> np.ndarray:
    """Return integers in the smallest type that reaches the browser as binary.

    64-bit integers do not: they would travel as JSON text. Beyond 32 bits they become float64, exact to 2**53.
    """
    values = np.asarray(values)
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not len(values):
        return values
    low, high = values.min(), values.max()
    return values.astype(np.int32 if low >= -(2**31) and high < 2**31 else np.float64)
