"""The states of a rewrite step: the graph after each of its matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.program.nodes import NONE, Nodes, WorkingNodes
from analysis.program.rewriting import EndlessError, Rewriting

MOST_LOOKED_AT = 500_000
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
class Change:
    """How state k differs from the one before. All are nodes of state k but `removed`, those of the state before alone.

    `changed` are those below and including the match's outcome, `added` those that the state before did not have: what
    is both is what the pattern made, other added ones were rebuilt above it.
    """

    changed: frozenset[int]
    added: frozenset[int]
    removed: frozenset[int]


NO_CHANGE = Change(frozenset(), frozenset(), frozenset())


class Replay:
    """The states of a step, each computed when one from it on is asked for. State 0 is how the step began."""

    def __init__(self, nodes: Nodes, step: Step) -> None:
        self.nodes = WorkingNodes(nodes)
        self._step = step
        self._rewriting = Rewriting(self.nodes, step.release, step.walk, step.enter_calls)
        self._roots = [step.root]
        self._error: tuple[int, str] | None = None

    @property
    def states(self) -> int:
        """Return how many states there are: one more than matches."""
        return len(self._step.pairs) + 1

    def root(self, state: int) -> int:
        """Return the node that a state ends in; raises EndlessError from the state on that has none."""
        while len(self._roots) <= state and self._error is None:
            self._advance()
        if self._error is not None and state >= self._error[0]:
            raise EndlessError(f"state {self._error[0]}: {self._error[1]}")
        return self._roots[state]

    def _advance(self) -> None:
        before, after = self._step.pairs[len(self._roots) - 1]
        if NONE not in (before, after):
            self._rewriting.add(before, after)
        begin = self._step.root if self._step.bottom_up else self._roots[-1]
        try:
            self._roots.append(self._rewriting.result(begin))
        except EndlessError as error:
            self._error = len(self._roots), str(error)
        if self._error or len(self._roots) == self.states:
            # what led to the states is not needed once all of them are known
            self._rewriting.forget_all()

    def change(self, state: int) -> Change:
        """Return what the match of a state changed; nothing for state 0."""
        if state == 0:
            return NO_CHANGE
        now, before = self.below(self.root(state)), self.below(self.root(state - 1))
        after = self._step.pairs[state - 1][1]
        changed = now & self.below(after) if after != NONE else set[int]()
        return Change(frozenset(changed), frozenset(now - before), frozenset(before - now))

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
            there = self.below(self.root(at))
            if node not in there:
                return at + 1
            left -= len(there)
        return 0

    def _until(self, state: int, node: int) -> int | None:
        left = MOST_LOOKED_AT
        for at in range(state + 1, self.states):
            if left <= 0:
                return None
            before = self._rewriting.rewritten
            try:
                there = self.below(self.root(at))
            except EndlessError:
                return at
            if node not in there:
                return at
            left -= len(there) + self._rewriting.rewritten - before
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
