"""Where the browser draws a graph: `assets/graph_page.js` reads what it is to draw from its attributes."""

from __future__ import annotations

from typing import Any

from dash import html

from components.aria import aria

GRAPH, FLOW, DIFFERENCE = "graph", "flow", "difference"
"""What is drawn: a compiler's graph, the control flow of a program, or two graphs laid over each other."""


def graph_stage(stage_id: str, label: str, kind: str = GRAPH, **told: str) -> html.Div:
    """Lay out the place of a graph; `told` are its data attributes: `source` is read for what is drawn, `state` says
    what is selected, found and folded.
    """
    data: dict[str, Any] = {f"data-{kind}": "", **{f"data-{name}": text for name, text in told.items()}}
    return html.Div(
        id=stage_id,
        className="ts-graph-stage",
        tabIndex=0,
        role="application",
        **data,
        **aria(label=label),
    )
