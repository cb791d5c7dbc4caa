"""Placed storages as they lie, and the ranges of addresses that they leave free over the life of one of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from analysis.allocators.demand import Demand, demand
from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Bools, Ints
from schema.memory import MOST_BYTES

NOWHERE = -1
"""Address of a storage that has no place."""


@dataclass(frozen=True)
class StorageLayout:
    """Storages with their addresses (int64, NOWHERE where a storage has none); each takes all of its bytes.

    `room` are the bytes above the constants, None where the capacity is not known.
    """

    demand: Demand
    address: Ints
    room: int | None

    def __len__(self) -> int:
        return len(self.demand)

    def alive_with(self, storage: int) -> Bools:
        """Tell which other storages are alive in some step of one."""
        wanted, bounds = self.demand, self.demand.bounds
        met = np.zeros(len(wanted.storage), dtype=np.bool_)
        for part in range(bounds[storage], bounds[storage + 1]):
            met |= (wanted.start < wanted.end[part]) & (wanted.end > wanted.start[part])
        alive = np.zeros(len(self), dtype=np.bool_)
        alive[wanted.storage[met]] = True
        alive[storage] = False
        return alive

    def in_the_way(self, storage: int) -> Ints:
        """Return the placed storages that are alive in some step of one, by address."""
        met = np.flatnonzero(self.alive_with(storage) & (self.address != NOWHERE))
        return met[np.lexsort((met, self.address[met]))]

    def ranges_between(self, met: Ints, alignment: int, end: int | None = None) -> tuple[Ints, Ints]:
        """Return the aligned begins and the ends of the ranges that storages `met`, by address, leave free.

        They end below `end`, the room unless it is given.
        """
        limit = (self.room if end is None else end) or 0
        low, high = self.address[met], self.address[met] + self.demand.size[met]
        begin = np.maximum.accumulate(np.append(0, high))
        begin = -(-begin // alignment) * alignment
        stop = np.minimum(np.append(low, limit), limit)
        free = stop > begin
        return begin[free], stop[free]

    def free_ranges(self, storage: int, without: Collection[int] = (), end: int | None = None) -> tuple[Ints, Ints]:
        """Return begins and ends of the ranges that are free over the whole life of a storage; see `ranges_between`."""
        met = self.in_the_way(storage)
        if without:
            met = met[~np.isin(met, list(without))]
        return self.ranges_between(met, int(self.demand.alignment[storage]), end)

    def largest_gap(self, storage: int) -> int:
        """Return the bytes of the largest free range of a storage, 0 for none."""
        begin, stop = self.free_ranges(storage)
        return int((stop - begin).max(initial=0))

    def with_moved(self, storage: int, address: int) -> StorageLayout:
        """Return the layout with one storage at another address."""
        changed = self.address.copy()
        changed[storage] = address
        return StorageLayout(self.demand, changed, self.room)

    def is_free(self, storage: int, room: int | None = None) -> bool:
        """Check a placed storage: aligned, below the room, on no byte of another in any step of its life."""
        low, size = int(self.address[storage]), int(self.demand.size[storage])
        limit = (self.room if room is None else room) or 0
        if low < 0 or low % int(self.demand.alignment[storage]) or low + size > limit:
            return False
        met = self.in_the_way(storage)
        return not bool(((self.address[met] < low + size) & (self.address[met] + self.demand.size[met] > low)).any())


def layout_of(amap: AttemptMap) -> StorageLayout:
    """Return the storages of an attempt where the file has placed them."""
    wanted = demand(amap)
    address = amap.blocks["address"].to_numpy(np.int64, na_value=NOWHERE)[wanted.row]
    capacity = amap.whole("capacity")
    room = None if capacity is None else min(max(capacity - (amap.whole("static_bytes") or 0), 0), MOST_BYTES)
    return StorageLayout(wanted, np.where(amap.is_placed[wanted.row], address, NOWHERE), room)
