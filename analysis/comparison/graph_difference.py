"""Union of two graphs, which marks the nodes that only the base has, and the nodes that are new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from analysis.comparison.line_pairs import MAX_LINES, LinePair
from analysis.program.columns import graph_columns
from analysis.program.picture import Folding, build_picture
from analysis.program.replay import StateChange
from analysis.program.stable_places import Drawn
from analysis.program.state import State

MAX_NODES = MAX_LINES
"""Maximum number of nodes of a graph in a union, the same as the maximum number of lines that are
paired.
"""


def difference_columns(base: State, new: State, pairs: list[LinePair]) -> dict[str, Any]:
    """Build the columns (name -> values, as of `graph_columns`) of the new graph, with nodes that
    only the base has as removed nodes and nodes that only the new graph has as added.

    `pairs` are the paired lines of `program_lines.graph_lines` for both graphs. Paired nodes of the
    base get the names of their partners.
    """
    same = _same_nodes(base, new, pairs)
    added = frozenset(new.order) - frozenset(same.values())
    # Nodes that only the base has get names after all names of the new graph.
    first = 1 + max(new.names.values(), default=0)
    names = {
        node: new.names[same[node]] if node in same else first + rank
        for rank, node in enumerate(base.order)
    }
    shown = replace(new, change=StateChange(added, added, frozenset()))
    return graph_columns(_whole(shown), _whole(replace(base, renamed=names)), [])


def _same_nodes(base: State, new: State, pairs: list[LinePair]) -> Mapping[int, int]:
    """Map each node of the base whose line is equal in both graphs to its partner in the new graph;
    other nodes are missing.
    """
    partners: dict[int, int] = {}
    at = [0, 0]
    for pair in pairs:
        if pair.is_same:
            partners[base.order[at[0]]] = new.order[at[1]]
        at[0] += pair.base is not None
        at[1] += pair.new is not None
    return partners


def _whole(state: State) -> Drawn:
    return state, build_picture(state, Folding(), ())
