"""Slots that nodes keep across states: the layout of the union of the graphs of several
neighbouring states.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.program.loops import walk_blocks
from analysis.program.picture import GraphPicture
from analysis.program.slots import Slots, compute_slots
from analysis.program.state import State

SPAN = 16
"""Number of states that share slots; with more, nodes of other states would leave more holes than
there are nodes.
"""
MAX_NODES = 1_000
"""Maximum number of nodes of a picture with shared slots: the union of all these states is laid out
for each.
"""
MAX_ROUTED = 600
"""Maximum number of nodes of a picture in which long edges pass between the nodes."""

Drawn = tuple[State, GraphPicture]
"""State with its picture."""


def neighbours(match: int, matches: int) -> range:
    """Return the numbers of the states, at most SPAN (16), that share slots with the state after
    match number `match` of `matches`; that state is among them.
    """
    begin = match // SPAN * SPAN
    return range(begin, min(begin + SPAN, matches + 1))


def stable_slots(pictures: Sequence[Drawn], *, routed: bool) -> Slots:
    """Compute slots for the nodes of all pictures by name: a node has the same slot in each
    picture.

    If `routed`, long edges get slots. If two states have opposite edges between nodes of the same
    names, either edge is ignored.
    """
    names: dict[int, None] = {}
    edges: dict[tuple[int, int], None] = {}
    for state, drawn in pictures:
        names |= {state.names[node]: None for node in drawn.nodes}
        edges |= {(state.names[edge.operand], state.names[edge.user]): None for edge in drawn.edges}
    order = [*names] if len(pictures) == 1 else walk_blocks([*names], [*edges])[0]
    return compute_slots(order, [*edges], routed=routed)
