"""Layers of the nodes of a graph, from operands to what uses them, and the order within each.

Layers by longest path to the end, order within a layer by the mean place of neighbours in sweeps to and fro (Sugiyama's
method with barycentres). It takes tenths of a second for tens of thousands of nodes, where layouts that also route
edges take minutes.
"""

from __future__ import annotations

import numpy as np

from schema.array_types import Floats, Ints

SWEEPS = 8


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
