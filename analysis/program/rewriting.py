"""Replacing nodes in a graph by others, as tinygrad's `substitute` does; what is known is kept from state to state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from analysis.program.nodes import WorkingNodes
from analysis.program.rules import RELEASE_14, keeps_first_operand, rebuilt_dtype

MOST_MADE = 100_000
"""Nodes that rewriting may make: half a second. The largest step of real captures makes 75,000."""


class EndlessError(Exception):
    """Rewriting comes back to where it was, or makes ever new nodes."""


class Rewriting:
    """Pairs of nodes (before, after), applied to whatever graph is asked for.

    A node that is a `before` becomes its `after`, again and again until it is none; then its operands are rewritten; if
    one of them changed, the node is rebuilt and rewritten once more. With `walk` what a pair put in is left as it is.

    Results are kept. A pair that is added drops those that came of its `before` alone: the next state of a graph takes
    as long as what changed in it is large. `rewritten` counts the nodes of all graphs so far for which that took time.
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
        """Add a pair; of several with the same `before` the last one counts, and one of equal nodes does nothing."""
        if before == after:
            self._pairs.pop(before, None)
        else:
            self._pairs[before] = after
        self._forget(before)

    def _forget(self, node: int) -> None:
        """Drop the result of a node and all that were made of it."""
        results, users = self._results, self._users
        waiting = [node]
        results.pop(node, None)
        while waiting:
            for user in users.pop(waiting.pop(), ()):
                if results.pop(user, None) is not None:
                    waiting.append(user)

    def result(self, root: int) -> int:
        """Return what `root` is rewritten to; raises EndlessError where that has no end."""
        known = len(self._results)
        try:
            found = self._rewrite_pass(root) if self._walk else self._rewrite(root)
        except EndlessError:
            self.forget_all()
            raise
        self.rewritten += len(self._results) - known
        return found

    def forget_all(self) -> None:
        """Drop all results: what follows is rewritten anew."""
        self._results.clear()
        self._users.clear()

    def _rewrite(self, root: int) -> int:
        sources, results, users = self._nodes.sources, self._results, self._users
        fixed: dict[int, int] = {}
        again: dict[int, int] = {}
        waiting = [root]
        while waiting:
            node = waiting[-1]
            if node in results:
                waiting.pop()
                continue
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
            made = self._rebuild(end)
            for source in sources[end]:
                users[source].append(node)
            if made == end:
                results[node] = self._final(end)
            else:
                users[made].append(node)
                if made not in self._pairs:
                    results[node] = self._final(made)
                    continue
                again[node] = made
                if made not in results:
                    self._check((made,), fixed)
                    waiting.append(made)
        return results[root]

    def _final(self, node: int) -> int:
        """Return a node that is no `before` and whose operands are results: it is its own result."""
        if node not in self._results:
            self._results[node] = node
            for source in self._nodes.sources[node]:
                self._users[source].append(node)
        return node

    def _check(self, wanted: Iterable[int], begun: Mapping[int, int]) -> None:
        """Raise EndlessError where a node waits for one that waits for it, or too many were made."""
        if self._nodes.made - self._made_before > MOST_MADE:
            raise EndlessError(f"rewriting made more than {MOST_MADE} nodes")
        if any(node in begun for node in wanted):
            raise EndlessError("rewriting comes back to a node that it began with")

    def _rewrite_by_pairs(self, node: int) -> int:
        """Return what the pairs alone make of a node."""
        pairs, users = self._pairs, self._users
        at, seen = node, {node}
        while at in pairs:
            at = pairs[at]
            if at in seen:
                raise EndlessError("pairs of nodes lead back to their beginning")
            seen.add(at)
            users[at].append(node)
        return at

    def _keep_body(self, node: int) -> None:
        """Let the body of a call stay as it is, where the release does."""
        below = self._nodes.sources[node]
        if below and not self._enter_calls:
            operations = self._nodes.operations
            if keeps_first_operand(operations[node], operations[below[0]], self._release):
                self._results[below[0]] = below[0]

    def _rebuild(self, node: int) -> int:
        """Return the node with its operands rewritten, itself where none changed."""
        nodes, results = self._nodes, self._results
        before = nodes.sources[node]
        after = tuple([results[source] for source in before])
        if after == before:
            return node
        dtype, dtypes = nodes.dtypes[node], nodes.dtypes
        if self._release == RELEASE_14:
            said = [dtypes[source] for source in before], [dtypes[source] for source in after]
            dtype = rebuilt_dtype(nodes.operations[node], dtype, *said)
        return nodes.rebuild(node, dtype, after)

    def _rewrite_pass(self, root: int) -> int:
        """Return what one pass makes of `root`."""
        sources, results, users = self._nodes.sources, self._results, self._users
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
