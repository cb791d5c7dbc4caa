"""Frames of the graphs in a rewrites.pkl: nodes, edges, matches, and graphs of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.columns import integers, nullable_integers, numbers
from data_loaders.tinygrad.contexts import Rewrites, Step
from data_loaders.tinygrad.graph.interning import NO_NODE, Interner
from data_loaders.tinygrad.graph.sizes import Sizes
from data_loaders.tinygrad.names import clean
from data_loaders.tinygrad.records import DType
from data_loaders.tinygrad.versions import Version
from schema.array_types import Ints
from schema.diagnostics import Diagnostic, occurrences
from schema.plurals import plural

_FIELDS_OF_A_TYPE = 4
"""Number of values of a type since 0.14; earlier types also contain their number of elements."""
_OPERATIONS_NEW_IN_13 = frozenset(("CALL", "FUNCTION", "PARAM", "STACK"))
"""Operations that 0.13 introduced."""


def rewrite_rules(rewrites: Rewrites, version: Version) -> str:
    """Return the release whose rewrite rules the graphs follow.

    `0.14` if types have four values, else `0.13` or `0.12`. The release of the operations' numbers
    decides between the last two; if it is unknown, `0.13` if there is an operation that 0.13
    introduced, else `0.12`. Commits between two releases follow the rules of the release with the
    same records.
    """
    types = (node[1] for node in rewrites.nodes.values() if type(node) is tuple and len(node) >= 4)
    first = next((kind for kind in types if isinstance(kind, Record) and type(kind) is DType), None)
    if first is not None and len(first.args) == _FIELDS_OF_A_TYPE:
        return "0.14"
    if version.operations:
        return "0.12" if version.name == "0.12" else "0.13"
    names = (
        version.operation(node[0])
        for node in rewrites.nodes.values()
        if type(node) is tuple and node
    )
    return "0.13" if not _OPERATIONS_NEW_IN_13.isdisjoint(names) else "0.12"


@dataclass(frozen=True)
class Graphs:
    """All graphs of a capture.

    `left_out` is the number of nodes if the capture has more than the limit, else 0. `roots`,
    `sizes` (nodes, edges) and `pairs` (before, after) have an item per step, in the order of the
    contexts. `contexts` has an item per node: the context that the node represents, or NO_NODE.
    """

    nodes: Interner
    left_out: int
    rules: str
    roots: list[int]
    sizes: list[tuple[int, int]]
    pairs: list[list[tuple[int, int]]]
    contexts: list[int]


def read_graphs(rewrites: Rewrites, version: Version, most: int) -> Graphs:
    """Intern the nodes of all steps' graphs.

    A capture with more than `most` nodes gets no nodes, and the number is in `left_out`.
    """
    # A capture with too many nodes still has its contexts, steps and programs.
    left_out = len(rewrites.nodes) if len(rewrites.nodes) > most else 0
    nodes = Interner({} if left_out else rewrites.nodes, version)
    rules = rewrite_rules(rewrites, version)
    steps = [step for context in rewrites.contexts for step in context.steps]
    roots = [nodes.node(step.sink) for step in steps]
    pairs = [
        [(nodes.node(match.before), nodes.node(match.after)) for match in step.matches]
        for step in steps
    ]
    nodes.close()
    sizes = Sizes(nodes.sources)
    sized = [sizes.size(root) if root != NO_NODE else (NO_NODE, NO_NODE) for root in roots]
    return Graphs(nodes, left_out, rules, roots, sized, pairs, _contexts(rewrites, nodes, rules))


def _contexts(rewrites: Rewrites, nodes: Interner, rules: str) -> list[int]:
    """Return the rank of the context that each node represents, or NO_NODE (-1).

    If contexts share a key, the last context.
    """
    contexts = [NO_NODE] * len(nodes)
    for place, context in enumerate(rewrites.contexts):
        for key in context.graphs:
            # From 0.13 on, tinygrad compares kernels without their name and optimisations.
            for node in nodes.equal_nodes(key, any_kernel_info=rules != "0.12"):
                contexts[node] = place
    return contexts


def nodes_frame(graphs: Graphs) -> pd.DataFrame:
    """Build a row per node: node (rank, sources first), op, dtype, argument, tag, argument_text,
    tag_text, body and context.

    `argument` and `tag` are numbers of values: equal values have the same number. `body` (the node
    to which a kernel's argument refers) and `context` (rank) are Int64, null if there is no such
    node or context.
    """
    nodes = graphs.nodes
    columns = {
        "node": np.arange(len(nodes)),
        "op": pd.Categorical(nodes.operations),
        "dtype": pd.Categorical(nodes.dtypes),
        "argument": integers(nodes.arguments),
        "tag": integers(nodes.tags),
        "argument_text": pd.Categorical(nodes.argument_texts),
        "tag_text": pd.Categorical(nodes.tag_texts),
        "body": nullable_integers(integers(nodes.bodies)),
        "context": nullable_integers(integers(graphs.contexts)),
    }
    return pd.DataFrame(columns)


def edges_frame(graphs: Graphs) -> pd.DataFrame:
    """Build columns node, port and source, a row per edge, by node and port.

    `port` is the rank (from 0) of the source among the node's sources; `node` and `source` are
    ranks of nodes.
    """
    sources = graphs.nodes.sources
    counts = integers(map(len, sources))
    ends = np.cumsum(counts)
    columns = {
        "node": np.repeat(np.arange(len(sources)), counts),
        "port": np.arange(counts.sum()) - np.repeat(ends - counts, counts),
        "source": integers(chain.from_iterable(sources)),
    }
    return pd.DataFrame(columns)


def matches_frame(rewrites: Rewrites, graphs: Graphs, strip: bool) -> pd.DataFrame:
    """Build a row per match: context, step, match (from 1), file, line, duration, before, after.

    Context and step count from 0. File and line are the location of the pattern; if `strip`, file
    is "" and line null. The duration is in ns; before and after are ranks of nodes, null without a
    graph.
    """
    places = [
        (place, rank)
        for place, context in enumerate(rewrites.contexts)
        for rank in range(len(context.steps))
    ]
    steps = [step for context in rewrites.contexts for step in context.steps]
    counts = integers(len(step.matches) for step in steps)
    matches = list(chain.from_iterable(step.matches for step in steps))
    pairs = list(chain.from_iterable(graphs.pairs))
    columns = {
        "context": np.repeat(integers(place for place, _ in places), counts),
        "step": np.repeat(integers(rank for _, rank in places), counts),
        "match": _from_one(counts),
        "file": pd.Categorical(["" if strip else clean(match.file) for match in matches]),
        "line": numbers(None if strip else match.line for match in matches),
        "duration": integers(match.nanoseconds for match in matches),
        "before": nullable_integers(integers(before for before, _ in pairs)),
        "after": nullable_integers(integers(after for _, after in pairs)),
    }
    return pd.DataFrame(columns)


def _from_one(counts: Ints) -> Ints:
    """Return 1, 2, ... up to the first count, then 1, 2, ... up to the next, and so on, in one
    array.
    """
    ends = np.cumsum(counts)
    return np.arange(counts.sum()) - np.repeat(ends - counts, counts) + 1


def step_columns(graphs: Graphs, steps: Sequence[Step]) -> dict[str, object]:
    """Map root, nodes, edges, bottom_up, walk, enter_calls and rules, columns of frame
    `rewrite_steps`, to a value per step.

    Root (rank of a node), nodes and edges (numbers below it) are Int64, null if the graph is broken
    or left out; the next three columns are boolean.
    """
    return {
        "root": nullable_integers(integers(graphs.roots)),
        "nodes": nullable_integers(integers(nodes for nodes, _ in graphs.sizes)),
        "edges": nullable_integers(integers(edges for _, edges in graphs.sizes)),
        "bottom_up": pd.array([step.bottom_up for step in steps], dtype="boolean"),
        "walk": pd.array([step.walk for step in steps], dtype="boolean"),
        "enter_calls": pd.array([step.enter_calls for step in steps], dtype="boolean"),
        "rules": pd.Categorical([graphs.rules] * len(steps)),
    }


def graph_findings(graphs: Graphs) -> list[Diagnostic]:
    """Return a list with a warning that graphs are left out because of the number of nodes, or that
    counts broken nodes.

    Empty if there are no such nodes.
    """
    if graphs.left_out:
        reason = (
            "more than setting reader_graph_nodes allows: graphs of the compiler are not stored"
        )
        text = f"{plural(graphs.left_out, 'node')} {reason}"
        return [Diagnostic("warning", "graphs_left_out", text, "rewrites.pkl")]
    reason = "missing, in a cycle, or above such a node: graphs with it are not stored"
    return occurrences("warning", "nodes_broken", graphs.nodes.broken, "node", reason)
