"""Selects the part of a state that a picture shows: without hidden or folded nodes; for large
graphs, the part around the change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.program.rules import MOVEMENT
from analysis.program.state import State

MAX_SHOWN = 30_000
"""Maximum number of nodes of a complete picture; graphs of real captures have fewer."""
STEPS_AROUND = 2
"""Maximum distance in edges from the focus, if only a part is shown."""


@dataclass(frozen=True)
class Folding:
    """Options of what a picture leaves out: constants (`constants`), and nodes that only change
    shapes (`movement`).
    """

    constants: bool = True
    movement: bool = False


@dataclass(frozen=True)
class Edge:
    """Edge of a picture: operand, user, first port at which the user takes the operand, and number
    of these ports.
    """

    operand: int
    user: int
    port: int
    ports: int = 1


@dataclass(frozen=True)
class GraphPicture:
    """Nodes of a picture, operands first, and its edges, at most one per pair of nodes.

    `total` counts all nodes that the folding leaves. `around` is true if only the part around a
    node or a change is shown.
    """

    nodes: Sequence[int]
    edges: Sequence[Edge]
    total: int
    around: bool


def build_picture(
    state: State, folding: Folding, focus: Collection[int], *, around: bool = False
) -> GraphPicture:
    """Select the nodes and edges of a state's picture.

    If `around` is requested or more than MAX_SHOWN (30,000) nodes remain, only the part within two
    edges of `focus` is shown: the changed or selected nodes; the root if they do not remain.
    """
    remaining = _nodes_left(state, folding)
    sources = _sources(state, remaining)
    near = around or len(remaining) > MAX_SHOWN
    shown = (
        _around(sources, [node for node in focus if node in remaining] or [state.root])
        if near
        else remaining
    )
    nodes = [node for node in state.order if node in shown]
    edges = [
        Edge(source, node, min(ports), len(ports))
        for node in nodes
        for source, ports in sources[node].items()
        if source in shown
    ]
    return GraphPicture(nodes, edges, len(remaining), near and len(nodes) < len(remaining))


def _nodes_left(state: State, folding: Folding) -> set[int]:
    """Return the set of nodes that remain after folding; the root always remains unless it is
    hidden.
    """
    hidden = state.hidden_nodes if folding.constants else frozenset[int]()
    return {
        node
        for node in state.order
        if node not in hidden and not (folding.movement and _is_passed(state, node))
    }


def _is_passed(state: State, node: int) -> bool:
    return node != state.root and state.nodes.operations[node] in MOVEMENT


def _sources(state: State, left: Collection[int]) -> dict[int, dict[int, list[int]]]:
    """Map each remaining node to a dict of its operands and the ports at which it takes each;
    movements that are left out are skipped to the node below.
    """
    operands: dict[int, dict[int, list[int]]] = {}
    through: dict[int, list[int]] = {}
    for node in state.order:
        below: dict[int, list[int]] = {}
        for port, source in enumerate(state.nodes.sources[node]):
            # A movement that is left out is replaced by the node below it.
            for reached in [source] if source in left else through[source]:
                below.setdefault(reached, []).append(port)
        if node in left:
            operands[node] = below
        through[node] = [*below] if _is_passed(state, node) else []
    return operands


def _around(sources: Mapping[int, Collection[int]], focus: Iterable[int]) -> set[int]:
    """Return the set of nodes at most STEPS_AROUND (2) edges away from `focus`, these included, at
    most MAX_SHOWN (30,000) nodes.
    """
    users: dict[int, list[int]] = {}
    for node, below in sources.items():
        for source in below:
            users.setdefault(source, []).append(node)
    reached = dict.fromkeys(list(focus)[:MAX_SHOWN])
    edge = list(reached)
    for _ in range(STEPS_AROUND):
        near: dict[int, None] = {}
        for node in edge:
            near |= dict.fromkeys((*sources.get(node, ()), *users.get(node, ())))
        edge = [node for node in near if node not in reached][: MAX_SHOWN - len(reached)]
        reached |= dict.fromkeys(edge)
    return set(reached)
