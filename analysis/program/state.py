"""The graph of one state of a rewrite step, with what its last match did to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from analysis.program.address_spaces import address_spaces
from analysis.program.hidden import hidden_nodes
from analysis.program.kinds import kind_of
from analysis.program.labels import Labels, Named
from analysis.program.nodes import NONE, WorkingNodes
from analysis.program.replay import NO_CHANGE, Replay, StateChange, below
from analysis.program.rewriting import EndlessError


@dataclass(frozen=True)
class State:
    """A graph: `order` has its nodes, operands before what uses them; the last is the root.

    `error` says why there is no graph; `order` is empty then. `renamed` has the names of the nodes where they are those
    of another graph's.
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
        """Return the node that the graph ends in, NONE where there is none."""
        return self.order[-1] if self.order else NONE

    @cached_property
    def hidden_nodes(self) -> frozenset[int]:
        """Return the nodes that a picture leaves out."""
        return frozenset(hidden_nodes(self.nodes, self.order, self.root, self.release)) if self.order else frozenset()

    @cached_property
    def shown_nodes(self) -> list[int]:
        """Return the nodes that a picture has."""
        return [node for node in self.order if node not in self.hidden_nodes]

    @cached_property
    def labels(self) -> Labels:
        """Return the labels of the nodes."""
        return Labels(self.nodes, self.order, self.release, self.hidden_nodes, self.named)

    @cached_property
    def spaces(self) -> Mapping[int, str]:
        """Return node -> where its value lies, where the release tells."""
        return address_spaces(self.nodes, self.order, self.release)

    @cached_property
    def names(self) -> dict[int, int]:
        """Return node -> its name, a number that a node keeps when it is rebuilt from state to state."""
        if self.renamed is not None:
            return dict(self.renamed)
        taken: dict[int, int] = {}
        for node in self.order:
            taken.setdefault(self.nodes.origin(node), node)
        return {node: origin if taken[origin := self.nodes.origin(node)] == node else node for node in self.order}

    @cached_property
    def users(self) -> dict[int, list[int]]:
        """Return node -> the nodes that use it, each once."""
        found: dict[int, dict[int, None]] = {node: {} for node in self.order}
        for node in self.order:
            for source in self.nodes.sources[node]:
                found[source][node] = None
        return {node: list(users) for node, users in found.items()}

    def kind(self, node: int) -> str:
        """Return what kind of operation a node is."""
        return kind_of(self.nodes.operations[node])

    def edges(self, shown: bool = False) -> Iterator[tuple[int, int, int]]:
        """Yield operand, user and port of each edge; `shown`: of those between nodes of a picture."""
        for node in self.shown_nodes if shown else self.order:
            for port, source in enumerate(self.nodes.sources[node]):
                if not shown or source not in self.hidden_nodes:
                    yield source, node, port


def state_of(replay: Replay, release: str, match: int, named: Named) -> State:
    """Return the graph after a match, 0 for how the step began; one whose rewriting has no end has an error."""
    try:
        root = replay.root(match)
        change = replay.change(match)
    except EndlessError as error:
        return State(replay.nodes, release, match, (), NO_CHANGE, named, str(error))
    order = below(replay.nodes.sources, root) if root != NONE else []
    return State(replay.nodes, release, match, order, change, named)
