"""The states of a rewrite step: the graph after each of its matches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.program.nodes import NONE, Nodes, WorkingNodes
from analysis.program.rewriting import EndlessError, Rewriting

MOST_LOOKED_AT = 150_000
"""Nodes that are looked through, or rewritten, to find where one comes from or goes: tenths of a second."""


@dataclass(frozen=True)
class Step:
    """A rewrite step: the node that its graph ends in, pairs of nodes (before, after) per match, and how it rewrote.

    `bottom_up`: patterns saw the first graph alone, so that each state is all pairs so far applied to it. Otherwise
    each pair is applied, along with those before it, to the state before. `release` is the one whose rules hold.
    """

    root: int
    pairs: Sequence[tuple[int, int]]
    bottom_up: bool
    walk: bool
    enter_calls: bool
    release: str


@dataclass(frozen=True)
class StateChange:
    """How state k differs from the one before. All are nodes of state k but `removed`, those of the state before alone.

    `changed` are those below and including the match's outcome, `added` those that the state before did not have: what
    is both is what the pattern made, other added ones were rebuilt above it.
    """

    changed: frozenset[int]
    added: frozenset[int]
    removed: frozenset[int]


NO_CHANGE = StateChange(frozenset(), frozenset(), frozenset())


@dataclass(frozen=True)
class Snapshot:
    """The graph after a match: what rewriting had made of it, operands first, the last one is the graph's end.

    Each node is `like` one of the capture but for its type and operands, and comes of an `origin`. In `sources` the
    nodes of the capture have their numbers, those of the snapshot go on from them.
    """

    match: int
    likes: Sequence[int]
    origins: Sequence[int]
    dtypes: Sequence[str]
    sources: Sequence[tuple[int, ...]]


class Replay:
    """The states of a step, each computed when it is asked for; state 0 is how the step began.

    A state is made of the one before, or of those from the nearest of `snapshots` on.
    """

    def __init__(self, nodes: Nodes, step: Step, snapshots: Sequence[Snapshot] = ()) -> None:
        self.nodes = WorkingNodes(nodes)
        self._step = step
        self._snapshots = {one.match: one for one in snapshots}
        self._begins = [0, *sorted(self._snapshots)]
        self._roots = {0: step.root}
        self._error: tuple[int, str] | None = None
        self.rewritten = 0
        self._begin(0)

    @property
    def states(self) -> int:
        """Return how many states there are: one more than matches."""
        return len(self._step.pairs) + 1

    def root(self, state: int) -> int:
        """Return the node that a state ends in; raises EndlessError from the state on that has none."""
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
        """Go on from a state that is known, or is a snapshot's."""
        step = self._step
        self._at = state
        self._rewriting = Rewriting(self.nodes, step.release, step.walk, step.enter_calls)
        for before, after in step.pairs[:state]:
            self._add_pair(before, after)
        if state not in self._roots:
            self._roots[state] = self._restore(self._snapshots[state])

    def _restore(self, snapshot: Snapshot) -> int:
        """Return the node that a snapshot ends in."""
        made: list[int] = []
        first = self.nodes.of_capture
        rows = zip(snapshot.likes, snapshot.origins, snapshot.dtypes, snapshot.sources, strict=True)
        for like, origin, dtype, sources in rows:
            own = tuple([made[source - first] if source >= first else source for source in sources])
            made.append(self.nodes.restore(like, origin, dtype, own))
        return made[-1]

    def _add_pair(self, before: int, after: int) -> None:
        if NONE not in (before, after):
            self._rewriting.add(before, after)

    def _advance(self) -> None:
        self._add_pair(*self._step.pairs[self._at])
        begin = self._step.root if self._step.bottom_up else self._roots[self._at]
        known = self._rewriting.rewritten
        self._at += 1
        try:
            self._roots[self._at] = self._rewriting.result(begin)
        except EndlessError as error:
            self._error = self._at, str(error)
        self.rewritten += self._rewriting.rewritten - known
        if self._error or self._at + 1 == self.states:
            # what led to the states is not needed once all of them are known
            self._rewriting.forget_all()

    def snapshot(self) -> Snapshot | None:
        """Return the state that was reached last, to go on from it another time; None where it is the capture's own.

        What follows is rewritten as it will be from there.
        """
        root, first = self._roots[self._at], self.nodes.of_capture
        made = [node for node in below(self.nodes.sources, root) if node >= first]
        if root < first:
            return None
        numbers = {node: first + rank for rank, node in enumerate(made)}
        sources = [tuple([numbers.get(source, source) for source in self.nodes.sources[node]]) for node in made]
        likes, origins = [*map(self.nodes.like, made)], [*map(self.nodes.origin, made)]
        self._begin(self._at)
        return Snapshot(self._at, likes, origins, [self.nodes.dtypes[node] for node in made], sources)

    def change(self, state: int) -> StateChange:
        """Return what the match of a state changed; nothing for state 0."""
        if state == 0:
            return NO_CHANGE
        now, before = self.below(self.root(state)), self.below(self.root(state - 1))
        after = self._step.pairs[state - 1][1]
        changed = now & self.below(after) if after != NONE else set[int]()
        return StateChange(frozenset(changed), frozenset(now - before), frozenset(before - now))

    def life(self, state: int, node: int) -> tuple[int | None, int | None]:
        """Return the state that first had a node of this state, and the first after it without; 0 where it was there
        from the beginning, or stays to the end. None where looking would take too long.
        """
        return self._since(state, node), self._until(state, node)

    def _since(self, state: int, node: int) -> int | None:
        left = MOST_LOOKED_AT
        for at in range(state - 1, -1, -1):
            if left <= 0:
                return None
            before = self.rewritten
            there = self.below(self.root(at))
            if node not in there:
                return at + 1
            left -= len(there) + self.rewritten - before
        return 0

    def _until(self, state: int, node: int) -> int | None:
        left = MOST_LOOKED_AT
        for at in range(state + 1, self.states):
            if left <= 0:
                return None
            before = self.rewritten
            try:
                there = self.below(self.root(at))
            except EndlessError:
                return at
            if node not in there:
                return at
            left -= len(there) + self.rewritten - before
        return 0

    def below(self, root: int) -> set[int]:
        """Return the nodes of the graph that ends in `root`."""
        return set(below(self.nodes.sources, root))


def below(sources: Sequence[tuple[int, ...]], root: int) -> list[int]:
    """Return the nodes of the graph that ends in `root`: operands before what uses them, from the first port on."""
    found: dict[int, None] = {}
    waiting = [root]
    while waiting:
        node = waiting[-1]
        if node in found:
            waiting.pop()
            continue
        missing = [source for source in sources[node] if source not in found]
        if missing:
            waiting += reversed(missing)
        else:
            found[waiting.pop()] = None
    return list(found)
