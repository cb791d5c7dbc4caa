"""What of a state a picture shows: hidden or folded nodes left out, of a large graph the part around the change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.program.rules import MOVEMENT
from analysis.program.state import State

MOST_SHOWN = 3000
"""Nodes above which a picture begins with the part around the change."""
STEPS_AROUND = 2
WHOLE, AROUND = "whole", "around"


@dataclass(frozen=True)
class Folding:
    """What is left out on request: `constants` is False where they are shown, `movement`: shapes are passed over;
    nodes that only `below` (names of nodes) need are left out.
    """

    constants: bool = True
    movement: bool = False
    below: frozenset[int] = frozenset()


@dataclass(frozen=True)
class GraphPicture:
    """Nodes of a picture, operands first, and its edges (operand, user), each once; `total` counts all that the
    folding leaves, `around` says that only the part around a node or a change is there.
    """

    nodes: Sequence[int]
    edges: Sequence[tuple[int, int]]
    total: int
    around: bool


def build_picture(state: State, folding: Folding, extent: str, focus: Collection[int]) -> GraphPicture:
    """Return what a picture of a state shows; `extent` is WHOLE, AROUND or empty: by the graph's size.

    `focus` are the nodes that the part is around: the change, or what was selected; without one it is the root.
    """
    left = _nodes_left(state, folding)
    sources = _sources(state, left)
    near = extent == AROUND or (extent != WHOLE and len(left) > MOST_SHOWN)
    kept = _around(sources, [node for node in focus if node in left] or [state.root]) if near else left
    nodes = [node for node in state.order if node in kept]
    edges = [(source, node) for node in nodes for source in sources[node] if source in kept]
    return GraphPicture(nodes, edges, len(left), near and len(nodes) < len(left))


def _nodes_left(state: State, folding: Folding) -> set[int]:
    """Return the nodes that the folding leaves: those that the root needs without what is folded away."""
    every = state.nodes.sources
    below = {node for node, name in state.names.items() if name in folding.below}
    found, waiting = {state.root}, [state.root]
    while waiting:
        node = waiting.pop()
        for source in () if node in below else every[node]:
            if source not in found:
                found.add(source)
                waiting.append(source)
    hidden = state.hidden_nodes if folding.constants else frozenset[int]()
    passed = {node for node in found if folding.movement and _is_passed(state, node)}
    return found - hidden - passed


def _is_passed(state: State, node: int) -> bool:
    return node != state.root and state.nodes.operations[node] in MOVEMENT


def _sources(state: State, left: Collection[int]) -> dict[int, list[int]]:
    """Return node -> the nodes of the picture that it uses, through movements that are passed over."""
    found: dict[int, list[int]] = {}
    through: dict[int, list[int]] = {}
    for node in state.order:
        below: dict[int, None] = {}
        for source in state.nodes.sources[node]:
            below |= dict.fromkeys([source] if source in left else through[source])
        if node in left:
            found[node] = list(below)
        through[node] = list(below) if _is_passed(state, node) else []
    return found


def _around(sources: Mapping[int, Sequence[int]], focus: Iterable[int]) -> set[int]:
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
