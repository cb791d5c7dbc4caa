"""Tiles in words."""

from __future__ import annotations

from collections.abc import Mapping

from components.numbers import DASH, integer, size


def tile_text(tile: Mapping[str, int]) -> str:
    """Return the sizes of a tile: `M 16 × O 96`."""
    return " × ".join(f"{name} {integer(length)}" for name, length in tile.items()) or DASH


def exact_size(value: int) -> str:
    """Return bytes as people read them, and to the byte where that is not the same."""
    shown = size(value)
    return shown if value < 1024 else f"{shown} ({integer(value)} B)"
