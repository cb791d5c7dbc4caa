"""Plot of a bisection: the runs over the commits, the levels on both sides, the commits that are left."""

from __future__ import annotations

from typing import Any

from analysis.bisection.result import Bisection, MeasuredCommit
from components.bisection.words import bisection_sentence
from components.comparison.trend_words import commit_text, value_text
from components.figure import Figure
from components.graph import figure, nothing
from components.index_axis import index_axis
from components.numbers import count_text, plain
from components.theme import fade, palette

_HEIGHT = 320
_SIDES = {"good": ("circle", "good"), "open": ("diamond", "caution"), "bad": ("x", "trouble")}
"""Side of a commit -> symbol of its runs, and role of their colour in the theme."""


def side_of(item: MeasuredCommit, bisection: Bisection) -> str:
    """Return whether a commit is before the step (`good`), after it (`bad`), or not clear (`open`)."""
    plan = bisection.plan
    if plan.state in ("level", "better", "gradual", "unmeasurable"):
        return "open"
    if item.position < plan.first:
        return "good"
    return "bad" if item.position >= plan.last else "open"


def bisection_figure(bisection: Bisection, theme: str) -> Figure:
    """Draw the runs of the measured commits; without runs, the figure has no traces."""
    if not bisection.runs:
        return nothing(theme)
    colours = palette(theme)
    last = len(bisection.commits) - 1
    unit = f", {bisection.metric.unit}" if bisection.metric.unit else ""
    layout: dict[str, Any] = {
        "height": _HEIGHT,
        "margin": {"l": 64, "r": 16, "t": 40, "b": 44},
        "xaxis": index_axis("commits after the good commit", 0, last),
        "yaxis": {"title": {"text": f"{bisection.metric.label}{unit}"}},
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "shapes": [*_range_shape(bisection, theme), *_next_shape(bisection, theme)],
    }
    traces = [
        trace
        for side, (symbol, role) in _SIDES.items()
        for trace in _runs(bisection, side, symbol, getattr(colours, role))
    ]
    return figure([*traces, *_levels(bisection, theme)], layout, theme)


def _runs(bisection: Bisection, side: str, symbol: str, colour: str) -> list[dict[str, Any]]:
    items = [
        item
        for item in bisection.measured
        if item.values and not item.is_skipped and side_of(item, bisection) == side
    ]
    if not items:
        return []
    names = {"good": "run before", "open": "run, side not clear", "bad": "run after"}
    pairs = [(item, value) for item in items for value in item.values]
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": names[side],
            "x": [item.position for item, _ in pairs],
            "y": [value for _, value in pairs],
            "text": [
                f"{plain(commit_text(item.commit))}: {value_text(value, bisection.metric)}"
                for item, value in pairs
            ],
            "hovertemplate": "%{text}<extra></extra>",
            "marker": {"color": colour, "symbol": symbol, "size": 8},
        }
    ]


def _levels(bisection: Bisection, theme: str) -> list[dict[str, Any]]:
    """Build the lines of the levels on both sides."""
    plan = bisection.plan
    last = len(bisection.commits) - 1
    sides = bisection.sides
    ends = [
        ("level before", sides.good, 0, plan.first - 1),
        ("level after", sides.bad, plan.last, last),
    ]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": f"{name}: {value_text(level, bisection.metric)}",
            "x": [begin, end] if end > begin else [begin - 0.4, end + 0.4],
            "y": [level, level],
            "hoverinfo": "skip",
            "line": {"color": palette(theme).muted, "width": 2, "dash": dash},
        }
        for (name, level, begin, end), dash in zip(ends, ("dash", "dot"), strict=True)
        if level is not None
    ]


def _range_shape(bisection: Bisection, theme: str) -> list[dict[str, Any]]:
    """Shade the commits that may be the culprit."""
    plan = bisection.plan
    place = {"type": "rect", "xref": "x", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    colour = fade(palette(theme).caution, 0.15)
    reach = {"x0": plan.first - 0.5, "x1": plan.last + 0.5}
    return [place | reach | {"fillcolor": colour, "line": {"width": 0}}]


def _next_shape(bisection: Bisection, theme: str) -> list[dict[str, Any]]:
    """Mark the commit to measure next."""
    position = bisection.plan.next
    if position is None:
        return []
    line = {"color": palette(theme).selection, "width": 2, "dash": "dot"}
    place = {"type": "line", "xref": "x", "yref": "paper", "y0": 0, "y1": 1}
    return [place | {"x0": position, "x1": position, "line": line}]


def plot_summary(bisection: Bisection) -> str:
    """Write the text of the plot for screen readers."""
    runs = count_text(bisection.runs, "run")
    commits = count_text(bisection.with_runs, "commit")
    return f"{runs} of {commits} over {count_text(len(bisection.commits), 'commit')}. {bisection_sentence(bisection)}"
