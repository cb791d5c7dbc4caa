"""Colours of text that stay readable on a coloured, possibly transparent, ground."""

from __future__ import annotations

from functools import lru_cache

DARK, PALE = "#000000", "#ffffff"
"""Colours of text. The one with the higher contrast to a ground always reaches 4.58, above the 4.5
that WCAG requires; a dark text lighter than black would fall below it on some grounds.
"""


@lru_cache(maxsize=1024)
def choose_ink(colour: str, ground: str = PALE, opacity: float = 1.0) -> str:
    """Choose black (#000000) or white (#ffffff) text, whichever has the higher contrast to `colour`
    (#rrggbb or rgb()) drawn with `opacity` (0 to 1) over `ground`.
    """
    shown = blend(colour, ground, opacity)
    return max((DARK, PALE), key=lambda ink: contrast(ink, shown))


def blend(colour: str, ground: str, opacity: float) -> str:
    """Compute the visible colour (#rrggbb) of `colour` drawn with `opacity` (0 to 1) over `ground`."""
    pairs = zip(_channels(colour), _channels(ground), strict=True)
    return "#" + "".join(
        f"{round(over * opacity + under * (1 - opacity)):02x}" for over, under in pairs
    )


def contrast(one: str, other: str) -> float:
    """Compute the contrast ratio of two colours, 1 to 21, as WCAG 2 defines it."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    shares = [channel / 255 for channel in _channels(colour)]
    # Relative luminance of sRGB, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _channels(colour: str) -> tuple[float, float, float]:
    if colour.startswith("rgb("):
        red, green, blue = (float(part) for part in colour[4:-1].split(","))
        return red, green, blue
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
