"""Graph of a state of a rewrite step, with the change by its last match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from analysis.program.address_spaces import address_spaces
from analysis.program.hidden import hidden_nodes
from analysis.program.kinds import find_kind
from analysis.program.labels import Labels, Named
from analysis.program.nodes import NONE, WorkingNodes
from analysis.program.replay import NO_CHANGE, Replay, StateChange, below
from analysis.program.rewriting import EndlessError


@dataclass(frozen=True)
class State:
    """Graph of a state: `order` lists its nodes, operands before users; the last node is the root.

    If `error` is set, there is no graph, and `order` is empty. `renamed` maps nodes to names if
    they are taken from another graph.
    """

    nodes: WorkingNodes
    release: str
    match: int
    order: Sequence[int]
    change: StateChange
    named: Named
    error: str = ""
    renamed: Mapping[int, int] | None = None

    @property
    def root(self) -> int:
        """Number of the final node of the state's graph, NONE (-1) if there is no graph."""
        return self.order[-1] if self.order else NONE

    @cached_property
    def hidden_nodes(self) -> frozenset[int]:
        """Nodes of the state's graph that pictures leave out; empty if there is no graph."""
        return (
            frozenset(hidden_nodes(self.nodes, self.order, self.root, self.release))
            if self.order
            else frozenset()
        )

    @cached_property
    def shown_nodes(self) -> list[int]:
        """Nodes of the state's graph that pictures do not leave out, operands before users."""
        return [node for node in self.order if node not in self.hidden_nodes]

    @cached_property
    def labels(self) -> Labels:
        """Builder of the labels of the state's nodes: `labels.label(node)`."""
        return Labels(self.nodes, self.order, self.release, self.hidden_nodes, self.named)

    @cached_property
    def spaces(self) -> Mapping[int, str]:
        """Node -> address space of its value (global, local or register); {} for releases before
        tinygrad 0.14.
        """
        return address_spaces(self.nodes, self.order, self.release)

    @cached_property
    def names(self) -> dict[int, int]:
        """Map each node of the state's graph to its name, a number that a node keeps when it is
        rebuilt in later states.
        """
        if self.renamed is not None:
            return dict(self.renamed)
        taken: dict[int, int] = {}
        for node in self.order:
            # A graph may have both a node and its rebuilt copy: the first of them gets the name.
            taken.setdefault(self.nodes.origin(node), node)
        return {
            node: origin if taken[origin := self.nodes.origin(node)] == node else node
            for node in self.order
        }

    @cached_property
    def users(self) -> dict[int, list[int]]:
        """Map each node of the state's graph to the list of its users, without duplicates; [] for
        the root.
        """
        users_of: dict[int, dict[int, None]] = {node: {} for node in self.order}
        for node in self.order:
            for source in self.nodes.sources[node]:
                users_of[source][node] = None
        return {node: list(users) for node, users in users_of.items()}

    def kind(self, node: int) -> str:
        """Kind of a node's operation, such as `memory`, or `other`; see `find_kind`."""
        return find_kind(self.nodes.operations[node])

    def edges(self, shown: bool = False) -> Iterator[tuple[int, int, int]]:
        """Yield (operand, user, port) for each edge of the state's graph; if `shown`, only edges
        between shown nodes.
        """
        for node in self.shown_nodes if shown else self.order:
            for port, source in enumerate(self.nodes.sources[node]):
                if not shown or source not in self.hidden_nodes:
                    yield source, node, port


def state_of(replay: Replay, release: str, match: int, named: Named) -> State:
    """Build the state after match number `match` (from 1), or the beginning of the step for 0.

    When rewriting does not end, the state has an error text and no nodes.
    """
    try:
        root = replay.root(match)
        change = replay.change(match)
    except EndlessError as error:
        return State(replay.nodes, release, match, (), NO_CHANGE, named, str(error))
    order = below(replay.nodes.sources, root) if root != NONE else []
    return State(replay.nodes, release, match, order, change, named)
