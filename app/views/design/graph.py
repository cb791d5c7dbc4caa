"""Graph of the cores, DMA channels and locks of a design."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pandas as pd
from dash import html

from analysis.aie.design.lock_graph import MAX_NODES
from app.views.design.place import design_of, selected_tile
from app.views.design.tile_memory import FOLD
from app.views.design.words import lock_caption
from app.views.state import RunState
from app.views.text_tables import Table, rows_tables
from app.views.view import ContentView, Part, Width
from components.caption import Caption, joined_captions
from components.design.captions import graph_caption
from components.program.graph_stage import DESIGN, graph_stage
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.design_graph import waited_locks

STAGE = "design-graph-stage"
_LABEL = "locks and flows of the design: arrow keys move along edges, plus and minus zoom, slash searches"
_NO_GRAPH = "The design has no lock, flow or objectfifo."


def graph_part(data: RunData, state: RunState) -> Part:
    """Lay out the canvas for the graph, whose data the browser requests; a sentence without an
    edge.
    """
    design = design_of(data)
    if not design.graph.nodes:
        return Part(html.P(_NO_GRAPH, className="ts-panel-hint"), "")
    stage = graph_stage(STAGE, _LABEL, DESIGN, **_picture_source(data, state))
    return Part(stage, _caption(data, state))


def _caption(data: RunData, state: RunState) -> str:
    design = design_of(data)
    counted = Caption(graph_caption(design.graph))
    tile = selected_tile(data, state)
    return joined_captions(counted, lock_caption(design, tile) if tile in design.cores else "")


def graph_key(data: RunData, _state: RunState) -> str:
    """Return a text that changes when the picture appears or disappears."""
    return DESIGN if design_of(data).graph.nodes else ""


def graph_moved(data: RunData, state: RunState) -> Mapping[str, dict[str, Any]]:
    """Return the properties that change while the picture stays: its data source and the selected
    tile; empty without a picture.
    """
    if not graph_key(data, state):
        return {}
    return {STAGE: {f"data-{name}": text for name, text in _picture_source(data, state).items()}}


def graph_state(data: RunData, state: RunState) -> str:
    """Return the JSON that selects a tile in the picture: node (its core, else its first node, null
    without a selection) and tile.
    """
    tile = selected_tile(data, state)
    nodes = design_of(data).graph.nodes
    ranks = [rank for rank, node in enumerate(nodes) if node.tile == tile]
    # Nodes of a core come before its channels and locks, as the page names a tile by its core.
    first = min(ranks, key=lambda rank: nodes[rank].kind != "core", default=None)
    return json.dumps({"node": first, "tile": tile}, separators=(",", ":"))


def _picture_source(data: RunData, state: RunState) -> dict[str, str]:
    return {
        "source": f"/graph/{quote(data.run_id)}/design",
        "state": graph_state(data, state),
    }


def graph_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table of the edges, and of the cycles that cores wait for a lock."""
    design = design_of(data)
    nodes = design.graph.nodes
    names = [f"{node.tile} {node.name}" if node.name != node.tile else node.tile for node in nodes]
    rows = [(names[source], way, names[target]) for source, target, way in design.graph.edges]
    edges = pd.DataFrame(rows, columns=["from", "edge", "to"], dtype="str")
    waits = [
        (core, f"{tile} {lock}".strip(), cycles)
        for (tile, lock), cores in waited_locks(design).items()
        for core, cycles in cores.items()
    ]
    waited = pd.DataFrame(waits, columns=["core", "waits for", "cycles"])
    return [
        *rows_tables("locks and flows of the design", edges),
        *rows_tables("waited locks", waited),
    ]


GRAPH_OF_CAPTURE = ContentView(
    id="designgraph",
    title="Locks and flows",
    help="Cores, DMA channels and locks of the design: a giver points to the lock, the lock to the core or channel that "
    "takes it, a channel to the channel that it feeds. The lock that a core waits for most is red. The wheel zooms, "
    f"dragging moves, a click selects the tile in all views. At most {MAX_NODES} nodes are drawn.",
    needs=frozenset({Capability.DESIGN, Capability.TIMELINE}),
    group="design",
    fold=FOLD,
    width=Width.FULL,
    make=graph_part,
    key=graph_key,
    moved=graph_moved,
    tables=graph_tables,
)
GRAPH_OF_DESIGN = replace(
    GRAPH_OF_CAPTURE,
    needs=frozenset({Capability.DESIGN, Capability.MEMORY}),
    fold="",
    width=Width.WIDE,
)
"""The graph of a run that is only a design, whose page begins with it."""
