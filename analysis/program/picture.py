"""What of a state a picture shows: hidden or folded nodes left out, of a large graph the part around the change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.program.rules import MOVEMENT
from analysis.program.state import State

MOST_SHOWN = 30_000
"""Nodes above which a picture is the part around the change; no graph of a real capture has as many."""
STEPS_AROUND = 2


@dataclass(frozen=True)
class Folding:
    """What is left out on request: `constants` is False where they are shown, `movement`: shapes are passed over."""

    constants: bool = True
    movement: bool = False


@dataclass(frozen=True)
class Edge:
    """An edge of a picture: operand, user, the first port of the user that takes it, and how many do."""

    operand: int
    user: int
    port: int
    ports: int = 1


@dataclass(frozen=True)
class GraphPicture:
    """Nodes of a picture, operands first, and its edges, one for each two nodes; `total` counts all that the
    folding leaves, `around` says that only the part around a node or a change is there.
    """

    nodes: Sequence[int]
    edges: Sequence[Edge]
    total: int
    around: bool


def build_picture(state: State, folding: Folding, focus: Collection[int], *, around: bool = False) -> GraphPicture:
    """Return what a picture of a state shows: all, or where that is asked for or too much, what is `around` nodes.

    `focus` are these nodes: the change, or what was selected; without one it is the root.
    """
    left = _nodes_left(state, folding)
    sources = _sources(state, left)
    near = around or len(left) > MOST_SHOWN
    kept = _around(sources, [node for node in focus if node in left] or [state.root]) if near else left
    nodes = [node for node in state.order if node in kept]
    edges = [
        Edge(source, node, min(ports), len(ports))
        for node in nodes
        for source, ports in sources[node].items()
        if source in kept
    ]
    return GraphPicture(nodes, edges, len(left), near and len(nodes) < len(left))


def _nodes_left(state: State, folding: Folding) -> set[int]:
    """Return the nodes that the folding leaves."""
    hidden = state.hidden_nodes if folding.constants else frozenset[int]()
    return {node for node in state.order if node not in hidden and not (folding.movement and _is_passed(state, node))}


def _is_passed(state: State, node: int) -> bool:
    return node != state.root and state.nodes.operations[node] in MOVEMENT


def _sources(state: State, left: Collection[int]) -> dict[int, dict[int, list[int]]]:
    """Return node -> the nodes of the picture that it uses and by which ports, through movements that are passed."""
    found: dict[int, dict[int, list[int]]] = {}
    through: dict[int, list[int]] = {}
    for node in state.order:
        below: dict[int, list[int]] = {}
        for port, source in enumerate(state.nodes.sources[node]):
            for reached in [source] if source in left else through[source]:
                below.setdefault(reached, []).append(port)
        if node in left:
            found[node] = below
        through[node] = [*below] if _is_passed(state, node) else []
    return found


def _around(sources: Mapping[int, Collection[int]], focus: Iterable[int]) -> set[int]:
    """Return the nodes at most STEPS_AROUND edges away from `focus`, at most MOST_SHOWN of them."""
    users: dict[int, list[int]] = {}
    for node, below in sources.items():
        for source in below:
            users.setdefault(source, []).append(node)
    found = dict.fromkeys(list(focus)[:MOST_SHOWN])
    edge = list(found)
    for _ in range(STEPS_AROUND):
        new = [near for node in edge for near in (*sources.get(node, ()), *users.get(node, ())) if near not in found]
        edge = list(dict.fromkeys(new))[: MOST_SHOWN - len(found)]
        found |= dict.fromkeys(edge)
    return set(found)
