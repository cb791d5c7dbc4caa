"""Why blocks found no place: too many bytes at once, bytes in ranges that are too small, or a rule of banks."""

from __future__ import annotations

import numpy as np

from analysis.allocators.free_ranges import NOWHERE, StorageLayout
from analysis.memory.attempt_map import AttemptMap

TOO_BIG, BANK_RULE, FRAGMENTATION = "too_big", "bank_rule", "fragmentation"


def attempt_reason(amap: AttemptMap, layout: StorageLayout, peak: int) -> str | None:
    """Return why an attempt failed whose steps ask for up to `peak` bytes; None where nothing failed or has a limit.

    All blocks that were not placed yet are logged as failed, so the reason rests on none of them in particular: where
    one fits into a range that is free over its whole life, it was not for want of bytes.
    """
    failed = (amap.blocks["status"] == "failed").to_numpy(bool)
    if layout.room is None or not failed.any():
        return None
    if peak > layout.room:
        return TOO_BIG
    lost = np.flatnonzero(failed[layout.demand.row] & (layout.address == NOWHERE)).tolist()
    # The smallest ones are the likeliest to fit.
    for storage in sorted(lost, key=lambda one: int(layout.demand.size[one])):
        if layout.largest_gap(storage) >= int(layout.demand.size[storage]):
            return BANK_RULE
    return FRAGMENTATION


def storage_reason(layout: StorageLayout, storage: int) -> str | None:
    """Return why one storage has no place among those that are placed; None where it has one, or without a limit."""
    if layout.room is None or layout.address[storage] != NOWHERE:
        return None
    if bytes_beside(layout, storage) + int(layout.demand.size[storage]) > layout.room:
        return TOO_BIG
    fits = layout.largest_gap(storage) >= int(layout.demand.size[storage])
    return BANK_RULE if fits else FRAGMENTATION


def bytes_beside(layout: StorageLayout, storage: int) -> int:
    """Return the most bytes of placed storages that are alive in one step of the life of a storage."""
    wanted, bounds = layout.demand, layout.demand.bounds
    own = slice(bounds[storage], bounds[storage + 1])
    there = (layout.address[wanted.storage] != NOWHERE) & (wanted.storage != storage)
    start, end = wanted.start[there], wanted.end[there]
    owner, most = wanted.storage[there], 0
    for begin, stop in zip(wanted.start[own].tolist(), wanted.end[own].tolist(), strict=True):
        # Bytes alive change only where something begins.
        for step in np.unique(np.clip(start[(start < stop) & (end > begin)], begin, None)).tolist():
            most = max(most, int(wanted.size[np.unique(owner[(start <= step) & (end > step)])].sum()))
    return most
