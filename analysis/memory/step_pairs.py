"""What a time step uses at once: a block that it computes with, and one that it moves."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Bools, Ints

MOST_PAIRS = 1 << 18
"""Pairs of blocks that are looked at; real logs have a few thousand, and nobody reads more."""

TRANSFERS, COMPUTATION = "gdma", "layer"


def step_pairs(amap: AttemptMap, events: pd.DataFrame, there: Bools | None = None) -> pd.DataFrame:
    """Return step, compute and transfer: positions of two blocks that one step computes with and moves; all int64.

    `events` are the rows of frame `events` of the attempt: lane gdma names a tensor that is loaded or stored, lane
    layer the output of a computation; `steps.begin` has the step. A computation uses its output, and what is
    alive for the last time in its step and not transferred in it: an operand that nobody needs any more, or scratch
    memory. Operands that live on are not known to the log, so there may be more pairs than these. `there` says which
    blocks count, all where it is None. Beyond MOST_PAIRS the rest is left out.
    """
    there = np.ones(len(amap.blocks), dtype=np.bool_) if there is None else there
    moved = _blocks_of(amap, events, TRANSFERS, there)
    made = _blocks_of(amap, events, COMPUTATION, there)
    ending = _without(_ending(amap, made["step"].to_numpy(np.int64), there), moved)
    used = pd.concat([_without(made, moved), ending]).drop_duplicates()
    pairs = _bound_pairs(used, moved, "step").rename(columns={"row": "compute"})
    return pairs.merge(moved.rename(columns={"row": "transfer"}), on="step")


def pair_names(amap: AttemptMap) -> pd.Series:
    """Return what each block is called in a pair: scratch goes by its operator, its name being another's."""
    blocks = amap.blocks
    scratch = blocks["kind"] == "operation"
    return blocks["name"].where(~scratch, blocks["op_type"].astype("str").fillna(""))


def _blocks_of(amap: AttemptMap, events: pd.DataFrame, lane: str, there: Bools) -> pd.DataFrame:
    """Return step and row of the blocks that the events of a lane name, each once and at most MOST_PAIRS."""
    begins = amap.steps.dropna(subset="begin").sort_values(["begin", "step"])
    own = events[(events["lane"] == lane) & (events["end"] > events["start"])]
    # Steps without cycles begin where the next one does; what takes time belongs to the last of those.
    rank = np.searchsorted(begins["begin"].to_numpy(np.int64), own["start"].to_numpy(np.int64), side="right") - 1
    named = pd.DataFrame({"name": own["name"].astype("str").to_numpy()[rank >= 0]})
    named["step"] = begins["step"].to_numpy(np.int64)[rank[rank >= 0]]
    blocks = amap.blocks.reset_index(names="row")
    blocks = blocks[(blocks["kind"] != "operation") & there]
    named = _bound_pairs(named.drop_duplicates(), blocks, "name")
    return named.merge(blocks[["name", "row"]], on="name")[["step", "row"]].drop_duplicates(ignore_index=True)


def _ending(amap: AttemptMap, steps: Ints, there: Bools) -> pd.DataFrame:
    """Return step and row of the blocks that are alive for the last time in one of the steps."""
    blocks = amap.blocks
    last = blocks["end"].to_numpy(np.int64) - 1
    ends = np.isin(last, steps) & ~blocks["hold"].to_numpy(bool) & (blocks["kind"] != "constant").to_numpy(bool)
    row = np.flatnonzero(ends & there)
    return pd.DataFrame({"step": last[row], "row": row})


def _without(rows: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of step and row that are not among others."""
    known = pd.MultiIndex.from_frame(rows).isin(pd.MultiIndex.from_frame(others))
    return rows[~known]


def _bound_pairs(rows: pd.DataFrame, others: pd.DataFrame, on: str) -> pd.DataFrame:
    """Return the first rows, as far as they make no more than MOST_PAIRS with others that have the same in a column."""
    partners = rows[on].map(others[on].value_counts()).fillna(0).to_numpy(np.int64)
    return rows[np.cumsum(partners) <= MOST_PAIRS]
