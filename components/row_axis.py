"""The y axis of plots that have a row per name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def row_axis(names: Sequence[str]) -> dict[str, Any]:
    """Return an axis that names rows 0, 1, ... from top to bottom; all of them stay in view."""
    return {
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "range": [len(names) - 0.4, -0.6],
        "showgrid": False,
        "ticks": "",
        "fixedrange": True,
    }
