"""Layouts of a memory map by the built-in allocators, if it is not too large for them."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.allocators.packing import needs, pack_map
from analysis.memory.attempt_map import AttemptMap
from schema.choices import PLACED


def lay_out(amap: AttemptMap, layout: str) -> AttemptMap:
    """Return the map laid out by a built-in allocator; unchanged if it is too large for the
    allocator.
    """
    if layout == PLACED:
        return amap
    # The time of an allocator grows with the square of the parts of lifetimes, so it refuses many.
    try:
        return pack_map(amap, layout)
    except ValueError:
        return amap


def find_needs(amap: AttemptMap) -> Mapping[str, int]:
    """Map each built-in allocator to the bytes that it needs; empty if the map is too large or
    invalid.
    """
    try:
        return needs(amap)
    except ValueError:
        return {}


def is_laid(amap: AttemptMap, layout: str) -> bool:
    """Whether the addresses of a map are from the allocator `layout`; False if it is PLACED."""
    return layout != PLACED and amap.attempt["strategy"] == layout
