"""Nodes of a capture's graphs: operation, type, operands, argument and tag; equal nodes are stored
once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

Key = tuple[str, str, tuple[int, ...], int, int]
"""Operation, type, operands, argument and tag of a node."""
NONE = -1
"""Number that means no node and no context."""
_WIDE = 10
"""Number of operands that take as much memory as another node."""
_COPIED = 30
"""Number of nodes of a capture whose copied columns take as much memory as a new node."""


@dataclass(frozen=True)
class Nodes:
    """Columns with an element per node; the operands of a node come before it.

    `arguments` and `tags` are numbers that are equal for equal values; their texts are in
    `argument_texts` and `tag_texts`. `sources` are the operands in the order of their ports.
    `bodies` is the node in a kernel's argument, `contexts` the context that a node represents; NONE
    if there is none.
    """

    operations: list[str]
    dtypes: list[str]
    sources: list[tuple[int, ...]]
    arguments: list[int]
    tags: list[int]
    argument_texts: list[str]
    tag_texts: list[str]
    bodies: list[int]
    contexts: list[int]

    @classmethod
    def of(cls, nodes: pd.DataFrame, edges: pd.DataFrame) -> Nodes:
        """Build the nodes from frames `graph_nodes` and `graph_edges`; node i is row i.

        Raises ValueError if an edge does not lead from a node to a later node: walks over the graph
        would not end.
        """
        return cls(
            _texts(nodes["op"]),
            _texts(nodes["dtype"]),
            _sources(edges, len(nodes)),
            nodes["argument"].tolist(),
            nodes["tag"].tolist(),
            _texts(nodes["argument_text"]),
            _texts(nodes["tag_text"]),
            nodes["body"].fillna(NONE).astype("int64").tolist(),
            nodes["context"].fillna(NONE).astype("int64").tolist(),
        )

    def __len__(self) -> int:
        return len(self.sources)

    @cached_property
    def node_by_key(self) -> dict[Key, int]:
        """Map (operation, type, operands, argument number, tag number) of each node to
        its number.
        """
        keys = zip(
            self.operations, self.dtypes, self.sources, self.arguments, self.tags, strict=True
        )
        return dict(zip(keys, range(len(self)), strict=True))


def _texts(column: pd.Series) -> list[str]:
    """Convert a categorical column to a list of texts, "" for null; equal rows share a string
    object.
    """
    names = [str(name) for name in column.cat.categories]
    return [names[code] if code >= 0 else "" for code in column.cat.codes.tolist()]


def _sources(edges: pd.DataFrame, count: int) -> list[tuple[int, ...]]:
    """List the operands of each of `count` nodes as a tuple in the order of ports; edges are sorted
    by node and port. Raises ValueError if an edge is damaged.
    """
    users = edges["node"].to_numpy()
    sources = edges["source"].to_numpy()
    sound = (np.diff(users, prepend=0) >= 0) & (users < count) & (sources >= 0) & (sources < users)
    if not sound.all():
        raise ValueError(
            f"the stored graphs are damaged: edge {sound.argmin()} does not lead from a node to a later one"
        )
    flat = sources.tolist()
    ends = np.cumsum(np.bincount(users, minlength=count)).tolist()
    begins = [0, *ends[:-1]] if ends else []
    return [tuple(flat[begin:end]) for begin, end in zip(begins, ends, strict=True)]


class WorkingNodes:
    """Nodes of a capture, and the nodes that rewriting creates, numbered after them.

    `made` counts created nodes; a node with many operands counts several times. `shapes` caches
    inferred shapes, which all states share. The columns that walks over a graph read are copies of
    the capture's columns; other values are stored for created nodes only.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._base = nodes
        self._made: dict[Key, int] = {}
        self.made = 0
        self.operations = nodes.operations.copy()
        self.dtypes = nodes.dtypes.copy()
        self.sources = nodes.sources.copy()
        self.shapes: dict[int, Any] = {}
        self._likes: dict[int, int] = {}
        self._origins: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def weight(self) -> int:
        """Memory of this object, as the number of created nodes that would take as much: the
        created nodes and 1/30 of the capture's.
        """
        return self.made + len(self._base) // _COPIED

    def rebuild(self, node: int, dtype: str, sources: tuple[int, ...]) -> int:
        """Find or create the copy of `node` with these operands and this type, and return its
        number; it keeps operation, argument, tag and origin.
        """
        return self.restore(self.like(node), self.origin(node), dtype, sources)

    def restore(self, like: int, origin: int, dtype: str, sources: tuple[int, ...]) -> int:
        """Find or create the copy of `like`, a node of the capture, with these operands and this
        type, and return its number.

        If the node is created, `origin` is recorded as the node that it derives from.
        """
        key = (
            self.operations[like],
            dtype,
            sources,
            self._base.arguments[like],
            self._base.tags[like],
        )
        node = self._base.node_by_key.get(key)
        if node is None:
            node = self._made.setdefault(key, len(self.sources))
        if node == len(self.sources):
            self.operations.append(key[0])
            self.dtypes.append(dtype)
            self.sources.append(sources)
            self._likes[node] = like
            self._origins[node] = origin
            # A node with many operands takes as much memory as several nodes.
            self.made += 1 + len(sources) // _WIDE
        return node

    @property
    def of_capture(self) -> int:
        """Number of nodes in the capture; nodes from this number on were created by rewriting."""
        return len(self._base)

    def origin(self, node: int) -> int:
        """Return the node at the beginning of a chain of rebuilt nodes, which users regard as the
        same node; the node itself if it was not rebuilt.
        """
        return self._origins.get(node, node)

    def like(self, node: int) -> int:
        """Return the node of the capture that has the argument and tag of this node; the node
        itself if it is of the capture.
        """
        return self._likes.get(node, node)

    def argument_text(self, node: int) -> str:
        """Text of a node's argument, "" if it is missing."""
        return self._base.argument_texts[self.like(node)]

    def tag_text(self, node: int) -> str:
        """Text of a node's tag, "" if it is missing."""
        return self._base.tag_texts[self.like(node)]

    def body(self, node: int) -> int:
        """Return the node in the argument of a kernel node, NONE (-1) for nodes without any."""
        return self._base.bodies[self.like(node)]

    def context(self, node: int) -> int:
        """Return the number of the context that a node of the capture represents; NONE (-1) for
        other nodes and for created nodes.
        """
        return self._base.contexts[node] if node < len(self._base) else NONE
