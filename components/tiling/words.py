"""Texts of tiles and sizes."""

from __future__ import annotations

from collections.abc import Mapping

from components.numbers import DASH, integer, size


def tile_text(tile: Mapping[str, int]) -> str:
    """Format the sizes of a tile by dimension: `M 16 × O 96`; a dash if no size is known."""
    return " × ".join(f"{name} {integer(length)}" for name, length in tile.items()) or DASH


def exact_size(value: int) -> str:
    """Format bytes in a fitting unit, followed by the exact number of bytes from 1 KiB on: `125 KiB
    (128 000 B)`.
    """
    shown = size(value)
    # Below 1 KiB the first text is exact already.
    return shown if value < 1024 else f"{shown} ({integer(value)} B)"
