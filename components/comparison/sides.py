"""Names and colours of the two sides of a comparison, equal in all plots."""

from __future__ import annotations

from components.theme import palette

BASE, NEW = "base", "new"
SIDES = (BASE, NEW)


def side_color(side: str, theme: str) -> str:
    """Return the colour of a side as a CSS text: that of warm-ups for `base`, of perf iterations
    for any other.
    """
    colours = palette(theme)
    return colours.warmup if side == BASE else colours.perf
