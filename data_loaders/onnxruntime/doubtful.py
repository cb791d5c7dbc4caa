"""Nodes of an ONNX Runtime profile with times that contradict the run around them, or their thread."""

from __future__ import annotations

import numpy as np
import pandas as pd

from data_loaders.onnxruntime.nodes import HAVE_BODIES
from data_loaders.onnxruntime.run_windows import find_runs, is_in_any_run
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic
from schema.nesting import Nesting
from schema.plurals import plural

MAX_ROUNDING_NS = 2_000
"""Time by which a node may seem to end after the span around it: begin and duration of both are
rounded down to microseconds.
"""


def find_doubtful(nodes: pd.DataFrame, runs: pd.DataFrame) -> Bools:
    """Whether the duration of each node is impossible: it is partly outside of the run of the model
    in which it begins, or of the node around it, or lasts into the next node of its thread.

    `nodes` are in the order of `in_order_of_nesting`, `runs` are those of `read_profile`. Nodes
    that are wholly outside of all runs are possible: profiling may end within a run.
    """
    doubtful = _crosses_runs(nodes, runs)
    start = nodes["start"].to_numpy(np.int64)
    end = nodes["end"].to_numpy(np.int64)
    operator = nodes["op_name"].astype("object")
    # Operators without a name, and those of other packages, may have bodies too.
    may_contain = (operator.isna() | operator.isin(HAVE_BODIES)).to_numpy(bool)
    for rows in nodes.groupby("tid").indices.values():
        own = rows[~doubtful[rows]]
        doubtful[own] = _crosses_thread(start[own], end[own], may_contain[own])
    return doubtful


def doubtful_findings(nodes: pd.DataFrame, file: str) -> list[Diagnostic]:
    """Describe the doubtful nodes of `read_profile` with their number and the first of them."""
    own = nodes[nodes["doubtful"].to_numpy(bool)]
    if not len(own):
        return []
    first = own.iloc[0]
    text = (
        f"{plural(len(own), 'node')} with an end after that of the run or node around, or after the"
        " begin of the next: no number uses these times"
    )
    place = f"{file}: {str(first['name'])[:80]} at {int(first['start'])} ns"
    return [Diagnostic("warning", "nodes_overrun", text, place, len(own))]


def _crosses_runs(nodes: pd.DataFrame, runs: pd.DataFrame) -> Bools:
    """Whether each node begins inside of a run and ends after it, or the other way round."""
    start = nodes["start"].to_numpy(np.int64)
    end = nodes["end"].to_numpy(np.int64)
    if not len(runs):
        return np.zeros(len(nodes), np.bool_)
    begins = runs["start"].to_numpy(np.int64)
    ends = runs["end"].to_numpy(np.int64)
    run = find_runs(runs, nodes)
    inside = is_in_any_run(runs, start)
    # Of several open runs that of a node is not known, but one of them contains it.
    bound = np.where(run >= 0, ends[run], ends.max())
    following = np.append(begins, np.iinfo(np.int64).max)
    following = following[np.searchsorted(begins, start, side="right")]
    bound = np.where(inside, bound, following)
    return np.asarray(end - MAX_ROUNDING_NS > bound)


def _crosses_thread(start: Ints, end: Ints, may_contain: Bools) -> Bools:
    """Whether each node of a thread lasts into one that it cannot contain, or beyond the node that
    contains it.
    """
    doubtful = np.zeros(len(start), np.bool_)
    nesting = Nesting.of(start, end)
    around = nesting.rows(nesting.parent)
    inner = nesting.row[around >= 0]
    around = around[around >= 0]
    is_body = may_contain[around]
    overlap = np.minimum(end[around], end[inner]) - start[inner]
    doubtful[around[~is_body & (overlap > 0)]] = True
    doubtful[inner[is_body & (end[inner] - MAX_ROUNDING_NS > end[around])]] = True
    return doubtful
