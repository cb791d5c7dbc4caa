"""Places of the nodes of a graph, in layers from operands (left) to what uses them (right).

Layers by longest path to the end, order within a layer by the mean place of neighbours in sweeps to and fro (Sugiyama's
method with barycentres). It takes tenths of a second for tens of thousands of nodes, where layouts that also route
edges take minutes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from schema.array_types import Floats, Ints

SWEEPS = 8


@dataclass(frozen=True)
class Places:
    """Layer (x) and place in it (y, around 0) by node; `layers` counts them, `widest` is the most nodes of one."""

    x: Mapping[int, float]
    y: Mapping[int, float]
    layers: int
    widest: int


def places_of(nodes: Sequence[int], edges: Sequence[tuple[int, int]]) -> Places:
    """Return places for `nodes`, given with operands before what uses them, and `edges` (operand, user) among them.

    The same nodes and edges have the same places; an edge against the order of the nodes has no say.
    """
    if not nodes:
        return Places({}, {}, 0, 0)
    rank = {node: place for place, node in enumerate(nodes)}
    pairs = np.array([(rank[a], rank[b]) for a, b in edges if rank[a] < rank[b]], np.int64).reshape(-1, 2)
    layer = layers_of(len(nodes), pairs)
    order = order_layers(layer, pairs, np.arange(len(layer), dtype=np.float64))
    counts = np.bincount(layer)
    y = order - (counts[layer] - 1) / 2
    x = dict(zip(nodes, layer.astype(float).tolist(), strict=True))
    return Places(x, dict(zip(nodes, y.tolist(), strict=True)), len(counts), int(counts.max()))


def layers_of(count: int, pairs: Ints) -> Ints:
    """Return the layer of each node: as near to what uses it as all of its users let it."""
    users: list[list[int]] = [[] for _ in range(count)]
    for source, user in pairs.tolist():
        users[source].append(user)
    depth = [0] * count
    for node in range(count - 1, -1, -1):
        if users[node]:
            depth[node] = 1 + max(depth[user] for user in users[node])
    found = np.array(depth, np.int64)
    return np.asarray(found.max() - found, np.int64)


def order_layers(layer: Ints, pairs: Ints, first: Floats, sweeps: int = SWEEPS) -> Floats:
    """Return each node's rank in its layer after sweeps to and fro, begun in the order of `first`."""
    rank = _rank_nodes(layer, first)
    ways = (pairs[:, 0], pairs[:, 1]), (pairs[:, 1], pairs[:, 0])
    size = np.bincount(layer)[layer]
    for sweep in range(sweeps):
        given, taken = ways[sweep % 2]
        count = np.bincount(taken, minlength=len(layer))
        middle = rank - (size - 1) / 2
        total = np.bincount(taken, weights=middle[given], minlength=len(layer))
        wanted = np.where(count > 0, total / np.maximum(count, 1), middle)
        rank = _rank_nodes(layer, wanted)
    return rank


def _rank_nodes(layer: Ints, wanted: Floats) -> Floats:
    """Return the rank in its layer that each node has by where it wants to be; equal ones keep their order."""
    order = np.lexsort((wanted, layer))
    begins = np.concatenate(([0], np.cumsum(np.bincount(layer))[:-1]))
    rank = np.empty(len(layer), np.float64)
    rank[order] = np.arange(len(layer)) - begins[layer[order]]
    return rank
