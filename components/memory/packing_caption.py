"""Caption of the built-in allocators: whether their placements fit, and how many bytes they need."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.memory.attempt_map import AttemptMap
from components.memory.block_words import exact
from components.memory.listed_blocks import are_unlisted
from components.numbers import count_text


def packing_caption(
    amap: AttemptMap, packings: Mapping[str, int], conflicts: Mapping[str, int] | None = None
) -> str:
    """Write whether the placements of the built-in allocators fit into the capacity if an attempt
    has failed blocks, else how their bytes compare with the extent, and the lower bound.

    `packings` maps names of allocators to the bytes above the constants that they need, `conflicts`
    to their candidates for bank conflicts, if they are known. The result is "" if `packings` is
    empty, or if the blocks are not listed.
    """
    if are_unlisted(amap) or not packings:
        return ""
    room = amap.arena_capacity
    failed = amap.whole("failed") not in (None, 0)
    if failed and room is not None:
        parts = _fitting(packings, room, conflicts or {})
    else:
        extent = None if failed else amap.whole("extent")
        parts = [
            f"{name} needs {exact(need)}{_less(need, extent)}{_with(name, conflicts or {})}"
            for name, need in packings.items()
        ]
    bound = amap.whole("bound")
    parts += [f"lower bound {exact(bound)}"] if bound is not None else []
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _fitting(packings: Mapping[str, int], room: int, conflicts: Mapping[str, int]) -> list[str]:
    """List the allocators whose placement fits into `room` bytes, the least need first, then the
    bytes that the remaining allocators lack; a sentence that none fits comes first.
    """
    ordered = sorted(packings.items(), key=lambda pair: pair[1])
    parts = [
        f"{name} would fit: {exact(need)} of {exact(room)}{_with(name, conflicts)}"
        for name, need in ordered
        if need <= room
    ]
    if not parts:
        parts = [f"none of {count_text(len(packings), 'allocator')} fits into {exact(room)}"]
    return parts + [
        f"{name} needs {exact(need)}, {exact(need - room)} too many"
        for name, need in ordered
        if need > room
    ]


def _with(name: str, conflicts: Mapping[str, int]) -> str:
    """Write the number of candidates for bank conflicts of an allocator's placement; "" if it is
    unknown.
    """
    if name not in conflicts:
        return ""
    return f", with {count_text(conflicts[name], 'candidate')} for bank conflicts"


def _less(need: int, extent: int | None) -> str:
    """Write how an allocator's need (bytes) compares with the extent, in words that begin with ",
    "; "" if there is no extent.
    """
    if extent is None:
        return ""
    if need == extent:
        return ", the same as placed"
    return f", {exact(abs(need - extent))} {'less' if need < extent else 'more'} than placed"
