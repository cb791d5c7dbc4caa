"""Placement problem: the storages of an attempt, their fixed addresses, and the
available memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.allocators.bank_pairs import BankPairs, bank_pairs
from analysis.allocators.demand import Demand, demand
from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Bools, Ints
from schema.memory import MAX_BYTES
from schema.plurals import plural

NOT_FIXED = -1
"""Entry of `Problem.fixed` for a storage that may be placed at any address."""
MAX_PARTS = 1 << 16
"""Maximum number of parts of lifetimes in a problem: the time to place them grows with their
square.
"""


@dataclass(frozen=True)
class Problem:
    """Storages to place; `demand` has their sizes, alignments and the bytes that they use in each
    step.

    `attempt` is the attempt's rank. `block` has the block number for each entry of `demand.arena`.
    `fixed` is the required address of each storage, NOT_FIXED if it has no requirement. `capacity`
    are the bytes of the attempt's memory, `None` if unknown; constants take `static_bytes` of it.
    `windows` is true if some storage uses only a part of its bytes in a gap: such a storage can be
    below another storage in one step and above it in another. `pairs` should share no bank; `None`
    if the memory has no banks, or if the log does not list the operands of the steps.
    """

    attempt: int
    label: str
    demand: Demand
    block: Ints
    fixed: Ints
    capacity: int | None
    static_bytes: int
    windows: bool
    pairs: BankPairs | None = None

    def __len__(self) -> int:
        return len(self.demand)

    @property
    def used(self) -> Bools:
        """Mask of the problem's parts of lifetimes that use at least 1 byte, an element per part of
        the demand.
        """
        return np.asarray(self.demand.top > self.demand.bottom, dtype=np.bool_)

    @property
    def alive(self) -> Bools:
        """Mask of the problem's storages that use at least 1 byte in some step."""
        alive = np.zeros(len(self), dtype=np.bool_)
        alive[self.demand.storage[self.used]] = True
        return alive

    def extent(self, address: Ints) -> int:
        """Compute the end of the highest byte in use, in bytes above the constants, when the
        storages are at `address` (an address per storage). 0 if no storage uses a byte.
        """
        parts = self.used
        return int((address[self.demand.storage[parts]] + self.demand.top[parts]).max(initial=0))

    def conflicts(self, address: Ints | None) -> int | None:
        """Count the problem's bank conflicts when its storages are at `address` (bytes, an address
        per storage).

        `None` if there are no addresses, or if the pairs that should share no bank are unknown.
        """
        return None if self.pairs is None or address is None else self.pairs.conflicts(address)

    @property
    def memory(self) -> int | None:
        """Bytes of the memory's banks, within its capacity, that remain above the constants, at
        least 0; `None` if the problem has no bank pairs.
        """
        if self.pairs is None:
            return None
        total = self.pairs.banks.bytes
        return max(
            (total if self.capacity is None else min(total, self.capacity)) - self.static_bytes, 0
        )


def build_problem(
    amap: AttemptMap,
    fixed: Mapping[int, int | None] | None = None,
    events: pd.DataFrame | None = None,
) -> Problem:
    """Build the placement problem of an attempt.

    `fixed` maps block numbers to required addresses in bytes, `None` for the current address; other
    blocks may be placed anywhere. If an alias is fixed, the storage that contains it is fixed. The
    pairs that should share no bank come from `events`, the rows of frame `events` of the attempt.
    Raises ValueError (a sentence) if a block cannot be at its required address, if two fixed
    blocks overlap, and for more than MAX_PARTS (65,536) lifetimes or 2^62 bytes.
    """
    wanted = demand(amap)
    if len(wanted.storage) > MAX_PARTS:
        raise ValueError(
            f"{amap.label} has {len(wanted.storage)} lifetimes, but at most {MAX_PARTS} can be placed"
        )
    windows = amap.blocks["gaps"].fillna("").astype("str").str.contains("@").to_numpy(bool)
    problem = Problem(
        attempt=amap.number,
        label=amap.label,
        demand=wanted,
        block=amap.blocks["block"].to_numpy(np.int64)[wanted.arena],
        fixed=_fixed_addresses(amap, wanted, fixed or {}),
        capacity=amap.whole("capacity"),
        static_bytes=amap.whole("static_bytes") or 0,
        windows=bool(windows[wanted.arena].any()),
        pairs=bank_pairs(amap, events, wanted),
    )
    _check_sums(problem)
    check_fixed(problem)
    return problem


def _fixed_addresses(amap: AttemptMap, wanted: Demand, required: Mapping[int, int | None]) -> Ints:
    fixed = np.full(len(wanted), NOT_FIXED, dtype=np.int64)
    blocks = amap.blocks["block"].to_numpy(np.int64)
    storage_by_block = dict(zip(blocks[wanted.arena].tolist(), wanted.of.tolist(), strict=True))
    for block, requested in required.items():
        if block not in storage_by_block:
            exists = bool((blocks == block).any())
            raise ValueError(
                f"block {block} is a constant" if exists else f"{amap.label} has no block {block}"
            )
        storage = storage_by_block[block]
        address = (
            _current_address(amap, int(wanted.row[storage])) if requested is None else requested
        )
        if address is None:
            raise ValueError(
                f"block {block} has no address to be fixed at; specify it as {block}=ADDRESS"
            )
        if not 0 <= address <= MAX_BYTES:
            raise ValueError(
                f"block {block} cannot be at {address}: an address must be a number from 0 to 2^62"
            )
        if address % wanted.alignment[storage]:
            raise ValueError(
                f"block {block} cannot be at {address}: it must be aligned to {plural(int(wanted.alignment[storage]), 'byte')}"
            )
        if fixed[storage] not in (NOT_FIXED, address):
            raise ValueError(
                f"block {block} shares the storage of a block that is fixed at another address"
            )
        fixed[storage] = address
    return fixed


def _current_address(amap: AttemptMap, row: int) -> int | None:
    """Look up the current address in bytes of the block at a row; `None` if it has no address."""
    return int(amap.blocks["address"].iloc[row]) if amap.is_placed[row] else None


def _check_sums(problem: Problem) -> None:
    """Raise ValueError (one sentence) if the highest fixed address plus all sizes and alignments,
    which no address of a placement exceeds, is above 2^62 bytes.
    """
    wanted = problem.demand
    # Python integers, since the sum itself may exceed int64.
    if (
        sum((wanted.size + wanted.alignment).tolist()) + int(problem.fixed.max(initial=0))
        > MAX_BYTES
    ):
        raise ValueError(f"{problem.label} cannot be placed: it may need more than 2^62 bytes")


def check_fixed(problem: Problem) -> None:
    """Raise ValueError (one sentence with the two block numbers) if two fixed storages use the same
    byte in the same step.
    """
    wanted = problem.demand
    parts = np.flatnonzero(problem.used & (problem.fixed[wanted.storage] != NOT_FIXED))
    base = problem.fixed[wanted.storage[parts]]
    low = base + wanted.bottom[parts]
    high = base + wanted.top[parts]
    start = wanted.start[parts]
    end = wanted.end[parts]
    storage = wanted.storage[parts]
    for at in range(len(parts)):
        others = slice(at + 1, None)
        clash = (start[others] < end[at]) & (end[others] > start[at]) & (low[others] < high[at])
        clash &= (high[others] > low[at]) & (storage[others] != storage[at])
        if clash.any():
            other = at + 1 + int(clash.argmax())
            names = sorted(_block_number(problem, int(storage[part])) for part in (at, other))
            raise ValueError(f"fixed blocks {names[0]} and {names[1]} overlap in time and address")


def _block_number(problem: Problem, storage: int) -> int:
    """Look up the number of the block that owns the storage of this index."""
    wanted = problem.demand
    return int(problem.block[np.searchsorted(wanted.arena, wanted.row[storage])])


def stored_addresses(problem: Problem, amap: AttemptMap) -> Ints:
    """Read the address (bytes) of each storage from the file; NOT_FIXED (-1) if it has no address
    there.
    """
    row = problem.demand.row
    address = amap.blocks["address"].to_numpy(np.int64, na_value=NOT_FIXED)[row]
    return np.where(amap.is_placed[row], address, NOT_FIXED)
