"""Largest free range in the segments of a device at an entry of its trace."""

from __future__ import annotations

import numpy as np

from data_loaders.torch_snapshot.curves import GAINS, LOSSES
from data_loaders.torch_snapshot.devices import Device
from schema.array_types import Ints

_ROUNDED_TO = 512
"""The allocator rounds every block up to a multiple of these bytes."""
_TOP = np.uint64(2**64 - 1)


def largest_free_range(device: Device, step: int) -> int | None:
    """Return the bytes of the largest range after entry `step` that is in a segment and in no
    block; None if no segment is known then.

    The segments are those of the end, without those reserved later and with those given back later.
    """
    trace = device.trace
    gained = _places_after(device, GAINS, step)
    lost = _places_after(device, LOSSES, step)
    alive = (device.lives.start <= step) & (device.lives.end > step)
    empty = np.zeros(0, np.int64)
    base, length = (
        (empty, empty) if device.blocks is None else (device.blocks.base, device.blocks.length)
    )
    # The allocator rounds each block up, and no other block can use the rest.
    rounded = -(-device.lives.size[alive] // _ROUNDED_TO) * _ROUNDED_TO
    # From the segments of the end back to the step: gains are undone, losses restored.
    parts = [
        (base, length, 1),
        (trace.address[gained], trace.size[gained], -1),
        (trace.address[lost], trace.size[lost], 1),
    ]
    edges, covered = _coverage(parts)
    edge_of_block, blocked = _coverage([(device.lives.address[alive], rounded, 1)])
    cuts = np.unique(np.concatenate([edges, edge_of_block]))
    if len(cuts) < 2 or not (covered > 0).any():
        return None
    is_free = (_step_values(edges, covered, cuts) > 0) & (
        _step_values(edge_of_block, blocked, cuts) <= 0
    )
    return _longest_run(cuts, is_free[:-1], _segment_starts(device))


def _places_after(device: Device, actions: tuple[str, ...], step: int) -> Ints:
    places = device.trace.places(*actions)
    return np.asarray(places[places > step])


def _coverage(parts: list[tuple[Ints, Ints, int]]) -> tuple[np.ndarray, Ints]:
    """Count at each edge (uint64) how many ranges cover the addresses from there to the next edge.

    A part has addresses and lengths of ranges, and the number by which they count.
    """
    begin = np.concatenate([address.view(np.uint64) for address, _, _ in parts])
    length = np.concatenate([size.view(np.uint64) for _, size, _ in parts])
    weight = np.concatenate([np.full(len(size), number) for _, size, number in parts])
    # The end of a damaged segment may exceed 64 bits.
    end = begin + np.minimum(length, _TOP - begin)
    edges, place = np.unique(np.concatenate([begin, end]), return_inverse=True)
    change = np.zeros(len(edges), np.int64)
    np.add.at(change, place, np.concatenate([weight, -weight]))
    return edges, np.cumsum(change)


def _step_values(edges: np.ndarray, values: Ints, addresses: np.ndarray) -> Ints:
    """Return the value that holds from the last edge at or before each address, 0 before all."""
    place = np.searchsorted(edges, addresses, side="right") - 1
    return np.where(place >= 0, values[np.maximum(place, 0)], 0) if len(edges) else place * 0


def _segment_starts(device: Device) -> np.ndarray:
    """Return the addresses at which segments begin: no block spans two of them.

    Parts that an expandable segment maps later continue it, so they are not among them.
    """
    own = device.trace.address[device.trace.places("segment_alloc", "segment_free")]
    base = np.zeros(0, np.int64) if device.blocks is None else device.blocks.base
    return np.unique(np.concatenate([own, base]).view(np.uint64))


def _longest_run(cuts: np.ndarray, is_free: np.ndarray, starts: np.ndarray) -> int:
    """Return the bytes of the longest run of free parts [cuts[i], cuts[i + 1]) that no segment's
    start divides; 0 if no part is free.
    """
    begins = cuts[:-1]
    # A block cannot span two segments, even if they are neighbours.
    is_first = np.append(True, ~is_free[:-1]) | np.isin(begins, starts)
    run = np.cumsum(is_first) - 1
    length = np.where(is_free, cuts[1:] - begins, np.uint64(0))
    sums = np.zeros(int(run[-1]) + 1, np.uint64)
    np.add.at(sums, run, length)
    return int(sums.max())
