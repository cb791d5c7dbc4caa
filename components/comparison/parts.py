"""Bars of the parts of the time of iterations, for both sides of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from components.comparison.sides import SIDES, side_color
from components.comparison.words import PARTS
from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import percent
from components.row_axis import row_axis
from components.tick_formats import SHARE_TICKS

LABELS: Mapping[str, str] = MappingProxyType(
    {**PARTS, "waiting": "waiting", "early_end": "early end"}
)
"""Part of an iteration's time -> its label."""
_ROW_PX, _FRAME_PX = 30, 86


def parts(shares: Mapping[str, Mapping[str, float]], theme: str) -> Figure:
    """Draw a pair of bars per part: `shares` is side -> part -> share (0 to 1) of core time in
    iterations.

    Parts below 0.05 % on both sides are left out; if all are, the figure shows only a sentence.
    """
    names = [
        name for name in LABELS if any(shares[side].get(name, 0.0) >= 0.0005 for side in SIDES)
    ]
    if not names:
        return empty_figure("No complete perf iteration on either side.", theme, 160)
    layout = {
        "height": _FRAME_PX + _ROW_PX * len(names),
        "margin": {"l": 96, "r": 40, "t": 34, "b": 40},
        "barmode": "group",
        "bargap": 0.25,
        "xaxis": {
            "tickformat": SHARE_TICKS,
            "title": {"text": "share of the cores' time in iterations"},
        },
        "yaxis": row_axis([LABELS[name] for name in names]),
    }
    # Plotly draws the bars of a group from below.
    return figure([_bars(side, shares[side], names, theme) for side in SIDES], layout, theme)


def _bars(side: str, shares: Mapping[str, float], names: list[str], theme: str) -> dict[str, Any]:
    values = [shares.get(name, 0.0) for name in names]
    return {
        "type": "bar",
        "orientation": "h",
        "name": side,
        "x": values,
        "y": list(range(len(names))),
        "text": [percent(value) for value in values],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {
            "color": side_color(side, theme),
            "pattern": {
                "shape": "/" if side == "base" else "",
                "size": 5,
                "solidity": 0.15,
                "fillmode": "overlay",
            },
        },
        "hovertemplate": f"<b>{side}</b> %{{text}}<extra></extra>",
    }
