"""Markers over bytes held, with hover texts of several lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from components.numbers import plain

_MAX_LINE_CHARACTERS = 200
"""Characters of a line of hover text at most."""


def marker_trace(
    name: str, points: Sequence[tuple[int, float, str]], marker: dict[str, Any]
) -> dict[str, Any]:
    """Build the trace of points (bytes held, value on the y axis, hover text)."""
    held, values, texts = zip(*points, strict=True)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": np.array(held, np.float64),
        "y": np.array(values, np.float64),
        "text": [
            "<br>".join(plain(line, _MAX_LINE_CHARACTERS) for line in text.splitlines())
            for text in texts
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": marker,
    }
