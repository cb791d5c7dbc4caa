"""Segments of a device and their blocks: the allocator's memory when the snapshot is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from data_loaders.protocol import LoadError
from data_loaders.torch_snapshot.call_stacks import CallStacks
from data_loaders.torch_snapshot.left_out import LeftOut, level_name
from data_loaders.torch_snapshot.values import (
    MAX_DEVICES,
    MAX_SIZE,
    NO_ADDRESS,
    UNKNOWN,
    address,
    number,
)
from schema.array_types import Ints

_ALIVE = ("active_allocated", "active_pending_free", "active_awaiting_free")
_FREE = "inactive"
DEFAULT_POOL = "default"
Segment = Mapping[str, object]


@dataclass(frozen=True)
class Blocks:
    """Content of a device's segments at the end of the trace.

    `base`, `length` and `pool` (its name) have an item per readable segment; `address`, `requested`
    (bytes) and `stack` have an item per block that is alive. Addresses from 2^63 on are negative. `reserved`
    includes the bytes of unreadable segments if they have a size. `allocated` and `requested_end`
    are sums of the segments' own numbers, `None` if a segment lacks the number.
    """

    base: Ints
    length: Ints
    pool: list[str]
    address: Ints
    requested: Ints
    stack: Ints
    reserved: int
    allocated: int | None
    requested_end: int | None


def segments_by_device(
    segments: Sequence[object], content_bytes: int, left_out: LeftOut
) -> dict[int, list[Segment]]:
    """Map each device number to its segments, in order.

    Segments without a valid number are counted in `left_out`. Raise LoadError if they have more
    blocks than the file has bytes.
    """
    by_device: dict[int, list[Segment]] = {}
    blocks = 0
    for segment in segments:
        device = number(segment.get("device"), MAX_DEVICES) if type(segment) is dict else UNKNOWN
        if type(segment) is not dict or device == UNKNOWN:
            left_out.add(None, "segment", "ignored: not a mapping with a valid device number")
            continue
        by_device.setdefault(device, []).append(segment)
        listed = segment.get("blocks")
        blocks += len(listed) if type(listed) is list else 0
    if blocks > content_bytes:
        raise LoadError("it expands to more blocks than its bytes can hold")
    return by_device


def read_blocks(
    device: int, segments: Sequence[Segment], stacks: CallStacks, left_out: LeftOut
) -> Blocks:
    """Read the segments of a device and the blocks in them that are alive.

    Unreadable parts are counted in `left_out`. The blocks of a segment without a valid address or
    size are skipped.
    """
    placed: list[tuple[int, int]] = []
    pools: list[str] = []
    rows: list[tuple[int, int, int]] = []
    reserved = 0
    for segment in segments:
        base = address(segment.get("address"))
        length = number(segment.get("total_size"), MAX_SIZE)
        reserved += max(0, length)
        if base == NO_ADDRESS or length == UNKNOWN:
            left_out.add(device, "segment", "ignored: address or size is missing or invalid")
            continue
        placed.append((base, length))
        pools.append(_pool_name(segment.get("segment_pool_id")))
        rows += _alive(device, segment, (base, length), stacks, left_out)
    allocated = _sum(segments, "allocated_size")
    if allocated is None:
        left_out.add(
            device, "sum", f"of allocated_size not known: segments of {level_name(device)} lack it"
        )
    is_whole = len(placed) == len(segments)
    return Blocks(
        base=_addresses(base for base, _ in placed),
        length=np.array([length for _, length in placed], np.int64),
        pool=pools,
        address=_addresses(row[0] for row in rows),
        requested=np.array([row[1] for row in rows], np.int64),
        stack=np.array([row[2] for row in rows], np.int64),
        reserved=reserved,
        allocated=allocated,
        requested_end=_sum(segments, "requested_size") if is_whole else None,
    )


def _pool_name(value: object) -> str:
    """Return `pool 0,1` for a private pool, `default` for the allocator's own, which files name
    (0, 0) or not at all.
    """
    if type(value) is not tuple or len(value) != 2 or value == (0, 0):
        return DEFAULT_POOL
    first, second = (number(part, MAX_SIZE) for part in value)
    return DEFAULT_POOL if UNKNOWN in (first, second) else f"pool {first},{second}"


def _alive(
    device: int, segment: Segment, place: tuple[int, int], stacks: CallStacks, left_out: LeftOut
) -> Iterator[tuple[int, int, int]]:
    """Yield (address, requested bytes, number of the call stack) of each block of a segment that is
    alive.

    Unreadable blocks are left out and counted. In files of 2022 blocks have no addresses (they
    follow each other) and no requested sizes.
    """
    base, length = place
    blocks = segment.get("blocks")
    if type(blocks) is not list:
        left_out.add(device, "segment", "ignored: blocks is not a list")
        return
    following = base
    for block in blocks:
        size = number(block.get("size"), MAX_SIZE) if type(block) is dict else UNKNOWN
        if type(block) is not dict or size == UNKNOWN:
            left_out.add(device, "block", "ignored: size is missing or invalid")
            following = NO_ADDRESS
            continue
        own = address(block.get("address"))
        at = following if own == NO_ADDRESS else own
        if at == NO_ADDRESS or not base <= at <= base + length - size:
            left_out.add(device, "block", "ignored: address is missing or outside of its segment")
            continue
        following = at + size
        state = block.get("state")
        if state in _ALIVE:
            yield (
                at,
                _requested_bytes(device, block, size, left_out),
                stacks.number_stack(_frames(block)),
            )
        elif state != _FREE:
            left_out.add(device, "block", "ignored: unknown state")


def _requested_bytes(device: int, block: Segment, size: int, left_out: LeftOut) -> int:
    """Return the requested bytes of a block, or the block's own `size` if the file does not have
    them or they are invalid.
    """
    if "requested_size" not in block:
        return size
    requested = number(block["requested_size"], size + 1)
    if requested == UNKNOWN:
        left_out.add(device, "block", "shown with its size: requested_size is missing or invalid")
        return size
    return requested


def _frames(block: Segment) -> object:
    """Return the pickled stack frames of a block, `None` if there are none.

    Files of 2022 store them with the block's last allocation.
    """
    history = block.get("history")
    last = history[0] if type(history) is list and history else None
    return block.get("frames") or (last.get("frames") if type(last) is dict else None)


def _sum(segments: Sequence[Segment], key: str) -> int | None:
    """Sum the number of bytes `key` over the segments; `None` if a segment lacks it."""
    sizes = [number(segment.get(key), MAX_SIZE) for segment in segments]
    return None if UNKNOWN in sizes else sum(sizes)


def _addresses(values: Iterator[int]) -> Ints:
    # NumPy rejects Python integers from 2^63 on for int64; a view of uint64 has the same bits.
    return np.array([*values], np.uint64).view(np.int64)
