"""Layout of a graph in layers, from operands to users, and the order of the nodes in each layer.

The layer of a node follows from the longest path to the end; the order in a layer from the mean
position of neighbours in alternating sweeps (Sugiyama's method with barycentres). This takes tenths
of a second for tens of thousands of nodes; layouts that also route edges take minutes.
"""

from __future__ import annotations

import numpy as np

from schema.array_types import Floats, Ints

SWEEPS = 8
"""Number of sweeps over the layers."""


def assign_layers(count: int, pairs: Ints) -> Ints:
    """Compute the layer of each node: as close to its users as all of them permit. Nodes are
    sorted, operands first.
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


def order_layers(layer: Ints, pairs: Ints, first: Floats, sweeps: int = SWEEPS) -> Floats:
    """Compute the rank of each node in its layer by sweeps in alternating directions, starting from
    the order of `first`.
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
    """Rank the nodes of each layer by their wanted positions; nodes with equal positions keep their
    order.
    """
    order = np.lexsort((wanted, layer))
    begins = np.concatenate(([0], np.cumsum(np.bincount(layer))[:-1]))
    rank = np.empty(len(layer), np.float64)
    rank[order] = np.arange(len(layer)) - begins[layer[order]]
    return rank
