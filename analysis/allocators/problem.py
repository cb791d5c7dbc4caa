"""A problem of placement: what an attempt asks for, what must stay where it is, and how much room there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.allocators.bank_pairs import BankPairs, bank_pairs
from analysis.allocators.demand import Demand, demand
from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Bools, Ints
from schema.memory import MOST_BYTES

NOT_FIXED = -1
MOST_PARTS = 1 << 16
"""Parts of lifetimes beyond which nothing is placed: the time grows with their square."""


@dataclass(frozen=True)
class Problem:
    """Storages to be placed; `demand` says how large they are, how aligned, and which bytes they use when.

    `attempt` is its rank. `block` is the number of each block of `demand.arena`. `fixed` is the address of each storage
    that must stay there, else NOT_FIXED. `capacity` are the bytes of the attempt's own memory, None where that is not
    known, of which constants take `static_bytes`. `windows`: some storage uses a part of its bytes in a gap, so that
    the order of addresses says less about who lies on whom. `pairs` should share no bank; None where there are no
    banks, or nothing is known of what steps use.
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
        """Tell which parts use any bytes."""
        return np.asarray(self.demand.top > self.demand.bottom, dtype=np.bool_)

    @property
    def alive(self) -> Bools:
        """Tell which storages ever use a byte."""
        alive = np.zeros(len(self), dtype=np.bool_)
        alive[self.demand.storage[self.used]] = True
        return alive

    def extent(self, address: Ints) -> int:
        """Return the end of the highest byte in use, of storages at the addresses given."""
        parts = self.used
        return int((address[self.demand.storage[parts]] + self.demand.top[parts]).max(initial=0))

    def conflicts(self, address: Ints | None) -> int | None:
        """Return the bank conflicts of storages at the addresses given; None without addresses, or unknown."""
        return None if self.pairs is None or address is None else self.pairs.conflicts(address)

    @property
    def memory(self) -> int | None:
        """Return the bytes above the constants that there are banks for; None where those do not matter."""
        if self.pairs is None:
            return None
        total = self.pairs.banks.bytes
        return max((total if self.capacity is None else min(total, self.capacity)) - self.static_bytes, 0)


def problem_of(
    amap: AttemptMap, fixed: Mapping[int, int | None] | None = None, events: pd.DataFrame | None = None
) -> Problem:
    """Return what an attempt poses; `fixed` has an address per block, None for where it lies now.

    `events` are the rows of frame `events` of the attempt, which tell what should share no bank.
    A block that is an alias fixes the storage that it lies in. Raises ValueError (one sentence) where a block cannot be
    fixed so, where two fixed ones are in each other's way, and for more than MOST_PARTS lifetimes or 2^62 bytes.
    """
    wanted = demand(amap)
    if len(wanted.storage) > MOST_PARTS:
        raise ValueError(f"{amap.label} has {len(wanted.storage)} lifetimes, and at most {MOST_PARTS} are placed anew")
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


def _fixed_addresses(amap: AttemptMap, wanted: Demand, asked: Mapping[int, int | None]) -> Ints:
    fixed = np.full(len(wanted), NOT_FIXED, dtype=np.int64)
    blocks = amap.blocks["block"].to_numpy(np.int64)
    storage_of = dict(zip(blocks[wanted.arena].tolist(), wanted.of.tolist(), strict=True))
    for block, given in asked.items():
        if block not in storage_of:
            known = bool((blocks == block).any())
            raise ValueError(f"block {block} is a constant" if known else f"{amap.label} has no block {block}")
        storage = storage_of[block]
        address = _where(amap, int(wanted.row[storage])) if given is None else given
        if address is None:
            raise ValueError(f"block {block} has no address to stay at; give one as {block}=ADDRESS")
        if not 0 <= address <= MOST_BYTES:
            raise ValueError(f"block {block} cannot lie at {address}: an address is a number from 0 to 2^62")
        if address % wanted.alignment[storage]:
            raise ValueError(
                f"block {block} cannot lie at {address}: it is aligned to {wanted.alignment[storage]} bytes"
            )
        if fixed[storage] not in (NOT_FIXED, address):
            raise ValueError(f"block {block} shares the storage of another one that is fixed elsewhere")
        fixed[storage] = address
    return fixed


def _where(amap: AttemptMap, row: int) -> int | None:
    """Return where a block lies now, None where it has no address."""
    return int(amap.blocks["address"].iloc[row]) if amap.is_placed[row] else None


def _check_sums(problem: Problem) -> None:
    """Refuse what could leave int64: every address is at most the highest fixed one and all sizes on top of it."""
    wanted = problem.demand
    # Plain integers, as the sum itself may be what does not fit.
    if sum((wanted.size + wanted.alignment).tolist()) + int(problem.fixed.max(initial=0)) > MOST_BYTES:
        raise ValueError(f"{problem.label} is not placed anew: it may need more than 2^62 bytes")


def check_fixed(problem: Problem) -> None:
    """Refuse fixed storages that use a byte at one time."""
    wanted = problem.demand
    parts = np.flatnonzero(problem.used & (problem.fixed[wanted.storage] != NOT_FIXED))
    base = problem.fixed[wanted.storage[parts]]
    low, high = base + wanted.bottom[parts], base + wanted.top[parts]
    start, end, storage = wanted.start[parts], wanted.end[parts], wanted.storage[parts]
    for at in range(len(parts)):
        others = slice(at + 1, None)
        clash = (start[others] < end[at]) & (end[others] > start[at]) & (low[others] < high[at])
        clash &= (high[others] > low[at]) & (storage[others] != storage[at])
        if clash.any():
            other = at + 1 + int(clash.argmax())
            names = sorted(_block(problem, int(storage[part])) for part in (at, other))
            raise ValueError(f"fixed blocks {names[0]} and {names[1]} are in each other's way")


def _block(problem: Problem, storage: int) -> int:
    """Return the number of the block that a storage belongs to."""
    wanted = problem.demand
    return int(problem.block[np.searchsorted(wanted.arena, wanted.row[storage])])


def stored_addresses(problem: Problem, amap: AttemptMap) -> Ints:
    """Return the address of each storage in the file, NOT_FIXED where it has none."""
    row = problem.demand.row
    address = amap.blocks["address"].to_numpy(np.int64, na_value=NOT_FIXED)[row]
    return np.where(amap.is_placed[row], address, NOT_FIXED)
