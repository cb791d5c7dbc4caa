"""Nodes of a capture's graphs: operation, type, operands, argument and tag; equal ones are one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

Key = tuple[str, str, tuple[int, ...], int, int]
NONE = -1
_WIDE = 10
"""Operands that take as much memory as another node."""
_COPIED = 30
"""Nodes of a capture whose copied columns take as much memory as a node that is made."""


@dataclass(frozen=True)
class Nodes:
    """Columns with an element per node, in which the operands of a node come before it.

    `arguments` and `tags` are numbers, equal ones of equal values; their texts are beside them. `sources` are the
    operands in the order of their ports. `bodies` is the node that a kernel's argument holds, `contexts` the context
    that a node stands for, NONE where there is none.
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
        """Return the nodes of frames `graph_nodes` and `graph_edges`.

        Raises ValueError where an edge does not lead from a node to a later one: walks over the graph would not end.
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
        """Return operation, type, operands, argument and tag -> the node."""
        keys = zip(self.operations, self.dtypes, self.sources, self.arguments, self.tags, strict=True)
        return dict(zip(keys, range(len(self)), strict=True))


def _texts(column: pd.Series) -> list[str]:
    """Return a column's texts; each is there once, however many rows have it."""
    names = [str(name) for name in column.cat.categories]
    return [names[code] if code >= 0 else "" for code in column.cat.codes.tolist()]


def _sources(edges: pd.DataFrame, count: int) -> list[tuple[int, ...]]:
    """Return the operands of each node; edges are in the order of nodes and ports."""
    users, sources = edges["node"].to_numpy(), edges["source"].to_numpy()
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
    """The nodes of a capture, and those that rewriting makes of them, numbered on from theirs.

    `made` counts these, one of many operands as several; `shapes` has those that were inferred, which every state
    shares. Columns that walks over a graph look up are copies of the
    capture's; what few ask for is kept of made nodes alone.
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
        """Return how many made nodes would take as much memory as this does."""
        return self.made + len(self._base) // _COPIED

    def rebuild(self, node: int, dtype: str, sources: tuple[int, ...]) -> int:
        """Return the node that is `node` with other operands and this type."""
        return self.restore(self.like(node), self.origin(node), dtype, sources)

    def restore(self, like: int, origin: int, dtype: str, sources: tuple[int, ...]) -> int:
        """Return the node that is `like`, one of the capture, with other operands and this type.

        `origin` is the node that it comes of, where it is made now.
        """
        key = self.operations[like], dtype, sources, self._base.arguments[like], self._base.tags[like]
        found = self._base.node_by_key.get(key)
        if found is None:
            found = self._made.setdefault(key, len(self.sources))
        if found == len(self.sources):
            self.operations.append(key[0])
            self.dtypes.append(dtype)
            self.sources.append(sources)
            self._likes[found] = like
            self._origins[found] = origin
            self.made += 1 + len(sources) // _WIDE
        return found

    @property
    def of_capture(self) -> int:
        """Return how many nodes the capture has; those from this number on were made."""
        return len(self._base)

    def origin(self, node: int) -> int:
        """Return the node that a chain of rebuilding began with: what a person takes for the same node."""
        return self._origins.get(node, node)

    def like(self, node: int) -> int:
        """Return the node of the capture that has a node's argument and tag."""
        return self._likes.get(node, node)

    def argument_text(self, node: int) -> str:
        """Return a node's argument as text."""
        return self._base.argument_texts[self.like(node)]

    def tag_text(self, node: int) -> str:
        """Return a node's tag as text."""
        return self._base.tag_texts[self.like(node)]

    def body(self, node: int) -> int:
        """Return the node that a kernel's argument holds, else NONE."""
        return self._base.bodies[self.like(node)]

    def context(self, node: int) -> int:
        """Return the context that a node of the capture stands for, else NONE."""
        return self._base.contexts[node] if node < len(self._base) else NONE
