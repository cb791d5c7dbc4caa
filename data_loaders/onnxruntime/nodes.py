"""Nodes of an ONNX Runtime profile: names, the node around each, and the time of its own.

The spans of a Loop, If or Scan cover those of the nodes in their bodies, which run on the thread of
the node around them.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd

from schema.array_types import Bools, Ints
from schema.nesting import Nesting

UNKNOWN = "unknown"
"""Operator of nodes and kernels of which the file names none."""
HAVE_BODIES = (
    *("Loop", "If", "Scan", "SequenceMap"),
    *("BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"),
)
"""Operators with bodies: their nodes contain other nodes."""


def named_by_operator(spans: pd.DataFrame) -> pd.Series:
    """Return the name of each span, of nameless spans that of their operator."""
    name = spans["name"].astype("str")
    return name.where(name != "", operator_names(spans))


def operator_names(spans: pd.DataFrame) -> pd.Series:
    """Return the operator of each span, `UNKNOWN` if the file does not name it."""
    operator = spans["op_name"].astype("str")
    return operator.where(operator.notna() & (operator != ""), UNKNOWN)


def in_order_of_nesting(nodes: pd.DataFrame) -> pd.DataFrame:
    """Sort nodes by start, then the longer first, then nodes with bodies first: times are whole
    microseconds, so that a body may begin and end with the node around it.
    """
    has_body = nodes["op_name"].isin(HAVE_BODIES)
    return (
        nodes.assign(has_body=has_body)
        .sort_values(["start", "end", "has_body"], ascending=[True, False, False], kind="stable")
        .drop(columns="has_body")
        .reset_index(drop=True)
    )


def with_parents(nodes: pd.DataFrame) -> pd.DataFrame:
    """Add columns `parent`, the row of the node around each on its thread (-1: none), `own`, the
    time without the nodes directly inside (ns), and whether it `has_nodes_inside`.

    Rows are in the order of `in_order_of_nesting`. Nodes whose thread is not known are in no node.
    """
    start = nodes["start"].to_numpy(np.int64)
    end = nodes["end"].to_numpy(np.int64)
    parent = np.full(len(nodes), -1)
    for rows in nodes.groupby("tid").indices.values():
        nesting = Nesting.of(start[rows], end[rows])
        around = nesting.rows(nesting.parent)
        parent[rows[nesting.row]] = np.where(around >= 0, rows[around], -1)
    own = end - start
    inner = np.flatnonzero(parent >= 0)
    # Whole microseconds are rounded down, so that a node may end after the node around it.
    inside = np.minimum(end[inner], end[parent[inner]]) - start[inner]
    np.subtract.at(own, parent[inner], inside)
    has_inside = np.zeros(len(nodes), np.bool_)
    has_inside[parent[inner]] = True
    return nodes.assign(parent=parent, own=own, has_nodes_inside=has_inside)


def is_inside_of_its_operator(nodes: pd.DataFrame, operator: Ints) -> Bools:
    """Whether a node around each, at any distance, has the same operator (a code per node)."""
    parent = nodes["parent"].to_numpy(np.int64)
    inside = np.zeros(len(nodes), np.bool_)
    is_nested = parent >= 0
    is_nested[parent[is_nested]] = True
    for rows in nodes[is_nested].groupby("tid")["parent"].groups.values():
        open_nodes: list[int] = []
        open_operators: Counter[int] = Counter()
        for row in rows.tolist():
            while open_nodes and open_nodes[-1] != parent[row]:
                open_operators[operator[open_nodes.pop()]] -= 1
            inside[row] = open_operators[operator[row]] > 0
            open_nodes.append(row)
            open_operators[operator[row]] += 1
    return inside
