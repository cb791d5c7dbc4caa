"""The one place where a plot becomes a graph on a page: its configuration, its words, its empty state."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from dash import dcc, html

from components.figure import Figure
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


HEIGHT_PX = 300
"""Height of a plot whose figure does not say."""


def summary_id(graph_id: str) -> str:
    """Return the id of the element that holds a graph's summary sentence."""
    return f"{graph_id}-summary"


def graph(graph_id: str, figure: Figure, summary: str) -> html.Figure:
    """Wrap a figure for a page; `summary` is what a screen reader says in its place.

    The graph has the id `graph_id`, the sentence `summary_id(graph_id)`: a callback sets both together. It is as high
    as its figure at least and fills what room it gets; without anything drawn on it, it takes none.
    """
    drawn = has_content(figure)
    style = {"height": "auto", "minHeight": f"{figure.height or HEIGHT_PX}px"}
    described: Any = {"aria-describedby": summary_id(graph_id)}
    config: Any = graph_config()
    return html.Figure(
        [
            dcc.Graph(
                id=graph_id,
                figure=figure.to_plotly_json(),
                config=config,
                responsive=True,
                style=style | {"display": "block" if drawn else "none"},
                className="ts-graph" if drawn else "ts-graph ts-nothing",
            ),
            html.Figcaption(summary, id=summary_id(graph_id), className="visually-hidden"),
        ],
        className="ts-figure",
        **described,
    )


def figure(traces: list[dict[str, Any]], layout: Mapping[str, Any], theme: str) -> Figure:
    """Build a figure of a theme from plain trace and layout dicts."""
    base = {"template": template(theme), "uirevision": UIREVISION, "hovermode": "closest"}
    return Figure(traces, {**base, **layout})


def nothing(theme: str) -> Figure:
    """Build the figure of a view that has nothing to draw: its answer says why, and the plot takes no room."""
    return figure([], {}, theme)


def has_content(drawn: Figure) -> bool:
    """Return whether there is anything on a figure to look at."""
    return drawn.has_traces or bool(drawn.notes)


def empty_figure(sentence: str, theme: str, height: int | None = None) -> Figure:
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
