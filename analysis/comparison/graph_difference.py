"""Two graphs laid over each other: what both have, what the base alone has, what the new one made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from analysis.comparison.line_pairs import MOST_LINES, LinePair
from analysis.program.columns import graph_columns
from analysis.program.picture import Folding, build_picture
from analysis.program.replay import StateChange
from analysis.program.stable_places import Drawn
from analysis.program.state import State

MOST_NODES = MOST_LINES
"""Nodes of a graph that is laid over another one: as many as lines are paired."""


def difference_columns(base: State, new: State, pairs: list[LinePair]) -> dict[str, Any]:
    """Return the columns of the new graph, in which what the base alone has is removed.

    `pairs` are the lines of `program_lines.graph_lines` of both against each other. Nodes of the base that are paired
    have the new one's names.
    """
    same = _same_nodes(base, new, pairs)
    made = frozenset(new.order) - frozenset(same.values())
    first = 1 + max(new.names.values(), default=0)
    names = {node: new.names[same[node]] if node in same else first + rank for rank, node in enumerate(base.order)}
    shown = replace(new, change=StateChange(made, made, frozenset()))
    return graph_columns(_whole(shown), _whole(replace(base, renamed=names)), [])


def _same_nodes(base: State, new: State, pairs: list[LinePair]) -> Mapping[int, int]:
    """Return node of the base -> the node of the new graph that it is paired with."""
    found: dict[int, int] = {}
    at = [0, 0]
    for pair in pairs:
        if pair.is_same:
            found[base.order[at[0]]] = new.order[at[1]]
        at[0] += pair.base is not None
        at[1] += pair.new is not None
    return found


def _whole(state: State) -> Drawn:
    return state, build_picture(state, Folding(), ())
