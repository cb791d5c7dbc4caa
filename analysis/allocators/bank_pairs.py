"""Pairs of storages that should share no memory bank, because a step computes with one storage
while it transfers the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.allocators.demand import Demand
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.shared_banks import Banks, read_banks, shared_banks
from analysis.memory.step_pairs import pair_names, step_pairs
from schema.array_types import Bools, Ints


@dataclass(frozen=True)
class BankPairs:
    """Pairs of storages and the banks of their memory.

    A pair has an entry for each step in which it occurs. All columns are int64 arrays of equal
    length. `one` and `other` are storages, whose blocks use the first `one_bytes` and `other_bytes`
    of them. Entries with equal `step_names` have the same step and block names, so they count once,
    as in the findings.
    """

    banks: Banks
    one: Ints
    other: Ints
    one_bytes: Ints
    other_bytes: Ints
    step_names: Ints

    def conflicts(self, address: Ints) -> int:
        """Count the banks that pairs share in any step, summed over pairs, when the storages are at
        `address` (bytes, an address per storage). Entries with equal step and names count once; 0
        if no pair shares a bank.
        """
        places = (address[self.one], address[self.other])
        sizes = (self.one_bytes, self.other_bytes)
        pair, bank = shared_banks(self.banks, places, sizes).each()
        return len(np.unique(self.step_names[pair] * self.banks.count + bank))

    def only(self, mask: Bools) -> BankPairs:
        """Return new BankPairs with the entries for which the mask is true."""
        columns = (self.one, self.other, self.one_bytes, self.other_bytes, self.step_names)
        return BankPairs(self.banks, *(column[mask] for column in columns))

    def storages_in_conflict(self, address: Ints) -> Ints:
        """List the indexes of the storages that share a bank with a partner, sorted, when the
        storages are at `address` (bytes, an address per storage); empty if there is no conflict.
        """
        places = (address[self.one], address[self.other])
        sizes = (self.one_bytes, self.other_bytes)
        shared = shared_banks(self.banks, places, sizes).count > 0
        return np.unique(np.concatenate([self.one[shared], self.other[shared]]))


def bank_pairs(amap: AttemptMap, events: pd.DataFrame | None, wanted: Demand) -> BankPairs | None:
    """Find the pairs of storages that should share no bank because a step computes with the first
    while it transfers the second, for placed and unplaced blocks.

    `None` if the memory has no banks, or if there are no events. `events` are the rows of frame
    `events` of the attempt. Constants are not placed, so they make no pairs.
    """
    banks = read_banks(amap, events)
    if events is None or banks is None:
        return None
    storage = np.full(len(amap.blocks), -1, dtype=np.int64)
    storage[wanted.arena] = wanted.of
    pairs = step_pairs(amap, events)
    sides = [pairs[name].to_numpy(np.int64) for name in ("compute", "transfer")]
    movable = (storage[sides[0]] >= 0) & (storage[sides[1]] >= 0)
    pairs = pairs[movable]
    (compute, transfer) = (side[movable] for side in sides)
    names = pair_names(amap).to_numpy()
    size = amap.blocks["size"].to_numpy(np.int64)
    named = pd.DataFrame(
        {"step": pairs["step"].to_numpy(), "compute": names[compute], "transfer": names[transfer]}
    )
    alike = named.groupby(list(named.columns), sort=False).ngroup().to_numpy(np.int64)
    return BankPairs(
        banks, storage[compute], storage[transfer], size[compute], size[transfer], alike
    )
