"""Candidates for bank conflicts: what is computed with and what is moved in one time step, in one bank."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap, Ints
from analysis.memory.occupancy import MOST_BANKS

MOST_PAIRS = 1 << 18
"""Pairs of blocks that are looked at; real logs have a few thousand, and nobody reads more."""

TRANSFERS, COMPUTATION = "gdma", "layer"


def bank_conflicts(amap: AttemptMap, events: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return step, bank (int64), compute and transfer (names): pairs of blocks that a time step uses in one bank.

    `events` are the rows of frame `events` of the attempt: lane gdma names a tensor that is loaded or stored, lane
    layer the output of a computation; `steps.begin` has the step. A computation uses its output, and what is
    alive for the last time in its step and not transferred in it: an operand that nobody needs any more, or scratch
    memory. Operands that live on are not known to the log, so there may be more conflicts than these; whether one costs
    time is up to the hardware. Scratch is called by its operator, its name being another's. Sorted by step and bank;
    empty without events, banks or addresses; beyond MOST_PAIRS the rest is left out.
    """
    banks, width = amap.whole("banks") or 0, amap.whole("bank_bytes") or 0
    if events is None or not len(events) or not width or not 0 < banks <= MOST_BANKS:
        return _named(amap, pd.DataFrame({name: _none() for name in ("step", "bank", "compute", "transfer")}))
    moved = _blocks_of(amap, events, TRANSFERS)
    made = _blocks_of(amap, events, COMPUTATION)
    ending = _without(_ending(amap, made["step"].to_numpy(np.int64)), moved)
    used = pd.concat([_without(made, moved), ending]).drop_duplicates()
    pairs = _bounded(used, moved).rename(columns={"row": "compute"})
    pairs = pairs.merge(moved.rename(columns={"row": "transfer"}), on="step")
    return _named(amap, _in_one_bank(amap, pairs, banks, width))


def _blocks_of(amap: AttemptMap, events: pd.DataFrame, lane: str) -> pd.DataFrame:
    """Return step and row of the placed blocks that the events of a lane name, each once."""
    begins = amap.steps.dropna(subset="begin").sort_values(["begin", "step"])
    own = events[(events["lane"] == lane) & (events["end"] > events["start"])]
    # Steps without cycles begin where the next one does; what takes time belongs to the last of those.
    rank = np.searchsorted(begins["begin"].to_numpy(np.int64), own["start"].to_numpy(np.int64), side="right") - 1
    named = pd.DataFrame({"name": own["name"].astype("str").to_numpy()[rank >= 0]})
    named["step"] = begins["step"].to_numpy(np.int64)[rank[rank >= 0]]
    blocks = amap.blocks.reset_index(names="row")
    blocks = blocks[(blocks["kind"] != "operation") & blocks["address"].notna() & (blocks["status"] != "failed")]
    return named.merge(blocks[["name", "row"]], on="name")[["step", "row"]].drop_duplicates(ignore_index=True)


def _ending(amap: AttemptMap, steps: Ints) -> pd.DataFrame:
    """Return step and row of the placed blocks that are alive for the last time in one of the steps."""
    blocks = amap.blocks
    last = blocks["end"].to_numpy(np.int64) - 1
    ends = np.isin(last, steps) & ~blocks["hold"].to_numpy(bool) & (blocks["kind"] != "constant").to_numpy(bool)
    row = np.flatnonzero(
        ends & blocks["address"].notna().to_numpy(bool) & (blocks["status"] != "failed").to_numpy(bool)
    )
    return pd.DataFrame({"step": last[row], "row": row})


def _without(rows: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of step and row that are not among others."""
    known = pd.MultiIndex.from_frame(rows).isin(pd.MultiIndex.from_frame(others))
    return rows[~known]


def _bounded(used: pd.DataFrame, moved: pd.DataFrame) -> pd.DataFrame:
    """Return what is used, as far as it makes no more than MOST_PAIRS with what is moved in its step."""
    partners = used["step"].map(moved["step"].value_counts()).fillna(0).to_numpy(np.int64)
    return used[np.cumsum(partners) <= MOST_PAIRS]


def _in_one_bank(amap: AttemptMap, pairs: pd.DataFrame, banks: int, width: int) -> pd.DataFrame:
    """Return a row per bank that both blocks of a pair touch."""
    low = amap.blocks["address"].to_numpy(np.int64, na_value=0)
    high = low + np.maximum(amap.blocks["size"].to_numpy(np.int64), 1)
    one, other = pairs["compute"].to_numpy(np.int64), pairs["transfer"].to_numpy(np.int64)
    first = np.minimum(np.maximum(low[one], low[other]) // width, banks)
    last = np.minimum((np.minimum(high[one], high[other]) - 1) // width, banks - 1)
    # Two blocks far apart share a bank where the higher begins in the one in which the lower ends.
    count = np.maximum(last - first + 1, 0)
    touched = pairs.loc[pairs.index.repeat(count)].reset_index(drop=True)
    within = np.arange(len(touched)) - np.repeat(np.cumsum(count) - count, count)
    return touched.assign(bank=np.repeat(first, count) + within)


def _named(amap: AttemptMap, found: pd.DataFrame) -> pd.DataFrame:
    blocks = amap.blocks
    scratch = blocks["kind"] == "operation"
    called = blocks["name"].where(~scratch, blocks["op_type"].astype("str").fillna("")).to_numpy()
    names = {side: pd.Series(called[found[side].to_numpy(np.int64)], dtype="str") for side in ("compute", "transfer")}
    rows = pd.DataFrame({name: found[name].to_numpy(np.int64) for name in ("step", "bank")} | names)
    return rows.drop_duplicates().sort_values(["step", "bank", "compute", "transfer"], ignore_index=True)


def _none() -> Ints:
    return np.zeros(0, dtype=np.int64)
