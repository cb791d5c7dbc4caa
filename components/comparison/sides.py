"""How the two sides of a comparison look, the same in every plot."""

from __future__ import annotations

from components.theme import palette

BASE, NEW = "base", "new"
SIDES = (BASE, NEW)


def side_color(side: str, theme: str) -> str:
    """Return the colour of a side."""
    colours = palette(theme)
    return colours.warmup if side == BASE else colours.perf
