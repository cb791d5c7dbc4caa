"""Candidates for bank conflicts: what is computed with and what is moved in one time step, in one bank."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.shared_banks import Banks, banks_of, shared_banks
from analysis.memory.step_pairs import pair_names, step_pairs

_COLUMNS = ("step", "bank", "compute", "transfer")


def bank_conflicts(amap: AttemptMap, events: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return step, bank (int64), compute and transfer (names): pairs of blocks that a time step uses in one bank.

    Pairs are those of `step_pairs` that have addresses; whether one costs time is up to the hardware. Scratch is called
    by its operator. Sorted by step and bank; empty without events, banks or addresses.
    """
    banks = banks_of(amap, events)
    if events is None or banks is None:
        return _add_names(amap, pd.DataFrame({name: np.zeros(0, dtype=np.int64) for name in _COLUMNS}))
    return _add_names(amap, _in_one_bank(amap, step_pairs(amap, events, amap.is_placed), banks))


def count_conflicts(amap: AttemptMap, events: pd.DataFrame | None) -> int | None:
    """Return how many rows `bank_conflicts` has, None where it is not known what steps use, or nothing is placed."""
    known = banks_of(amap, events) is not None and bool(amap.blocks["address"].notna().any())
    return len(bank_conflicts(amap, events)) if known else None


def _in_one_bank(amap: AttemptMap, pairs: pd.DataFrame, banks: Banks) -> pd.DataFrame:
    """Return a row per bank that both blocks of a pair touch."""
    low = amap.blocks["address"].to_numpy(np.int64, na_value=0)
    size = amap.blocks["size"].to_numpy(np.int64)
    one, other = pairs["compute"].to_numpy(np.int64), pairs["transfer"].to_numpy(np.int64)
    pair, bank = shared_banks(banks, (low[one], low[other]), (size[one], size[other])).each()
    return pairs.iloc[pair].reset_index(drop=True).assign(bank=bank)


def _add_names(amap: AttemptMap, found: pd.DataFrame) -> pd.DataFrame:
    names = pair_names(amap).to_numpy()
    sides = {side: pd.Series(names[found[side].to_numpy(np.int64)], dtype="str") for side in ("compute", "transfer")}
    rows = pd.DataFrame({name: found[name].to_numpy(np.int64) for name in ("step", "bank")} | sides)
    return rows.drop_duplicates().sort_values(list(_COLUMNS), ignore_index=True)
