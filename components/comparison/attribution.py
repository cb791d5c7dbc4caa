"""Waterfall of the causes of a change, from the base to the new number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.comparison.cause import Cause
from analysis.comparison.rows import ResultRow
from components.comparison.words import amount_words, cause_words, number, relative_words
from components.figure import Figure
from components.graph import figure, nothing
from components.numbers import plain
from components.row_axis import row_axis, row_targets
from components.theme import palette

_MAX_CAUSES = 10
"""Maximum number of causes with a bar of their own."""
_ROW_PX, _FRAME_PX = 32, 70
_WIDTH = 0.7
_MIN_SHARE = 0.01
"""Share of the change below which a cause has no bar of its own."""
_CHARACTER_PX = 6.4


def attribution(row: ResultRow | None, causes: Sequence[Cause], theme: str) -> Figure:
    """Draw base, causes and new number from top to bottom, in percent of the base.

    Causes beyond 10, or below 1 % of the change, share a bar. The part of the change that no cause
    explains is a bar too, so that the bars add up to the change. The customdata of a cause is [its
    rank from 0]. The figure has no traces if there are no causes, a number is missing or the base
    is 0.
    """
    if row is None or not causes or not row.base or row.new is None:
        return nothing(theme)
    # Amounts in points are in percent of the base already.
    scale = 1.0 if causes[0].unit == "points" else 100.0 / row.base
    ends = (100.0, 100.0 * row.new / row.base)
    steps = _steps(causes, ends[1] - ends[0], scale)
    sizes = np.array([step.size for step in steps])
    starts = ends[0] + np.concatenate([[0.0], np.cumsum(sizes)[:-1]])
    names = [
        f"base {plain(number(row.base, row))}",
        *(f"{step.name}<br>{step.text}" for step in steps),
        f"new {plain(number(row.new, row))}<br>{relative_words(row.relative)} vs base",
    ]
    bars = _bars(steps, starts, row, theme)
    layout = _layout(names, np.concatenate([starts, starts + sizes, np.array(ends)]))
    targets = row_targets(bars, layout["xaxis"]["range"])
    return figure([_totals(ends, len(names), theme), bars, targets], layout, theme)


class _Step(NamedTuple):
    """A bar of the waterfall: name, size in percent of the base, its amount as text, rank of cause.

    The rank is -1 if the bar is not a single cause.
    """

    name: str
    size: float
    text: str
    rank: int = -1


def _steps(causes: Sequence[Cause], change: float, scale: float) -> list[_Step]:
    large = [
        cause
        for cause in causes[:_MAX_CAUSES]
        if abs(cause.amount * scale) >= _MIN_SHARE * abs(change)
    ]
    steps = [
        _Step(plain(cause_words(cause), 44), cause.amount * scale, amount_words(cause), rank)
        for rank, cause in enumerate(large)
    ]
    rest = sum(cause.amount for cause in causes[len(large) :])
    if len(causes) > len(large):
        steps.append(
            _Step(f"{len(causes) - len(large)} smaller", rest * scale, _amount(causes[0], rest))
        )
    left = change - sum(cause.amount for cause in causes) * scale
    if abs(left) > _MIN_SHARE * abs(change):
        steps.append(_Step("not attributed", left, _amount(causes[0], left / scale)))
    return steps


def _amount(like: Cause, amount: float) -> str:
    return amount_words(Cause(like.metric, "", "", amount, like.unit))


def _totals(ends: tuple[float, float], rows: int, theme: str) -> dict[str, Any]:
    colours = palette(theme)
    return {
        "type": "bar",
        "orientation": "h",
        "x": list(ends),
        "y": [0, rows - 1],
        "width": _WIDTH,
        "marker": {"color": [colours.warmup, colours.perf]},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _bars(steps: Sequence[_Step], starts: np.ndarray, row: ResultRow, theme: str) -> dict[str, Any]:
    """Build the trace with a bar per step, each beginning at its value in `starts`, the end of the
    bar above it.

    Bars that make the number worse are hatched.
    """
    colours = palette(theme)
    worse = [step.size * row.metric.polarity < 0 for step in steps]
    return {
        "type": "bar",
        "orientation": "h",
        "base": starts,
        "x": np.array([step.size for step in steps]),
        "y": np.arange(1, len(steps) + 1),
        "width": _WIDTH,
        "marker": {
            "color": [
                colours.muted if step.rank < 0 else colours.trouble if bad else colours.good
                for step, bad in zip(steps, worse, strict=True)
            ],
            "pattern": {
                "shape": ["/" if bad else "" for bad in worse],
                "fgcolor": colours.panel,
                "size": 6,
            },
        },
        "customdata": np.array([[step.rank] for step in steps], dtype=object),
        "hovertext": [f"<b>{step.name}</b><br>{step.text}" for step in steps],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def _layout(names: Sequence[str], edges: np.ndarray) -> dict[str, Any]:
    low = float(edges.min())
    high = float(edges.max())
    room = max(high - low, 0.01 * abs(high))
    widest = max(len(line) for name in names for line in name.split("<br>"))
    return {
        "height": _FRAME_PX + _ROW_PX * len(names),
        "margin": {"l": 16 + round(_CHARACTER_PX * widest), "r": 24, "t": 8, "b": 40},
        "barmode": "overlay",
        "xaxis": {
            "title": {"text": "percent of base"},
            "range": [low - 0.05 * room, high + 0.05 * room],
            "tickformat": "~r",
        },
        # Rows count downwards: the base is the first. Amounts are below the names, as a text at the
        # end of a bar would lie on the names if the page is narrow.
        "yaxis": row_axis(names),
        "dragmode": False,
    }
