"""Frames of compiler graphs: nodes, edges, matches of rewrite patterns, and snapshots."""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

GRAPH_NODES = FrameSpec(
    "graph_nodes",
    "an operation of a compiler's graphs; equal operations of all graphs share a row",
    LOADED,
    columns(
        "node | int64 | | rank: the sources of a node come before it",
        "op | category | | the operation",
        "dtype | category? | | type of its value, in the capture's spelling",
        "argument | int64 | | number of its argument, the same for equal arguments; 0: no argument",
        "tag | int64 | | number of its tag; 0: no tag",
        "argument_text | category? | | the argument, shortened",
        "tag_text | category? | | the tag, shortened",
        "body | Int64 | | the node in a kernel's argument",
        "context | Int64 | | the context whose key it is",
    ),
    tabled=False,
)

GRAPH_EDGES = FrameSpec(
    "graph_edges",
    "an operand of a node",
    LOADED,
    columns(
        "node | int64 | | the node that uses it",
        "port | int64 | | its position among the operands, from 0",
        "source | int64 | | the used node",
    ),
    tabled=False,
)

REWRITE_MATCHES = FrameSpec(
    "rewrite_matches",
    "a match of a pattern in a rewrite step",
    LOADED,
    columns(
        "context | int64 | | the context",
        "step | int64 | | rank of the step in its context",
        "match | int64 | | rank in the step, from 1",
        "file | category? | | file of the compiler with the pattern",
        "line | Int64 | | its line in the file",
        "duration | int64 | ticks | time of the match",
        "before | Int64 | | the node that matched",
        "after | Int64 | | the node that replaces it",
    ),
    tabled=False,
)

# Only steps that rewrite more than 40,000 nodes have snapshots: snapshots of all steps would cost
# as much as the ingest.
GRAPH_SNAPSHOTS = FrameSpec(
    "graph_snapshots",
    "a node that rewriting made, of a graph in the middle of a long step; operands come first, the last node of the graph last",
    LOADED,
    columns(
        "context | int64 | | the context",
        "step | int64 | | rank of the step in its context",
        "match | int64 | | the match after which this is the graph",
        "like | int64 | | the node of the capture with the same operation, argument and tag",
        "origin | int64 | | the node of the capture that it was rebuilt from",
        "dtype | category? | | type of its value",
    ),
    tabled=False,
)

GRAPH_SNAPSHOT_EDGES = FrameSpec(
    "graph_snapshot_edges",
    "an operand of a node of a snapshot",
    LOADED,
    columns(
        "row | int64 | | row of the node that uses it in frame `graph_snapshots`",
        "port | int64 | | its position among the operands, from 0",
        "source | int64 | | the node of the capture; from their number on the rank of a node in the snapshot",
    ),
    tabled=False,
)
