"""Count the nodes and edges of the graph below a node."""

from __future__ import annotations

from collections.abc import Sequence


class Sizes:
    """Sizes of graphs in a table of nodes; each root is counted once."""

    def __init__(self, sources: Sequence[tuple[int, ...]]) -> None:
        self._sources = sources
        # The last root that reached a node: unlike a set per root, it needs no clearing.
        self._seen = [-1] * len(sources)
        self._known: dict[int, tuple[int, int]] = {}

    def size(self, root: int) -> tuple[int, int]:
        """Return the number of nodes and of edges of the graph below `root`, with the root itself.

        A node that uses the same source twice has two edges to it. Raises IndexError if the table
        has no such node.
        """
        size = self._known.get(root)
        if size is None:
            size = self._known[root] = self._count(root)
        return size

    def _count(self, root: int) -> tuple[int, int]:
        sources = self._sources
        seen = self._seen
        waiting = [root]
        nodes = 0
        edges = 0
        seen[root] = root
        while waiting:
            below = sources[waiting.pop()]
            nodes += 1
            edges += len(below)
            for source in below:
                if seen[source] != root:
                    seen[source] = root
                    waiting.append(source)
        return nodes, edges
