"""Graph of a design as columns for the graph renderer, from top to bottom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.aie.design.lock_graph import (
    CORE,
    FEEDS,
    FIFO,
    GIVES,
    LOCK,
    TAKES,
    GraphNode,
    LockGraph,
)
from analysis.program.flow import box_columns
from analysis.program.loops import walk_blocks
from analysis.program.nodes import NONE
from analysis.program.slots import compute_slots
from schema.plurals import plural

WAITED = "waited lock"
"""Kind of the lock or objectfifo with the most waited cycles of a core; drawn in red."""
WAITS = "waits"
"""Kind of the edge from such a lock to the core that waits."""
WAYS = (TAKES, GIVES, FEEDS, WAITS)
"""Kinds of edges; the port of an edge is the index of its kind."""
_BOX_LINES, _BOX_WIDTH = 4, 34
Waits = Mapping[tuple[str, str], Mapping[str, int]]
"""Tile and name of a lock -> core -> cycles that the core waits for it."""


def design_columns(graph: LockGraph, waits: Waits, stalls: Mapping[str, int]) -> dict[str, Any]:
    """Build a dict of columns in the format of `analysis.program.flow.flow_columns`.

    `waits` are the locks that a core waits most for, `stalls` the lock stalls of the traced cores
    in cycles. The name of a node is its rank; `tiles` has the tile of each node.
    """
    pairs = [(source, target) for source, target, _ in graph.edges]
    order = walk_blocks(range(len(graph.nodes)), pairs)[0]
    at = {node: rank for rank, node in enumerate(order)}
    nodes = [graph.nodes[node] for node in order]
    slots = compute_slots(order, pairs, routed=True)
    labels = {node: _label(graph.nodes[node], waits, stalls) for node in order}
    sizes = [(0, 0) if node == NONE else _size(labels[node]) for node in slots.nodes]
    return box_columns(order, slots, sizes, [_kind(node, waits) for node in nodes]) | {
        "noun": "nodes",
        "ways": [*WAYS],
        "box": [_BOX_LINES, _BOX_WIDTH],
        "root": order[0] if order else NONE,
        "total": len(nodes) + graph.left_out,
        "around": graph.left_out > 0,
        "tiles": [node.tile for node in nodes],
        "label": ["\n".join(labels[node]) for node in order],
        "cards": [["\n".join(labels[node])] * len(labels[node]) for node in order],
        "edges": [
            number
            for source, target, way in graph.edges
            for number in (at[source], at[target], _port(graph, source, target, way, waits), 1)
        ],
    }


def _waiting(node: GraphNode, waits: Waits) -> Mapping[str, int]:
    """Map each core that waits longest for this lock or objectfifo to its cycles; empty for cores
    and channels.
    """
    if node.kind not in (LOCK, FIFO):
        return {}
    # A core that requests an objectfifo names no tile.
    return waits.get((node.tile if node.kind == LOCK else "", node.name), {})


def _kind(node: GraphNode, waits: Waits) -> str:
    return WAITED if _waiting(node, waits) else node.kind


def _label(node: GraphNode, waits: Waits, stalls: Mapping[str, int]) -> list[str]:
    lines = [node.name, *([node.detail] if node.detail else [])]
    if node.kind == CORE and node.tile in stalls:
        lines.append(f"lock stall {plural(stalls[node.tile], 'cycle')}")
    waiting = _waiting(node, waits).items()
    return [*lines, *(f"{core} waits {plural(cycles, 'cycle')}" for core, cycles in waiting)]


def _size(lines: list[str]) -> tuple[int, int]:
    return min(max(map(len, lines)), _BOX_WIDTH), min(len(lines), _BOX_LINES)


def _port(graph: LockGraph, source: int, target: int, way: str, waits: Waits) -> int:
    taker = graph.nodes[target]
    is_waited = taker.kind == CORE and taker.tile in _waiting(graph.nodes[source], waits)
    return WAYS.index(WAITS if is_waited else way)
