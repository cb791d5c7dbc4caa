"""Slots that nodes keep from state to state: those of all graphs of some neighbouring states laid over each other."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.program.loops import walk_blocks
from analysis.program.picture import GraphPicture
from analysis.program.slots import Slots, slots_of
from analysis.program.state import State

SPAN = 16
"""States that share slots; beyond, what came and went would leave more holes than nodes."""
MOST_NODES = 1_000
"""Nodes of a picture up to which slots are shared: each of the states is laid out again with every one of them."""
MOST_ROUTED = 600
"""Nodes of a picture up to which its long edges pass between the nodes."""

Drawn = tuple[State, GraphPicture]
"""A state with its picture."""


def neighbours(match: int, matches: int) -> range:
    """Return the states that share slots with the one after `match`."""
    begin = match // SPAN * SPAN
    return range(begin, min(begin + SPAN, matches + 1))


def stable_slots(pictures: Sequence[Drawn], *, routed: bool) -> Slots:
    """Return slots for the nodes of all pictures by their names: in each of them a node has the same one.

    Long edges have slots where they are `routed`.
    Two states may have an edge in opposite directions between nodes of the same names: one of them has no say then.
    """
    names: dict[int, None] = {}
    edges: dict[tuple[int, int], None] = {}
    for state, drawn in pictures:
        names |= {state.names[node]: None for node in drawn.nodes}
        edges |= {(state.names[edge.operand], state.names[edge.user]): None for edge in drawn.edges}
    order = [*names] if len(pictures) == 1 else walk_blocks([*names], [*edges])[0]
    return slots_of(order, [*edges], routed=routed)
