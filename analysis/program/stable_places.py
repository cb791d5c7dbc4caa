"""Places that nodes keep from state to state: those of all graphs of some neighbouring states laid over each other."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.program.layout import Places, places_of
from analysis.program.loops import walk_blocks
from analysis.program.picture import GraphPicture
from analysis.program.state import State

SPAN = 16
"""States that share places; beyond, what came and went would leave more holes than nodes."""
MOST_NODES = 1_000
"""Nodes of a picture up to which places are shared: each of the states is laid out again with every one of them."""


def neighbours(match: int, matches: int) -> range:
    """Return the states that share places with the one after `match`."""
    begin = match // SPAN * SPAN
    return range(begin, min(begin + SPAN, matches + 1))


def stable_places(pictures: Sequence[tuple[State, GraphPicture]], state: State, picture: GraphPicture) -> Places:
    """Return places for a picture among those of its neighbours: a node has one place by its name.

    Two states may have an edge in opposite directions between nodes of the same names: one of them has no say then.
    """
    names: dict[int, None] = {}
    edges: dict[tuple[int, int], None] = {}
    for other, drawn in pictures:
        names |= {other.names[node]: None for node in drawn.nodes}
        edges |= {(other.names[source], other.names[user]): None for source, user in drawn.edges}
    order, _ = walk_blocks([*names], [*edges])
    places = places_of(order, [*edges])
    x = {node: places.x[state.names[node]] for node in picture.nodes}
    y = {node: places.y[state.names[node]] for node in picture.nodes}
    return Places(x, y, places.layers, places.widest)
