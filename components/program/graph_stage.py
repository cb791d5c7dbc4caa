"""Element in which `assets/graph_page.js` draws a graph, as its data attributes describe."""

from __future__ import annotations

from typing import Any

from dash import html

from components.aria import aria

GRAPH, FLOW, DIFFERENCE, DESIGN = "graph", "flow", "difference", "design"
"""Kinds of drawings: a compiler's graph, the control flow of a program, two graphs laid over each
other, or the locks and flows of a design.
"""


def graph_stage(stage_id: str, label: str, kind: str = GRAPH, **fields: str) -> html.Div:
    """Build the empty element with the id `stage_id` in which the browser draws a graph.

    `fields` are its data attributes: `source` is the address of the graph's data, `state` holds the
    selected, found and folded nodes. `label` is its name for screen readers, `kind` one of
    the kinds above.
    """
    data: dict[str, Any] = {
        f"data-{kind}": "",
        **{f"data-{name}": text for name, text in fields.items()},
    }
    return html.Div(
        id=stage_id,
        className="ts-graph-stage",
        tabIndex=0,
        role="application",
        **data,
        **aria(label=label),
    )
