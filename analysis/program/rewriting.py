"""Replaces nodes of a graph by other nodes, as tinygrad's `substitute` does, with a cache of
results between states.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from analysis.program.nodes import WorkingNodes
from analysis.program.rules import RELEASE_14, keeps_first_operand, rebuilt_dtype

MAX_MADE = 100_000
"""Maximum number of nodes that rewriting may create (half a second); the largest step of real
captures creates 75,000.
"""


class EndlessError(Exception):
    """Raised when rewriting does not end: it returns to an earlier node, or creates
    too many nodes.
    """


class Rewriting:
    """Pairs of nodes (before, after) that are applied to graphs.

    A node that is a `before` is replaced by its `after`, repeatedly until it is no `before`. Then
    its operands are rewritten; if an operand changed, the node is rebuilt and rewritten again. With
    `walk`, inserted nodes are not rewritten.

    Results are cached. A new pair drops only the results that depend on its `before`, so the time
    for the next state depends on the size of the change. `rewritten` counts the nodes of all graphs
    that were not cached.
    """

    def __init__(self, nodes: WorkingNodes, release: str, walk: bool, enter_calls: bool) -> None:
        self._nodes = nodes
        self._release = release
        self._walk = walk
        self._enter_calls = enter_calls
        self._made_before = nodes.made
        self._pairs: dict[int, int] = {}
        self._results: dict[int, int] = {}
        self._users: defaultdict[int, list[int]] = defaultdict(list)
        self.rewritten = 0

    def add(self, before: int, after: int) -> None:
        """Add a pair to the rewriting: `before` is replaced by `after` from now on.

        It replaces an earlier pair with the same `before`; a pair of equal nodes removes that.
        """
        if before == after:
            self._pairs.pop(before, None)
        else:
            self._pairs[before] = after
        self._forget(before)

    def _forget(self, node: int) -> None:
        """Drop the cached result of a node and all cached results that depend on it."""
        results = self._results
        users = self._users
        waiting = [node]
        results.pop(node, None)
        while waiting:
            for user in users.pop(waiting.pop(), ()):
                if results.pop(user, None) is not None:
                    waiting.append(user)

    def result(self, root: int) -> int:
        """Rewrite the graph that ends in `root` by all pairs so far, and return the number of its
        new final node (`root` if it did not change). Raises EndlessError when rewriting does not
        end or creates more than MAX_MADE (100,000) nodes.
        """
        cached_before = len(self._results)
        try:
            end = self._rewrite_pass(root) if self._walk else self._rewrite(root)
        except EndlessError:
            self.forget_all()
            raise
        self.rewritten += len(self._results) - cached_before
        return end

    def forget_all(self) -> None:
        """Drop all cached results of the rewriting; the pairs stay."""
        self._results.clear()
        self._users.clear()

    def _rewrite(self, root: int) -> int:
        sources = self._nodes.sources
        results = self._results
        users = self._users
        fixed: dict[int, int] = {}
        again: dict[int, int] = {}
        waiting = [root]
        while waiting:
            node = waiting[-1]
            if node in results:
                waiting.pop()
                continue
            # The rebuilt node was a `before` itself, so its result is the result of this node.
            if node in again:
                results[node] = results[again[node]]
                continue
            end = fixed.get(node)
            if end is None:
                end = fixed[node] = self._rewrite_by_pairs(node)
                self._keep_body(end)
            missing = [source for source in sources[end] if source not in results]
            if missing:
                self._check(missing, fixed)
                waiting += reversed(missing)
                continue
            rebuilt = self._rebuild(end)
            for source in sources[end]:
                users[source].append(node)
            if rebuilt == end:
                results[node] = self._final(end)
            else:
                users[rebuilt].append(node)
                if rebuilt not in self._pairs:
                    results[node] = self._final(rebuilt)
                    continue
                again[node] = rebuilt
                if rebuilt not in results:
                    self._check((rebuilt,), fixed)
                    waiting.append(rebuilt)
        return results[root]

    def _final(self, node: int) -> int:
        """Record a node as its own result, since it is no `before` and its operands are results;
        returns the node.
        """
        if node not in self._results:
            self._results[node] = node
            for source in self._nodes.sources[node]:
                self._users[source].append(node)
        return node

    def _check(self, wanted: Iterable[int], begun: Mapping[int, int]) -> None:
        """Raise EndlessError when a wanted node is among the nodes begun, so that it depends on its
        own result, or when more than MAX_MADE (100,000) nodes were created.
        """
        if self._nodes.made - self._made_before > MAX_MADE:
            raise EndlessError(f"rewriting made more than {MAX_MADE} nodes")
        if any(node in begun for node in wanted):
            raise EndlessError("rewriting returned to its first node")

    def _rewrite_by_pairs(self, node: int) -> int:
        """Follow the pairs from a node to a node that is no `before`, and return that; the node
        itself if no pair begins with it. Raises EndlessError when the pairs form a circle.
        """
        pairs = self._pairs
        users = self._users
        at = node
        seen = {node}
        while at in pairs:
            at = pairs[at]
            if at in seen:
                raise EndlessError("the replacements of nodes form a cycle")
            seen.add(at)
            users[at].append(node)
        return at

    def _keep_body(self, node: int) -> None:
        """Record the body of a call (its first operand) as unchanged if the release does not enter
        it; other nodes are ignored.
        """
        below = self._nodes.sources[node]
        if below and not self._enter_calls:
            operations = self._nodes.operations
            if keeps_first_operand(operations[node], operations[below[0]], self._release):
                self._results[below[0]] = below[0]

    def _rebuild(self, node: int) -> int:
        """Return the node rebuilt from the results of its operands; the node itself if no operand
        changed.
        """
        nodes = self._nodes
        results = self._results
        before = nodes.sources[node]
        after = tuple([results[source] for source in before])
        if after == before:
            return node
        dtype = nodes.dtypes[node]
        dtypes = nodes.dtypes
        # In 0.14 the type of a rebuilt node follows the types of its operands.
        if self._release == RELEASE_14:
            old = [dtypes[source] for source in before]
            new = [dtypes[source] for source in after]
            dtype = rebuilt_dtype(nodes.operations[node], dtype, old, new)
        return nodes.rebuild(node, dtype, after)

    def _rewrite_pass(self, root: int) -> int:
        """Rewrite the graph that ends in `root` in a single pass (`walk`), in which inserted nodes
        are not rewritten, and return its new final node.
        """
        sources = self._nodes.sources
        results = self._results
        users = self._users
        waiting = [root]
        while waiting:
            node = waiting[-1]
            if node not in results and node in self._pairs:
                results[node] = self._pairs[node]
            if node in results:
                waiting.pop()
                continue
            self._keep_body(node)
            missing = [source for source in sources[node] if source not in results]
            if missing:
                waiting += reversed(missing)
                continue
            for source in sources[node]:
                users[source].append(node)
            results[node] = self._rebuild(node)
        return results[root]
