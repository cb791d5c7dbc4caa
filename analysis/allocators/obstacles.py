"""Explains why a block has no place: the blocks in its way, and the smallest changes that make it
fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.allocators.free_ranges import NOWHERE, StorageLayout, read_layout
from analysis.allocators.reasons import has_bank_rule, storage_reason
from analysis.memory.attempt_map import AttemptMap
from schema.memory import MAX_BYTES

MAX_IN_THE_WAY = 1_000
"""Maximum number of blocks in the way for which changes are tried; each change checks all of them.
"""
MAX_MOVES = 4_096
"""Maximum number of address pairs tried for the moved block and the block that takes its place."""


@dataclass(frozen=True)
class BlockObstacles:
    """Obstacles to a place for a block; `in_the_way` are records of the blocks in conflict, by
    address.

    `largest_gap` is the size in bytes of the largest range that is free over the block's whole
    life, `None` without a capacity. `changes` are records with `kind`; each was verified by the
    placement that results if all other blocks stay at their addresses. Without `has_bank_rule` the
    reason `bank_rule` only means that the block fits into a free range.
    """

    attempt: int
    block: int
    placed: bool
    in_the_way: list[dict[str, Any]]
    largest_gap: int | None
    reason: str | None
    changes: list[dict[str, Any]]
    has_bank_rule: bool = False


def find_obstacles(amap: AttemptMap, block: int) -> BlockObstacles:
    """Find the obstacles to a place for the block of this number, and the smallest changes that
    remove them.

    An alias is treated as the block whose bytes it uses. Changes are only tried for a block without
    a place that fits into no free range, with at most MAX_IN_THE_WAY (1,000) blocks in its way.
    Raises ValueError if the attempt has no such block, or if it is a constant.
    """
    layout = read_layout(amap)
    storage = _find_storage(amap, layout, block)
    placed = layout.address[storage] != NOWHERE
    gap = None if layout.room is None else layout.largest_gap(storage)
    lacking = not placed and gap is not None and gap < int(layout.demand.size[storage])
    in_the_way = layout.in_the_way(storage)
    tried = lacking and len(in_the_way) <= MAX_IN_THE_WAY
    changes = list(_smallest_changes(amap, layout, storage)) if tried else []
    records = [_block_record(amap, layout, int(other)) for other in in_the_way]
    reason = storage_reason(layout, storage)
    return BlockObstacles(
        amap.number, block, bool(placed), records, gap, reason, changes, has_bank_rule(amap)
    )


def _find_storage(amap: AttemptMap, layout: StorageLayout, block: int) -> int:
    rows = np.flatnonzero(amap.blocks["block"].to_numpy(np.int64) == block)
    if not len(rows):
        raise ValueError(f"{amap.label} has no block {block}")
    indices = np.flatnonzero(layout.demand.arena == rows[0])
    if not len(indices):
        raise ValueError(f"block {block} is a constant")
    return int(layout.demand.of[indices[0]])


def _block_record(amap: AttemptMap, layout: StorageLayout, storage: int) -> dict[str, Any]:
    row = amap.blocks.iloc[int(layout.demand.row[storage])]
    return {
        "block": int(row["block"]),
        "name": str(row["name"]),
        "address": int(layout.address[storage]),
        "size": int(layout.demand.size[storage]),
        "start": int(row["start"]),
        "end": int(row["end"]),
    }


def _smallest_changes(
    amap: AttemptMap, layout: StorageLayout, storage: int
) -> Iterator[dict[str, Any]]:
    """Yield a record with the smallest change of each kind that makes room: capacity, shrink, move,
    drop, in this order. Kinds that cannot help are left out.
    """
    number = amap.blocks["block"].to_numpy(np.int64)[layout.demand.row]
    yield from _more_capacity(layout, storage)
    for change in (_shrink(layout, storage), _move(layout, storage), _drop(layout, storage)):
        if change is not None:
            yield change | {"block": int(number[change["block"]]), "verified": True}


def _more_capacity(layout: StorageLayout, storage: int) -> Iterator[dict[str, Any]]:
    begin, stop = layout.free_ranges(storage, end=MAX_BYTES)
    size = int(layout.demand.size[storage])
    room = layout.room or 0
    low = int(begin[stop - begin >= size].min(initial=MAX_BYTES))
    needed = low + size
    if layout.with_moved(storage, low).is_free(storage, max(needed, room)):
        yield {"kind": "capacity", "bytes": max(needed - room, 0), "verified": True}


def _shrink(layout: StorageLayout, storage: int) -> dict[str, Any] | None:
    """Find the smallest reduction that makes the storage fit, of its own size or of the upper end
    of a storage in its way: a record with `kind`, `block` (index of the storage) and `bytes`.
    `None` if no reduction helps.
    """
    size = int(layout.demand.size[storage])
    align = int(layout.demand.alignment[storage])
    begin, stop = layout.free_ranges(storage)
    gap = int((stop - begin).max(initial=0))
    options = [(size - gap, storage, int(begin[(stop - begin).argmax()]) if gap else 0)]
    for other in layout.in_the_way(storage).tolist():
        low = int(layout.address[other])
        high = int(layout.address[other] + layout.demand.size[other])
        begin, stop = layout.free_ranges(storage, without=(other,))
        at = (stop - size) // align * align
        fits = at >= np.maximum(begin, low)
        options += [(max(high - place, 0), other, place) for place in at[fits].tolist()]
    for fewer, smaller, place in sorted(options, key=lambda option: option[0]):
        if _is_checked_shrink(layout, storage, fewer, smaller, place):
            return {"kind": "shrink", "block": smaller, "bytes": fewer}
    return None


def _is_checked_shrink(
    layout: StorageLayout, storage: int, fewer: int, smaller: int, place: int
) -> bool:
    size = layout.demand.size.copy()
    size[smaller] -= fewer
    if size[storage] == 0:  # it needs no place any more
        return True
    changed = StorageLayout(replace(layout.demand, size=size), layout.address, layout.room)
    return changed.with_moved(storage, place).is_free(storage)


def _move(layout: StorageLayout, storage: int) -> dict[str, Any] | None:
    """Find the smallest storage that can move out of the way: a record with `kind`, `block` (its
    index), its new address `to`, and the address `at` that the storage gets then. `None` if no
    storage can, or after MAX_MOVES (4,096) tries.
    """
    size = int(layout.demand.size[storage])
    align = int(layout.demand.alignment[storage])
    left = MAX_MOVES
    for other in _smallest_first(layout, storage):
        begin, stop = layout.free_ranges(storage, without=(other,))
        wide = stop - begin >= size
        places = np.unique(np.concatenate([begin[wide], (stop[wide] - size) // align * align]))
        for place in places.tolist():
            left -= 1
            if left < 0:
                return None
            changed = _move_away(
                layout.with_moved(other, NOWHERE).with_moved(storage, place), other
            )
            if changed is not None and changed.is_free(storage) and changed.is_free(other):
                return {
                    "kind": "move",
                    "block": other,
                    "to": int(changed.address[other]),
                    "at": place,
                }
    return None


def _move_away(layout: StorageLayout, other: int) -> StorageLayout | None:
    """Return a layout with a storage moved to the lowest address at which it fits; `None` if it
    fits nowhere.
    """
    begin, stop = layout.free_ranges(other)
    wide = stop - begin >= int(layout.demand.size[other])
    return layout.with_moved(other, int(begin[wide][0])) if wide.any() else None


def _drop(layout: StorageLayout, storage: int) -> dict[str, Any] | None:
    """Find the smallest storage whose removal makes room: a record with `kind` and `block` (its
    index); `None` if no single removal does.
    """
    size = int(layout.demand.size[storage])
    for other in _smallest_first(layout, storage):
        begin, stop = layout.free_ranges(storage, without=(other,))
        wide = stop - begin >= size
        if wide.any() and layout.with_moved(other, NOWHERE).with_moved(
            storage, int(begin[wide][0])
        ).is_free(storage):
            return {"kind": "drop", "block": other}
    return None


def _smallest_first(layout: StorageLayout, storage: int) -> list[int]:
    return sorted(
        layout.in_the_way(storage).tolist(), key=lambda other: int(layout.demand.size[other])
    )
