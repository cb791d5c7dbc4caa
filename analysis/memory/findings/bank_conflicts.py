"""Candidates for bank conflicts: blocks in the same bank that a step computes with
and transfers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.shared_banks import Banks, read_banks, shared_banks
from analysis.memory.step_pairs import pair_names, step_pairs

_COLUMNS = ("step", "bank", "compute", "transfer")


def bank_conflicts(amap: AttemptMap, events: pd.DataFrame | None = None) -> pd.DataFrame:
    """List the pairs of blocks that a step uses in the same bank: step, bank (int64, from 0),
    compute and transfer (names).

    It lists the pairs of `step_pairs` that have addresses, without duplicates; whether a pair costs
    time depends on the hardware. Scratch memory is named by its operator. Sorted by step and bank;
    empty if there are no events, banks or addresses.
    """
    banks = read_banks(amap, events)
    if events is None or banks is None:
        return _add_names(
            amap, pd.DataFrame({name: np.zeros(0, dtype=np.int64) for name in _COLUMNS})
        )
    return _add_names(amap, _in_one_bank(amap, step_pairs(amap, events, amap.is_placed), banks))


def count_conflicts(amap: AttemptMap, events: pd.DataFrame | None) -> int | None:
    """Count the rows of `bank_conflicts` of an attempt; `None` if it has no banks, if the operands
    of the steps are unknown, or if no block has an address.
    """
    has_operands = read_banks(amap, events) is not None and bool(
        amap.blocks["address"].notna().any()
    )
    return len(bank_conflicts(amap, events)) if has_operands else None


def _in_one_bank(amap: AttemptMap, pairs: pd.DataFrame, banks: Banks) -> pd.DataFrame:
    """Return a row for each bank that both blocks of a pair use: the pair's columns and `bank`."""
    low = amap.blocks["address"].to_numpy(np.int64, na_value=0)
    size = amap.blocks["size"].to_numpy(np.int64)
    compute = pairs["compute"].to_numpy(np.int64)
    transfer = pairs["transfer"].to_numpy(np.int64)
    pair, bank = shared_banks(
        banks, (low[compute], low[transfer]), (size[compute], size[transfer])
    ).each()
    return pairs.iloc[pair].reset_index(drop=True).assign(bank=bank)


def _add_names(amap: AttemptMap, pairs: pd.DataFrame) -> pd.DataFrame:
    names = pair_names(amap).to_numpy()
    sides = {
        side: pd.Series(names[pairs[side].to_numpy(np.int64)], dtype="str")
        for side in ("compute", "transfer")
    }
    rows = pd.DataFrame({name: pairs[name].to_numpy(np.int64) for name in ("step", "bank")} | sides)
    return rows.drop_duplicates().sort_values(list(_COLUMNS), ignore_index=True)
