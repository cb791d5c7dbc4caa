"""Layout of placed storages, and the address ranges that stay free over the life of a storage."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from analysis.allocators.demand import Demand, demand
from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Bools, Ints
from schema.memory import MAX_BYTES

NOWHERE = -1
"""Address of a storage without a place."""


@dataclass(frozen=True)
class StorageLayout:
    """Storages with their addresses (int64, NOWHERE if a storage has no place); each storage
    occupies all of its bytes.

    `room` are the bytes above the constants, `None` if the capacity is unknown.
    """

    demand: Demand
    address: Ints
    room: int | None

    def __len__(self) -> int:
        return len(self.demand)

    def alive_mask(self, storage: int) -> Bools:
        """Mask of all storages: True for the storages other than `storage` that are alive in some
        step of its life, placed or not.
        """
        wanted = self.demand
        bounds = self.demand.bounds
        met = np.zeros(len(wanted.storage), dtype=np.bool_)
        for part in range(bounds[storage], bounds[storage + 1]):
            met |= (wanted.start < wanted.end[part]) & (wanted.end > wanted.start[part])
        alive = np.zeros(len(self), dtype=np.bool_)
        alive[wanted.storage[met]] = True
        alive[storage] = False
        return alive

    def in_the_way(self, storage: int) -> Ints:
        """List the indexes of the placed storages that are alive in some step of this storage's
        life, sorted by address; without the storage itself.
        """
        met = np.flatnonzero(self.alive_mask(storage) & (self.address != NOWHERE))
        return met[np.lexsort((met, self.address[met]))]

    def ranges_between(
        self, met: Ints, alignment: int, end: int | None = None
    ) -> tuple[Ints, Ints]:
        """Compute the free address ranges between the storages `met`, which are sorted by address:
        two int64 arrays, aligned begins and ends (bytes, half-open).

        Ranges end at `end` at most, by default at the layout's room; without either there are no
        ranges.
        """
        limit = (self.room if end is None else end) or 0
        low = self.address[met]
        high = self.address[met] + self.demand.size[met]
        begin = np.maximum.accumulate(np.append(0, high))
        begin = -(-begin // alignment) * alignment
        stop = np.minimum(np.append(low, limit), limit)
        free = stop > begin
        return begin[free], stop[free]

    def free_ranges(
        self, storage: int, without: Collection[int] = (), end: int | None = None
    ) -> tuple[Ints, Ints]:
        """Compute the address ranges that are free over the whole life of a storage: two int64
        arrays, aligned begins and ends (bytes, half-open).

        Storages in `without` count as absent. Ranges end at `end` at most, by default at the
        layout's room.
        """
        met = self.in_the_way(storage)
        if without:
            met = met[~np.isin(met, list(without))]
        return self.ranges_between(met, int(self.demand.alignment[storage]), end)

    def largest_gap(self, storage: int) -> int:
        """Size in bytes of the largest address range that is free over the whole life of a storage,
        0 if there is no free range.
        """
        begin, stop = self.free_ranges(storage)
        return int((stop - begin).max(initial=0))

    def with_moved(self, storage: int, address: int) -> StorageLayout:
        """Return a copy of the layout with a storage at another address (NOWHERE: without a place);
        overlaps are not checked.
        """
        changed = self.address.copy()
        changed[storage] = address
        return StorageLayout(self.demand, changed, self.room)

    def is_free(self, storage: int, room: int | None = None) -> bool:
        """Whether a storage's address is aligned, its end is within `room` bytes (default: the
        layout's room), and it overlaps no other placed storage in any step of its life. False if it
        has no place.
        """
        low = int(self.address[storage])
        size = int(self.demand.size[storage])
        limit = (self.room if room is None else room) or 0
        if low < 0 or low % int(self.demand.alignment[storage]) or low + size > limit:
            return False
        met = self.in_the_way(storage)
        return not bool(
            (
                (self.address[met] < low + size) & (self.address[met] + self.demand.size[met] > low)
            ).any()
        )


def read_layout(amap: AttemptMap) -> StorageLayout:
    """Read the layout of an attempt's storages from the addresses in the file; storages without an
    address are at NOWHERE (-1).
    """
    wanted = demand(amap)
    address = amap.blocks["address"].to_numpy(np.int64, na_value=NOWHERE)[wanted.row]
    capacity = amap.whole("capacity")
    room = (
        None
        if capacity is None
        else min(max(capacity - (amap.whole("static_bytes") or 0), 0), MAX_BYTES)
    )
    return StorageLayout(wanted, np.where(amap.is_placed[wanted.row], address, NOWHERE), room)
