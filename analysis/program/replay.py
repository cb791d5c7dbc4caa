"""Computes the states of a rewrite step: the graph after each of its matches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.program.nodes import NONE, Nodes, WorkingNodes
from analysis.program.rewriting import EndlessError, Rewriting

MAX_VISITED = 150_000
"""Maximum number of nodes visited or rewritten in a search for the first or last state of a node
(tenths of a second).
"""


@dataclass(frozen=True)
class Step:
    """Rewrite step: final node of its graph, a pair of nodes (before, after) per match, and the
    mode of rewriting.

    `bottom_up`: patterns matched the first graph only, so each state is the first graph with all
    pairs so far applied. Otherwise each pair, together with earlier pairs, is applied to the
    previous state. With `walk`, nodes that a pair inserted are not rewritten; with `enter_calls`,
    bodies of calls are. `release` is the tinygrad release with the rules.
    """

    root: int
    pairs: Sequence[tuple[int, int]]
    bottom_up: bool
    walk: bool
    enter_calls: bool
    release: str


@dataclass(frozen=True)
class StateChange:
    """Difference between a state and the previous state; `removed` are nodes that only the previous
    state has.

    `changed` are the nodes of the match's result and everything below it, `added` the nodes that
    the previous state does not have. A node in both was created by the pattern; other added nodes
    were rebuilt above it.
    """

    changed: frozenset[int]
    added: frozenset[int]
    removed: frozenset[int]


NO_CHANGE = StateChange(frozenset(), frozenset(), frozenset())
"""Change of state 0."""


@dataclass(frozen=True)
class Snapshot:
    """Graph after a match: the nodes that rewriting created, operands first; the last is the
    graph's final node.

    Each node is a copy of node `like` of the capture with its own type and operands, and derives
    from node `origin`. In `sources`, nodes of the capture have their numbers, and nodes of the
    snapshot follow after them.
    """

    match: int
    likes: Sequence[int]
    origins: Sequence[int]
    dtypes: Sequence[str]
    sources: Sequence[tuple[int, ...]]


class Replay:
    """States of a step; state 0 is the beginning of the step.

    A state is computed when it is requested, from the previous state or from the nearest earlier
    snapshot.
    """

    def __init__(self, nodes: Nodes, step: Step, snapshots: Sequence[Snapshot] = ()) -> None:
        self.nodes = WorkingNodes(nodes)
        self._step = step
        self._snapshots = {snapshot.match: snapshot for snapshot in snapshots}
        self._begins = [0, *sorted(self._snapshots)]
        self._roots = {0: step.root}
        self._error: tuple[int, str] | None = None
        self.rewritten = 0
        self._begin(0)

    @property
    def states(self) -> int:
        """Number of the step's states: its matches and the beginning."""
        return len(self._step.pairs) + 1

    def root(self, state: int) -> int:
        """Compute the number of the final node of a state (0 to `states` - 1).

        Raises EndlessError when the rewriting of this or an earlier state does not end.
        """
        if state not in self._roots:
            nearest = self._begins[bisect_right(self._begins, state) - 1]
            if not nearest <= self._at <= state:
                self._begin(nearest)
            while self._at < state and self._error is None:
                self._advance()
        if self._error is not None and state >= self._error[0]:
            raise EndlessError(f"state {self._error[0]}: {self._error[1]}")
        return self._roots[state]

    def _begin(self, state: int) -> None:
        """Set the replay to a state whose final node is known or that has a snapshot."""
        step = self._step
        self._at = state
        self._rewriting = Rewriting(self.nodes, step.release, step.walk, step.enter_calls)
        # All pairs so far apply to later states as well, so a state from a snapshot needs them
        # again.
        for before, after in step.pairs[:state]:
            self._add_pair(before, after)
        if state not in self._roots:
            self._roots[state] = self._restore(self._snapshots[state])

    def _restore(self, snapshot: Snapshot) -> int:
        """Create the nodes of a snapshot, and return the number of its final node."""
        restored: list[int] = []
        first = self.nodes.of_capture
        rows = zip(snapshot.likes, snapshot.origins, snapshot.dtypes, snapshot.sources, strict=True)
        for like, origin, dtype, sources in rows:
            own = tuple(
                [restored[source - first] if source >= first else source for source in sources]
            )
            restored.append(self.nodes.restore(like, origin, dtype, own))
        return restored[-1]

    def _add_pair(self, before: int, after: int) -> None:
        if NONE not in (before, after):
            self._rewriting.add(before, after)

    def _advance(self) -> None:
        self._add_pair(*self._step.pairs[self._at])
        begin = self._step.root if self._step.bottom_up else self._roots[self._at]
        rewritten_before = self._rewriting.rewritten
        self._at += 1
        try:
            self._roots[self._at] = self._rewriting.result(begin)
        except EndlessError as error:
            self._error = self._at, str(error)
        self.rewritten += self._rewriting.rewritten - rewritten_before
        if self._error or self._at + 1 == self.states:
            # Intermediate results are not needed once all states are known.
            self._rewriting.forget_all()

    def snapshot(self) -> Snapshot | None:
        """Take a snapshot of the state computed last and return it; `None` if its graph has only
        nodes of the capture.

        The replay then continues from the snapshot, so that later states are the same as after a
        restart from it.
        """
        root = self._roots[self._at]
        first = self.nodes.of_capture
        created = [node for node in below(self.nodes.sources, root) if node >= first]
        if root < first:
            return None
        numbers = {node: first + rank for rank, node in enumerate(created)}
        sources = [
            tuple([numbers.get(source, source) for source in self.nodes.sources[node]])
            for node in created
        ]
        likes = [*map(self.nodes.like, created)]
        origins = [*map(self.nodes.origin, created)]
        self._begin(self._at)
        return Snapshot(
            self._at, likes, origins, [self.nodes.dtypes[node] for node in created], sources
        )

    def change(self, state: int) -> StateChange:
        """Compute the difference between a state and the previous state; NO_CHANGE for state 0.

        Raises EndlessError when the rewriting does not end.
        """
        if state == 0:
            return NO_CHANGE
        now = self.below(self.root(state))
        before = self.below(self.root(state - 1))
        after = self._step.pairs[state - 1][1]
        changed = now & self.below(after) if after != NONE else set[int]()
        return StateChange(frozenset(changed), frozenset(now - before), frozenset(before - now))

    def life(self, state: int, node: int) -> tuple[int | None, int | None]:
        """Return the first of the consecutive states up to `state` that have `node`, and the first
        state after `state` that does not have it.

        The first is 0 if the node exists from the beginning, the second is 0 if it stays to the
        end. Each is `None` when the search would visit more than MAX_VISITED (150,000) nodes.
        """
        return self._first_state(state, node), self._first_state_without(state, node)

    def _first_state(self, state: int, node: int) -> int | None:
        left = MAX_VISITED
        for at in range(state - 1, -1, -1):
            if left <= 0:
                return None
            before = self.rewritten
            present = self.below(self.root(at))
            if node not in present:
                return at + 1
            left -= len(present) + self.rewritten - before
        return 0

    def _first_state_without(self, state: int, node: int) -> int | None:
        left = MAX_VISITED
        for at in range(state + 1, self.states):
            if left <= 0:
                return None
            before = self.rewritten
            try:
                present = self.below(self.root(at))
            except EndlessError:
                return at
            if node not in present:
                return at
            left -= len(present) + self.rewritten - before
        return 0

    def below(self, root: int) -> set[int]:
        """Set of the nodes of the graph that ends in node `root`, itself included."""
        return set(below(self.nodes.sources, root))


def below(sources: Sequence[tuple[int, ...]], root: int) -> list[int]:
    """List the nodes of the graph that ends in `root`, itself included as the last, operands before
    users, in the order of ports. `sources` has the operands of each node.
    """
    done: dict[int, None] = {}
    waiting = [root]
    while waiting:
        node = waiting[-1]
        if node in done:
            waiting.pop()
            continue
        # Visit the first port first: the last element of the stack is taken next.
        missing = [source for source in sources[node] if source not in done]
        if missing:
            waiting += reversed(missing)
        else:
            done[waiting.pop()] = None
    return list(done)
