"""Exports a state of a graph for other tools: as a mapping for JSON, and as DOT."""

from __future__ import annotations

import re

from analysis.program.state import State

_ERROR = "REWRITE_ERROR"
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")
"""Control characters except line feed."""


def graph_mapping(state: State) -> dict[str, object]:
    """Build a mapping for JSON with root, removed (number of nodes that only the previous state
    has), nodes and edges (lists of records).

    An edge leads from operand (`source`) to user (`target`). If the state has no graph, a single
    node of kind `error` has the reason, which is also under `error`.
    """
    if state.error:
        return {
            "root": 0,
            "removed": 0,
            "nodes": [_error_node(state.error)],
            "edges": [],
            "error": state.error,
        }
    nodes = state.nodes
    labels = state.labels
    change = state.change
    rows = [
        {
            "id": node,
            "name": state.names[node],
            "op": nodes.operations[node],
            "dtype": nodes.dtypes[node],
            "arg": nodes.argument_text(node),
            "tag": nodes.tag_text(node),
            "label": labels.label(node),
            "kind": state.kind(node),
            "hidden": node in state.hidden_nodes,
            "changed": node in change.changed,
            "added": node in change.added,
        }
        for node in state.order
    ]
    edges = [
        {"source": source, "target": target, "port": port} for source, target, port in state.edges()
    ]
    return {"root": state.root, "removed": len(change.removed), "nodes": rows, "edges": edges}


def _error_node(why: str) -> dict[str, object]:
    texts = {
        "id": 0,
        "name": 0,
        "op": _ERROR,
        "dtype": "void",
        "arg": why,
        "tag": "",
        "label": f"{_ERROR}\n{why}",
        "kind": "error",
    }
    return texts | {"hidden": False, "changed": False, "added": False}


def dot(state: State) -> str:
    """Write the shown nodes of a state and their edges as text of a DOT digraph; nodes created by
    the match are bold. If the state has no graph, its only node is the error.
    """
    labels = state.labels
    change = state.change
    lines = ["digraph {", "  rankdir=LR;", "  node [shape=box];"]
    for node in state.shown_nodes:
        fresh = node in change.changed and node in change.added
        lines.append(
            f"  n{node} [label={_quote(labels.label(node))}{', style=bold' if fresh else ''}];"
        )
    lines += [
        f"  n{source} -> n{target} [label={port}];"
        for source, target, port in state.edges(shown=True)
    ]
    if state.error:
        lines.append(f"  error [label={_quote(state.error)}];")
    return "\n".join([*lines, "}", ""])


def _quote(text: str) -> str:
    """Quote text for DOT, quotes included: escape backslashes, quotes and line ends, replace other
    control characters by spaces.
    """
    # Backslashes are escaped first, because the escapes of quotes and line ends add more.
    clean = _CONTROL.sub(" ", text).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + clean.replace("\n", "\\n") + '"'
