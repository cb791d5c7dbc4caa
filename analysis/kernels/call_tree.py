"""Calls of a thread of the host as a tree: operators, annotations and Python functions by caller."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.kernels.host_threads import HostThreads
from analysis.nested_starts import nested_starts
from schema.array_types import Bools, Ints
from schema.nesting import Nesting

MAX_DEPTH = 60
"""Levels of the tree at most; deeper calls count in the call around them."""
MIN_SHARE = 0.001
"""Parts below this share of the time of all calls are left out, with the calls inside of them."""

MIN_FOLDED = 0.98
"""Share of a call's time that the call inside of it has at least, if the outer one is folded."""


def main_thread(threads: HostThreads, window: tuple[int, int]) -> int | None:
    """Choose the thread whose calls explain a window: that of the step markers if it has calls
    there, else the one with most time in operators, then in functions; None without any.
    """
    start = np.array([window[0]])
    end = np.array([window[1]])
    times: dict[int, tuple[int, int]] = {}
    # Time in functions comes second: a thread that waits is in a function all the time.
    for thread in np.unique(threads.thread[_calls(threads)]).tolist():
        in_operators = threads.covered_time(thread, threads.operations).within(start, end)
        in_calls = threads.covered_time(thread, _calls(threads)).within(start, end)
        times[thread] = (int(in_operators[0]), int(in_calls[0]))
    stepping = threads.step_thread
    if stepping is not None and times.get(stepping, (0, 0))[1]:
        return stepping
    return max(times, key=lambda thread: times[thread], default=None)


def call_tree(threads: HostThreads, thread: int, window: tuple[int, int]) -> pd.DataFrame:
    """Sum the time of the calls of a thread in a window [start, end) by their path of callers.

    Columns: name, parent (row of the caller, -1 for none), depth (0 outermost), total (ns in the
    window), own (ns without the calls inside), calls, start (of the icicle plot, ns). Callers come
    before their calls. Parts below 0.1 % (MIN_SHARE) are left out.
    """
    calls = _window_calls(threads, thread, window)
    node = np.full(len(calls.time), -1)
    level = np.flatnonzero(calls.parent < 0)
    least = MIN_SHARE * int(calls.time[level].sum())
    parts: list[pd.DataFrame] = []
    size = 0
    for depth in range(MAX_DEPTH):
        caller = np.where(calls.parent[level] >= 0, node[calls.parent[level]], -1)
        part, place = _sum_level(calls, level, caller)
        is_kept = (part["total"] >= max(least, 1)).to_numpy(bool)
        if not is_kept.any():
            break
        row = np.where(is_kept, size + np.cumsum(is_kept) - 1, -1)
        node[level] = row[place]
        names = [threads.names[code] for code in part["code"][is_kept].tolist()]
        parts.append(part[is_kept].drop(columns="code").assign(name=names, depth=depth))
        size += int(is_kept.sum())
        has_caller = (calls.parent >= 0) & (node[np.maximum(calls.parent, 0)] >= 0)
        level = np.flatnonzero(has_caller & (node < 0) & (calls.depth == depth + 1))
    return _with_places(parts)


def fold_outer_calls(tree: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Drop the outermost calls of `call_tree` that do little but call the next one, which has
    nearly all of their time (MIN_FOLDED); also returns their number.
    """
    depth = tree["depth"].to_numpy(np.int64)
    is_single = np.bincount(depth, minlength=2) == 1
    total = tree["total"].to_numpy(np.int64)
    count = 0
    # A level with a single call has the row of its depth, as long as all levels above have one.
    while (
        count + 1 < len(is_single)
        and is_single[count : count + 2].all()
        and total[count + 1] >= MIN_FOLDED * total[count]
    ):
        count += 1
    rest = tree.iloc[count:].reset_index(drop=True)
    parent = np.maximum(rest["parent"].to_numpy(np.int64) - count, -1)
    return rest.assign(parent=parent, depth=rest["depth"] - count), count


@dataclass(frozen=True)
class _Calls:
    """Calls of a thread: time in the window and without the calls inside, name, caller, depth."""

    time: Ints
    own: Ints
    name: Ints
    parent: Ints
    depth: Ints


def _calls(threads: HostThreads) -> Bools:
    return np.asarray(threads.operations | threads.functions)


def _window_calls(threads: HostThreads, thread: int, window: tuple[int, int]) -> _Calls:
    is_inside = (threads.start < window[1]) & (threads.end > window[0])
    rows = np.flatnonzero(_calls(threads) & (threads.thread == thread) & is_inside)
    # Nested before they are cut: calls that cover the window would all be of equal length.
    nesting = Nesting.of(threads.start[rows], threads.end[rows])
    time = np.minimum(nesting.end, window[1]) - np.maximum(nesting.start, window[0])
    inner = np.flatnonzero(nesting.parent >= 0)
    inside = np.zeros(len(time), np.int64)
    np.add.at(inside, nesting.parent[inner], time[inner])
    # Calls that cross the end of their caller would make its own time negative.
    own = np.maximum(time - inside, 0)
    return _Calls(
        time, own, threads.name[rows][nesting.row], nesting.parent, _depths(nesting.parent)
    )


def _depths(parent: Ints) -> Ints:
    """Count the callers of each call, at most one more than MAX_DEPTH."""
    depth = np.zeros(len(parent), np.int64)
    above = parent.copy()
    # Deeper calls are not drawn, so that deep recursion takes no more rounds.
    for _ in range(MAX_DEPTH + 1):
        depth += above >= 0
        above = np.where(above >= 0, parent[np.maximum(above, 0)], -1)
    return depth


def _sum_level(calls: _Calls, level: Ints, caller: Ints) -> tuple[pd.DataFrame, Ints]:
    """Sum calls of a level by caller and name; also returns the row of each call."""
    keys, place = np.unique(np.stack([caller, calls.name[level]]), axis=1, return_inverse=True)
    place = place.reshape(-1)
    count = keys.shape[1]
    total = np.zeros(count, np.int64)
    own = np.zeros(count, np.int64)
    np.add.at(total, place, calls.time[level])
    np.add.at(own, place, calls.own[level])
    columns = {
        "code": keys[1],
        "parent": keys[0],
        "total": total,
        "own": own,
        "calls": np.bincount(place, minlength=count),
    }
    return pd.DataFrame(columns), place


def _with_places(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Join the levels of a tree, with places of the icicle plot."""
    if not parts:
        columns = ("parent", "total", "own", "calls", "depth", "start")
        return pd.DataFrame({name: np.zeros(0, np.int64) for name in columns} | {"name": []})
    tree = pd.concat(parts, ignore_index=True)
    total = tree["total"].to_numpy(np.int64)
    return tree.assign(start=nested_starts(tree["parent"].tolist(), total))
