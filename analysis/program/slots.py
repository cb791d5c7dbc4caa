"""Slots of a picture: places in layers for its nodes, and in small graphs for long edges that pass
between nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from analysis.program.nodes import NONE
from schema.array_types import Floats, Ints

_MAX_PASSED = 40_000
"""Maximum number of slots for long edges; if more are needed, edges are straight."""
_SWEEPS, _ROUTED_SWEEPS = 8, 24
"""Number of sweeps without and with slots for long edges."""


def assign_layers(count: int, pairs: Ints) -> Ints:
    """Compute the layer of each of `count` nodes, from 0, the last layer being that of nodes
    without users: as close to its users as all of them permit.

    `pairs` has a row (operand, user) per edge; nodes are sorted, operands first.
    """
    users: list[list[int]] = [[] for _ in range(count)]
    for source, user in pairs.tolist():
        users[source].append(user)
    depth = [0] * count
    for node in range(count - 1, -1, -1):
        if users[node]:
            depth[node] = 1 + max(depth[user] for user in users[node])
    depths = np.array(depth, np.int64)
    return np.asarray(depths.max() - depths, np.int64)


def order_layers(layer: Ints, pairs: Ints, first: Floats, sweeps: int = _SWEEPS) -> Floats:
    """Compute the rank (from 0) of each node in its layer by sweeps in alternating directions that
    move nodes towards their neighbours, starting from the order of `first`. `pairs` has a row
    (operand, user) per edge.
    """
    rank = _rank_nodes(layer, first)
    ways = (pairs[:, 0], pairs[:, 1]), (pairs[:, 1], pairs[:, 0])
    size = np.bincount(layer)[layer]
    for sweep in range(sweeps):
        senders, receivers = ways[sweep % 2]
        count = np.bincount(receivers, minlength=len(layer))
        # Positions are relative to the middle of a layer, so that short layers are centred.
        middle = rank - (size - 1) / 2
        total = np.bincount(receivers, weights=middle[senders], minlength=len(layer))
        wanted = np.where(count > 0, total / np.maximum(count, 1), middle)
        rank = _rank_nodes(layer, wanted)
    return rank


def _rank_nodes(layer: Ints, wanted: Floats) -> Floats:
    """Rank the nodes of each layer, from 0, by their wanted positions; nodes with equal positions
    keep their order.
    """
    order = np.lexsort((wanted, layer))
    begins = np.concatenate(([0], np.cumsum(np.bincount(layer))[:-1]))
    rank = np.empty(len(layer), np.float64)
    rank[order] = np.arange(len(layer)) - begins[layer[order]]
    return rank


@dataclass(frozen=True)
class Slots:
    """Slots by layer and rank: `nodes` has the node in each slot, NONE if an edge passes; `layers`
    the number of slots per layer.

    `passed` maps an operand to the slots that its edges pass, in the order of layers, which all of
    its users share. `links` are pairs of slots that edges join, the operand's side first.
    """

    nodes: Sequence[int]
    layers: Sequence[int]
    passed: Mapping[int, Sequence[int]]
    links: Sequence[tuple[int, int]]


def compute_slots(nodes: Sequence[int], edges: Sequence[tuple[int, int]], *, routed: bool) -> Slots:
    """Compute the slots for `nodes` (operands before users) and `edges` (operand, user); without
    nodes there are no slots.

    If `routed`, long edges get slots, unless these were more than 40,000. An edge against the order
    of the nodes is ignored. Equal input gives equal slots.
    """
    if not nodes:
        return Slots([], [], {}, [])
    rank = {node: place for place, node in enumerate(nodes)}
    pairs = np.array([(rank[a], rank[b]) for a, b in edges if rank[a] < rank[b]], np.int64).reshape(
        -1, 2
    )
    layer = assign_layers(len(nodes), pairs)
    joined, chains, begins = _chains(layer.tolist(), pairs.tolist()) if routed else ([], {}, [])
    if not chains:
        joined = [(a, b) for a, b in pairs.tolist()]
    every = np.concatenate([layer, np.array([own for own, _ in begins], np.int64)])
    first = np.concatenate(
        [np.arange(len(nodes)), np.array([begin for _, begin in begins], np.int64)]
    )
    links = np.array(joined, np.int64).reshape(-1, 2)
    sweeps = _ROUTED_SWEEPS if chains else _SWEEPS
    order = np.lexsort((order_layers(every, links, first.astype(np.float64), sweeps), every))
    slot = np.empty(len(every), np.int64)
    slot[order] = np.arange(len(every))
    return Slots(
        [nodes[place] if place < len(nodes) else NONE for place in order.tolist()],
        np.bincount(every).tolist(),
        {nodes[place]: slot[chain].tolist() for place, chain in chains.items()},
        [(a, b) for a, b in slot[links].tolist()],
    )


def _chains(
    layer: Sequence[int], pairs: Sequence[Sequence[int]]
) -> tuple[list[tuple[int, int]], dict[int, list[int]], list[tuple[int, int]]]:
    """Split edges into links between adjacent layers; all results are empty if they need more than
    40,000 slots.

    Three results: the links (pairs of places, operand's side first); for each operand the list of
    slots on its long edges, numbered after the nodes; and (layer, operand) of each of these slots.
    """
    farthest: dict[int, int] = {}
    for source, user in pairs:
        farthest[source] = max(farthest.get(source, 0), layer[user] - layer[source])
    count = sum(most - 1 for most in farthest.values())
    # Too many slots would make the sweeps slow: long edges run straight then.
    if count > _MAX_PASSED:
        return [], {}, []
    chains: dict[int, list[int]] = {}
    begins: list[tuple[int, int]] = []
    joined: dict[tuple[int, int], None] = {}
    # All long edges of an operand share a chain of slots up to its farthest user.
    for source, most in farthest.items():
        chains[source] = [len(layer) + len(begins) + step for step in range(most - 1)]
        begins += [(layer[source] + step + 1, source) for step in range(most - 1)]
        whole = [source, *chains[source]]
        joined |= dict.fromkeys(pairwise(whole))
    for source, user in pairs:
        whole = [source, *chains[source]]
        joined[whole[layer[user] - layer[source] - 1], user] = None
    return [*joined], chains, begins
