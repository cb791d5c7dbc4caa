"""Numbers of issues of a program's instructions, counted in the thread traces of its runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd


def issues_by_pc(instructions: pd.DataFrame, traces: Collection[int]) -> pd.Series:
    """Count the issues per pc in frame `wave_instructions` for the waves of `traces`, as a series
    indexed by pc, most first; a pc without an issue is missing.
    """
    own = instructions[instructions["trace"].isin(traces)]
    return own["pc"].dropna().astype("int64").value_counts()


def hottest_loop(
    loops: Sequence[frozenset[int]], blocks: pd.DataFrame, issued: pd.Series
) -> frozenset[int]:
    """Return the loop that issued the most instructions; an empty set if no loop issued any.

    Loops are sets of block numbers, `blocks` are rows of `basic_blocks`, `issued` has the number of
    issues by pc.
    """
    if not len(loops) or not len(issued):
        return frozenset()
    counts = dict(zip(blocks["block"].tolist(), _counts(blocks, issued), strict=True))
    totals = [(sum(counts[block] for block in loop), loop) for loop in loops]
    most, loop = max(totals, key=lambda total: total[0])
    return loop if most else frozenset()


def count_issues(blocks: pd.DataFrame, issued: pd.Series, wanted: Collection[int]) -> int:
    """Sum the issues of the instructions in the blocks numbered `wanted`; `issued` has the number
    of issues by pc. Unknown blocks count 0.
    """
    return sum(_counts(blocks[blocks["block"].isin(wanted)], issued))


def _counts(blocks: pd.DataFrame, issued: pd.Series) -> list[int]:
    """Sum the issues (`issued`, by pc) of the instructions in each block [start, end), in the order
    of the rows; blocks must not overlap.
    """
    start, end = (blocks[name].to_numpy(np.int64) for name in ("start", "end"))
    # An empty block has the same start as the next block, and would be found in its place.
    rows = np.flatnonzero(start < end)
    rows = rows[np.argsort(start[rows])]
    pcs = issued.index.to_numpy(np.int64)
    counts = np.zeros(len(blocks), dtype=np.int64)
    place = np.searchsorted(start[rows], pcs, side="right") - 1
    after_start = place >= 0
    row = rows[place[after_start]]
    pcs = pcs[after_start]
    count = issued.to_numpy(np.int64)[after_start]
    inside = pcs < end[row]
    np.add.at(counts, row[inside], count[inside])
    return [int(count) for count in counts]
