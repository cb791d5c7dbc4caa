"""Reasons why a block has no place: too many bytes in a step, free ranges that are too small, or a
bank rule.
"""

from __future__ import annotations

import numpy as np

from analysis.allocators.free_ranges import NOWHERE, StorageLayout
from analysis.memory.attempt_map import AttemptMap

TOO_BIG, BANK_RULE, FRAGMENTATION = "too_big", "bank_rule", "fragmentation"
"""Reasons: more bytes are alive in a step than fit, a rule about banks, or free ranges that are
each too small.
"""


def attempt_reason(amap: AttemptMap, layout: StorageLayout, peak: int) -> str | None:
    """Find the reason why an attempt failed whose steps use up to `peak` bytes: TOO_BIG if the peak
    exceeds the room, BANK_RULE if a failed block fits into a range that is free over its whole
    life, else FRAGMENTATION.

    `None` if no block failed or the capacity is unknown. All blocks not yet placed are logged as
    failed, so the reason does not rest on any particular block.
    """
    failed = (amap.blocks["status"] == "failed").to_numpy(bool)
    if layout.room is None or not failed.any():
        return None
    if peak > layout.room:
        return TOO_BIG
    lost = np.flatnonzero(failed[layout.demand.row] & (layout.address == NOWHERE)).tolist()
    # The smallest blocks are the most likely to fit.
    for storage in sorted(lost, key=lambda index: int(layout.demand.size[index])):
        if layout.largest_gap(storage) >= int(layout.demand.size[storage]):
            return BANK_RULE
    return FRAGMENTATION


def storage_reason(layout: StorageLayout, storage: int) -> str | None:
    """Find the reason why a storage has no place among the placed storages: TOO_BIG if a step has
    too few bytes left, BANK_RULE if a free range is large enough, else FRAGMENTATION. `None` if it
    has a place or the capacity is unknown.
    """
    if layout.room is None or layout.address[storage] != NOWHERE:
        return None
    if max_other_bytes(layout, storage) + int(layout.demand.size[storage]) > layout.room:
        return TOO_BIG
    fits = layout.largest_gap(storage) >= int(layout.demand.size[storage])
    return BANK_RULE if fits else FRAGMENTATION


def has_bank_rule(amap: AttemptMap) -> bool:
    """Whether a rule about banks can keep a block of the attempt from a free range.

    The log of a compiler says whether it allowed bank conflicts; other memories must have banks.
    """
    allowed = amap.whole("allow_bank_conflict")
    return allowed == 0 or (allowed is None and (amap.whole("banks") or 0) > 1)


def max_other_bytes(layout: StorageLayout, storage: int) -> int:
    """Compute the most bytes that other placed storages have together in any step of a storage's
    life; 0 without such storages.
    """
    wanted = layout.demand
    bounds = layout.demand.bounds
    own = slice(bounds[storage], bounds[storage + 1])
    placed = (layout.address[wanted.storage] != NOWHERE) & (wanted.storage != storage)
    start = wanted.start[placed]
    end = wanted.end[placed]
    owner = wanted.storage[placed]
    most = 0
    for begin, stop in zip(wanted.start[own].tolist(), wanted.end[own].tolist(), strict=True):
        # The bytes alive increase only at the start of a storage, so only starts are checked.
        for step in np.unique(np.clip(start[(start < stop) & (end > begin)], begin, None)).tolist():
            most = max(
                most, int(wanted.size[np.unique(owner[(start <= step) & (end > step)])].sum())
            )
    return most
