"""Queries on a memory map: the blocks alive at a step, and the neighbours of a block in time and
address.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED, AttemptMap, Segments
from analysis.memory.in_use import peak_in_use, used_column
from schema.array_types import Bools, Ints

_NEAREST = 3
"""Maximum number of neighbours for each relation."""
RELATIONS = ("same address", "above", "below", "before", "after")
"""Relations of a neighbour to a block, in the order in which they are listed."""


def alive(amap: AttemptMap, step: int) -> pd.DataFrame:
    """Select the rows of frame `allocations` of the map's blocks that are alive at a step, largest
    first, with their index; failed blocks included, constants left out. Empty if no block is alive.
    """
    parts = amap.segments
    rows = np.unique(parts.row[(parts.start <= step) & (parts.end > step)])
    blocks = amap.blocks.iloc[rows]
    return blocks[blocks["kind"] != "constant"].sort_values("size", ascending=False, kind="stable")


def peak_within(amap: AttemptMap, window: tuple[int, int]) -> int | None:
    """Find the first step of a window [begin, end) at which the most bytes are in use, failed
    blocks left out; `None` if the window has no step.
    """
    rows = amap.occupancy[amap.occupancy["bank"].isna()]
    begins = rows["step"].to_numpy(np.int64)
    ends = np.append(begins[1:], max(amap.length, begins[-1] + 1)) if len(begins) else begins
    seen = np.flatnonzero((begins < window[1]) & (ends > window[0]))
    if not len(seen):
        return None
    most = seen[int(rows[used_column(amap)].to_numpy(np.int64)[seen].argmax())]
    return int(max(begins[most], window[0]))


def peak_blocks(amap: AttemptMap) -> Ints:
    """List the rows of the map's blocks that are alive at the first step with the most bytes in
    use, largest first; empty if the step is unknown.

    Every allocator needs at least the sum of their sizes, of blocks that share addresses the union.
    Constants and failed blocks are left out.
    """
    _, step = peak_in_use(amap)
    if step is None:
        return np.zeros(0, dtype=np.int64)
    parts = amap.segments
    rows = np.unique(parts.row[(parts.start <= step) & (parts.end > step)])
    outside = (amap.blocks["kind"] == "constant").to_numpy(bool) | (
        amap.blocks["status"] == "failed"
    ).to_numpy(bool)
    rows = rows[~outside[rows]]
    return np.asarray(
        rows[np.argsort(-amap.blocks["size"].to_numpy(np.int64)[rows], kind="stable")]
    )


def height_setters(amap: AttemptMap) -> Ints:
    """List the rows of the blocks that determine the extent: the highest block, then each block
    that the previous block rests on.

    A block rests on the highest block that is alive together with it and ends at or below its
    address. Empty if no block has an address.
    """
    parts = _arena(amap)
    if not len(parts):
        return np.zeros(0, dtype=np.int64)
    at = int(parts.high.argmax())
    chain = [int(parts.row[at])]
    while (beneath := _beneath(parts, at)) is not None:
        at = beneath
        chain.append(int(parts.row[at]))
    return np.array(list(dict.fromkeys(chain)), dtype=np.int64)


def neighbours(amap: AttemptMap, row: int) -> pd.DataFrame:
    """Find the nearest neighbours of the block at `row`, up to three per relation, nearest first.

    Columns: relation (above and below: alive together; before and after: at the same addresses;
    same address: alive together at the same address), row (of the neighbour), distance (int64;
    bytes, or steps for before and after). Empty if the block has no address.
    """
    parts = _arena(amap)
    own = parts.take(parts.row == row)
    relations = [_relations(part, parts.take(parts.row != row)) for part in _each(own)]
    if not relations:
        return pd.DataFrame(
            {"relation": pd.Series(dtype="str"), "row": _no_rows(), "distance": _no_rows()}
        )
    # A block that wraps or has gaps has several segments: the smallest distance counts.
    nearest = (
        pd.concat(relations)
        .groupby(["relation", "row"], sort=False, as_index=False)["distance"]
        .min()
    )
    nearest = (
        nearest.sort_values("distance", kind="stable")
        .groupby("relation", sort=False)
        .head(_NEAREST)
    )
    rank = nearest["relation"].map({name: i for i, name in enumerate(RELATIONS)})
    return nearest.iloc[rank.argsort(kind="stable")].reset_index(drop=True)


def users(amap: AttemptMap, row: int) -> pd.DataFrame:
    """List the operators that use the block at `row`, sorted by step: step, name and op_type of the
    operator, access (r, w or rw). Empty if no use is known; names are "" if the step is unknown.
    """
    used = amap.uses[amap.uses["block"] == amap.blocks["block"].iloc[row]]
    steps = amap.steps.drop_duplicates("step").set_index("step")
    operators = pd.DataFrame(
        {
            "step": used["kernel"].to_numpy(np.int64),
            "access": used["access"].astype("str").to_numpy(),
        }
    )
    for column in ("name", "op_type"):
        operators[column] = (
            steps[column].astype("str").reindex(operators["step"]).fillna("").to_numpy()
        )
    return operators[["step", "name", "op_type", "access"]].sort_values(
        "step", kind="stable", ignore_index=True
    )


def _arena(amap: AttemptMap) -> Segments:
    """Select the segments of the map with an address; constants are left out."""
    parts = amap.segments
    constant = (amap.blocks["kind"] == "constant").to_numpy(bool)[parts.row]
    return parts.take((parts.low != NOT_PLACED) & ~constant)


def _beneath(parts: Segments, at: int) -> int | None:
    """Find the index of the segment that the segment `at` rests on; `None` if it rests on the
    bottom.
    """
    together = (parts.start < parts.end[at]) & (parts.end > parts.start[at])
    # An empty segment ends where it begins: it would support itself.
    under = np.flatnonzero(together & (parts.high <= parts.low[at]) & (parts.high > parts.low))
    return int(under[parts.high[under].argmax()]) if len(under) else None


def _each(parts: Segments) -> list[Segments]:
    return [parts.take(np.array([i])) for i in range(len(parts))]


def _relations(own: Segments, others: Segments) -> pd.DataFrame:
    """List the segments of `others`, near and far, that have a relation to the segment `own`.

    Columns: relation (see RELATIONS), row (of the block) and distance (bytes, or steps for before
    and after). Segments without a relation are left out.
    """
    together = (others.start < own.end) & (others.end > own.start)
    level = (others.low < own.high) & (others.high > own.low)
    relations: tuple[tuple[str, Bools, Ints], ...] = (
        ("same address", together & (others.low == own.low), np.zeros(len(others), dtype=np.int64)),
        ("above", together & (others.low >= own.high), others.low - own.high),
        ("below", together & (others.high <= own.low), own.low - others.high),
        ("before", level & (others.end <= own.start), own.start - others.end),
        ("after", level & (others.start >= own.end), others.start - own.end),
    )
    rows = [
        pd.DataFrame({"relation": name, "row": others.row[is_so], "distance": distance[is_so]})
        for name, is_so, distance in relations
    ]
    return pd.concat(rows, ignore_index=True)


def _no_rows() -> pd.Series:
    return pd.Series(dtype="int64")
