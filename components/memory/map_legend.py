"""Legend of a memory map: colours, patterns of kinds, failed blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.memory.attempt_map import AttemptMap
from components.memory.colours import PATTERNS, Colouring
from components.numbers import plain
from components.theme import fade, palette

_MAX_ENTRIES = 12
"""Maximum number of colours in the legend."""


def map_legend(
    colouring: Colouring, maps: Sequence[AttemptMap], theme: str
) -> list[dict[str, Any]]:
    """Build the traces without points of the legend: a colour each, at most 12, or patterns of
    kinds if the colours have no legend; failed blocks have an entry of their own.
    """
    colours = palette(theme)
    entries = [
        _entry(plain(label, 24), colour) for label, colour in colouring.legend(maps)[:_MAX_ENTRIES]
    ]
    kinds = {str(kind) for amap in maps for kind in amap.blocks["kind"].unique()}
    for kind, shape in PATTERNS.items() if len(kinds) > 1 and not entries else ():
        pattern = {
            "shape": shape,
            "fillmode": "overlay",
            "fgcolor": colours.ink,
            "size": 5,
            "solidity": 0.2,
        }
        if kind in kinds:
            entries.append(_entry(kind, fade(colours.muted, 0.35), {"pattern": pattern}))
    if colouring.scale and not entries:
        # Plotly draws no legend without entries, and the colour scale is the legend's title.
        entries.append(_entry(" ", "rgba(0,0,0,0)"))
    if any((amap.blocks["status"] == "failed").any() for amap in maps):
        line = {"color": colours.trouble, "width": 1.2}
        entries.append(_entry("failed", fade(colours.trouble, 0.15), {"line": line}))
    return entries


def _entry(label: str, colour: str, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    marker = {"color": colour, "line": {"width": 0}, **(more or {})}
    return {
        "type": "bar",
        "x": [None],
        "y": [None],
        "name": label,
        "marker": marker,
        "hoverinfo": "skip",
    }
