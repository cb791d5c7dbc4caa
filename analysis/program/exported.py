"""A state of a graph for other tools: a mapping for JSON, and DOT."""

from __future__ import annotations

import re

from analysis.program.state import State

_ERROR = "REWRITE_ERROR"
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


def graph_mapping(state: State) -> dict[str, object]:
    """Return root, removed (nodes of the state before alone), nodes and edges; an edge goes from operand to user."""
    if state.error:
        return {"root": 0, "removed": 0, "nodes": [_error_node(state.error)], "edges": [], "error": state.error}
    nodes, labels, change = state.nodes, state.labels, state.change
    said = [
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
    edges = [{"source": source, "target": target, "port": port} for source, target, port in state.edges()]
    return {"root": state.root, "removed": len(change.removed), "nodes": said, "edges": edges}


def _error_node(why: str) -> dict[str, object]:
    said = {
        "id": 0,
        "name": 0,
        "op": _ERROR,
        "dtype": "void",
        "arg": why,
        "tag": "",
        "label": f"{_ERROR}\n{why}",
        "kind": "error",
    }
    return said | {"hidden": False, "changed": False, "added": False}


def dot(state: State) -> str:
    """Return the nodes of a picture and their edges as one digraph; what a match made is drawn bold."""
    labels, change = state.labels, state.change
    lines = ["digraph {", "  rankdir=LR;", "  node [shape=box];"]
    for node in state.shown_nodes:
        fresh = node in change.changed and node in change.added
        lines.append(f"  n{node} [label={_quote(labels.label(node))}{', style=bold' if fresh else ''}];")
    lines += [f"  n{source} -> n{target} [label={port}];" for source, target, port in state.edges(shown=True)]
    if state.error:
        lines.append(f"  error [label={_quote(state.error)}];")
    return "\n".join([*lines, "}", ""])


def _quote(text: str) -> str:
    """Return text as DOT quotes it: of backslashes, quotes and line ends nothing else is left to be told apart."""
    clean = _CONTROL.sub(" ", text).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + clean.replace("\n", "\\n") + '"'
