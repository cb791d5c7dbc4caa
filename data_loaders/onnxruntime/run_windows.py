"""The run of the model in which a node or kernel of an ONNX Runtime profile begins."""

from __future__ import annotations

import numpy as np
import pandas as pd

from schema.array_types import Bools, Ints


def find_runs(runs: pd.DataFrame, spans: pd.DataFrame) -> Ints:
    """Find the run of the model, numbered from 0, in which each span began; -1 if it is unknown or
    ambiguous.

    The calls of a thread follow each other, so a span on such a thread belongs to the call that is
    running there. A span on a pool thread belongs to the running call if there is exactly one.
    """
    # First the rule for pool threads, then the threads with calls of their own override it.
    start = spans["start"].to_numpy(np.int64)
    run = _only_open(runs["start"].to_numpy(np.int64), runs["end"].to_numpy(np.int64), start)
    for thread, own in runs.groupby("tid"):
        mine = np.flatnonzero((spans["tid"] == thread).fillna(False).to_numpy(np.bool_))
        begins = own["start"].to_numpy(np.int64)
        ends = own["end"].to_numpy(np.int64)
        place = np.searchsorted(begins, start[mine], side="right") - 1
        inside = (place >= 0) & (start[mine] < ends[np.maximum(place, 0)])
        run[mine[inside]] = own.index.to_numpy(np.int64)[place[inside]]
    return run


def is_in_any_run(runs: pd.DataFrame, moments: Ints) -> Bools:
    """Whether a run is open at each moment; `runs` are in order of their begin."""
    if not len(runs):
        return np.zeros(len(moments), np.bool_)
    begun = np.searchsorted(runs["start"].to_numpy(np.int64), moments, side="right")
    latest = np.maximum.accumulate(runs["end"].to_numpy(np.int64))
    return (begun > 0) & (moments < latest[np.maximum(begun - 1, 0)])


def _only_open(begins: Ints, ends: Ints, times: Ints) -> Ints:
    """Return the index of the interval that is open at each time (begin inclusive, end exclusive).

    Returns -1 if no interval or more than one is. `begins` must be sorted.
    """
    order = np.argsort(ends, kind="stable")
    begun = np.searchsorted(begins, times, side="right")
    ended = np.searchsorted(ends[order], times, side="right")
    of_begun = np.concatenate([[0], np.cumsum(np.arange(len(begins)))])
    of_ended = np.concatenate([[0], np.cumsum(order)])
    # If only a single interval is open, its rank is the sum of the ranks of all begun intervals
    # minus the sum of the ranks of all ended intervals.
    return np.where(begun - ended == 1, of_begun[begun] - of_ended[ended], -1).astype(np.int64)
