"""Pairs of blocks that a time step uses at once: a block that it computes with and a block that it
transfers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Bools, Ints

MAX_PAIRS = 1 << 18
"""Maximum number of pairs; real logs have a few thousand."""

TRANSFERS, COMPUTATION = "gdma", "layer"
"""Lanes of the events of transfers and of computations."""


def step_pairs(
    amap: AttemptMap, events: pd.DataFrame, included: Bools | None = None
) -> pd.DataFrame:
    """List the pairs of blocks of which a step computes with the first and transfers the second:
    step, compute, transfer (rows of blocks), int64; empty without events.

    `events` are the rows of frame `events` of the attempt: lane gdma names a tensor that is loaded
    or stored, lane layer the output of a computation; `steps.begin` has the begin of each step. A
    computation uses its output, and the blocks that end in its step and are not transferred: its
    last-used operands, or scratch memory. The log does not list operands that live on, so there may
    be more pairs. `included` is a mask of the blocks to include, all if `None`. At most MAX_PAIRS
    (2^18) pairs are listed.
    """
    included = np.ones(len(amap.blocks), dtype=np.bool_) if included is None else included
    moved = _event_blocks(amap, events, TRANSFERS, included)
    computed = _event_blocks(amap, events, COMPUTATION, included)
    ending = _without(_ending(amap, computed["step"].to_numpy(np.int64), included), moved)
    used = pd.concat([_without(computed, moved), ending]).drop_duplicates()
    pairs = _bound_pairs(used, moved, "step").rename(columns={"row": "compute"})
    return pairs.merge(moved.rename(columns={"row": "transfer"}), on="step")


def pair_names(amap: AttemptMap) -> pd.Series:
    """Return the name of each block in a pair, in the order of the map's blocks; scratch memory has
    the name of its operator, because its own name is that of another tensor.
    """
    blocks = amap.blocks
    scratch = blocks["kind"] == "operation"
    return blocks["name"].where(~scratch, blocks["op_type"].astype("str").fillna(""))


def _event_blocks(
    amap: AttemptMap, events: pd.DataFrame, lane: str, included: Bools
) -> pd.DataFrame:
    """List step and row (of the block) of the blocks that the events of a lane name, without
    duplicates; at most as many names as make MAX_PAIRS (2^18) pairs with blocks.
    """
    begins = amap.steps.dropna(subset="begin").sort_values(["begin", "step"])
    own = events[(events["lane"] == lane) & (events["end"] > events["start"])]
    # A step without cycles begins when the next step does; an event belongs to the last step that
    # has begun.
    rank = (
        np.searchsorted(
            begins["begin"].to_numpy(np.int64), own["start"].to_numpy(np.int64), side="right"
        )
        - 1
    )
    named = pd.DataFrame({"name": own["name"].astype("str").to_numpy()[rank >= 0]})
    named["step"] = begins["step"].to_numpy(np.int64)[rank[rank >= 0]]
    blocks = amap.blocks.reset_index(names="row")
    blocks = blocks[(blocks["kind"] != "operation") & included]
    named = _bound_pairs(named.drop_duplicates(), blocks, "name")
    return named.merge(blocks[["name", "row"]], on="name")[["step", "row"]].drop_duplicates(
        ignore_index=True
    )


def _ending(amap: AttemptMap, steps: Ints, included: Bools) -> pd.DataFrame:
    """List step and row of the blocks with a lifetime that ends in any of these steps; constants
    and blocks that are alive throughout are left out.
    """
    blocks = amap.blocks
    last = blocks["end"].to_numpy(np.int64) - 1
    ends = (
        np.isin(last, steps)
        & ~blocks["hold"].to_numpy(bool)
        & (blocks["kind"] != "constant").to_numpy(bool)
    )
    row = np.flatnonzero(ends & included)
    return pd.DataFrame({"step": last[row], "row": row})


def _without(rows: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the first frame that the second frame does not contain."""
    listed = pd.MultiIndex.from_frame(rows).isin(pd.MultiIndex.from_frame(others))
    return rows[~listed]


def _bound_pairs(rows: pd.DataFrame, others: pd.DataFrame, on: str) -> pd.DataFrame:
    """Return the first rows of `rows`, as long as these make at most MAX_PAIRS (2^18) pairs with
    the rows of `others` that have equal values in column `on`.
    """
    partners = rows[on].map(others[on].value_counts()).fillna(0).to_numpy(np.int64)
    return rows[np.cumsum(partners) <= MAX_PAIRS]
