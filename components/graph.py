"""Figures as graphs on a page: their configuration, the text for screen readers, and empty
figures.
"""

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
"""Plotly configuration of every plot, on pages and in exported HTML.

Plots are never uploaded to a cloud service.
"""


def graph_config() -> dict[str, Any]:
    """Return GRAPH_CONFIG as a new dict of plain JSON types, which a caller may change."""
    config = dict(GRAPH_CONFIG)
    config["modeBarButtonsToRemove"] = list(config["modeBarButtonsToRemove"])
    config["toImageButtonOptions"] = dict(config["toImageButtonOptions"])
    return config


HEIGHT_PX = 300
"""Height of a plot whose figure has no height."""


def summary_id(graph_id: str) -> str:
    """Return the id of the element with a graph's text for screen readers: `<graph_id>-summary`."""
    return f"{graph_id}-summary"


def graph(graph_id: str, figure: Figure, summary: str) -> html.Figure:
    """Wrap a figure for a page; `summary` is the text that a screen reader reads instead.

    The graph has the id `graph_id` and the text the id `summary_id(graph_id)`; a callback must
    update both together. The graph is at least as high as its figure and grows to fill its place; a
    figure without content is hidden.
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
    """Build a figure in the style of a theme from plain trace and layout dicts; `layout` overrides
    the properties that all figures share.
    """
    base = {"template": template(theme), "uirevision": UIREVISION, "hovermode": "closest"}
    return Figure(traces, {**base, **layout})


def nothing(theme: str) -> Figure:
    """Build the figure of a view without data: no traces and no sentence, so that it takes no room
    on the page. The view's caption has the reason.
    """
    return figure([], {}, theme)


def has_content(drawn: Figure) -> bool:
    """Whether a figure has traces or annotations, such as the sentence of `empty_figure`."""
    return drawn.has_traces or bool(drawn.notes)


def empty_figure(sentence: str, theme: str, height: int | None = None) -> Figure:
    """Build a figure without traces that shows only `sentence`, the reason why there is no data.

    `height` is in pixels; None leaves it to the page.
    """
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
