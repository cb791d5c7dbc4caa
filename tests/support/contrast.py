"""Contrast of the words on the bars of a figure."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from components.contrast import blend, contrast
from components.theme import palette

_HATCHED = 0.3


def words_on_bars(figure: Any, theme: str) -> Iterator[tuple[str, float]]:
    """Yield the words on each bar of a figure, and the ratio of their contrast to the painted bar."""
    panel = palette(theme).panel
    for trace in figure.data:
        if trace.type != "bar" or trace.textposition != "inside" or trace.text is None:
            continue
        count = len(trace.text)
        opacity = 1.0 if trace.marker.opacity is None else trace.marker.opacity
        shape = trace.marker.pattern.shape if trace.marker.pattern.fillmode != "overlay" else ""
        parts = (
            trace.text,
            trace.insidetextfont.color,
            trace.marker.color,
            opacity,
            "" if shape is None else shape,
        )
        rows = zip(
            *(np.broadcast_to(np.asarray(part, dtype=object), count) for part in parts), strict=True
        )
        for text, ink, colour, share, hatch in rows:
            solid, alpha = _opaque(colour)
            painted = float(share) * alpha * (_HATCHED if hatch else 1)
            if text:
                yield str(text), contrast(ink, blend(solid, panel, painted))


def _opaque(colour: str) -> tuple[str, float]:
    """Split a colour into the colour without opacity and the opacity (0 to 1)."""
    if not colour.startswith("rgba("):
        return colour, 1.0
    *channels, alpha = colour[5:-1].split(",")
    return f"rgb({','.join(channels)})", float(alpha)
