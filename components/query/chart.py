"""Chart of a query result: line, bars, points, or histogram of a column."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from components.figure import Figure
from components.graph import figure
from components.numbers import count_text, plain
from components.query.grid import Row, is_number_type
from components.theme import palette

CHARTS = ("line", "bar", "scatter", "histogram")
_HEIGHT = 320
_MAX_LABEL_CHARACTERS = 40
"""Characters of a text on an axis at most."""


def chart_axes(columns: Sequence[tuple[str, str]], chart: str, x: str, y: str) -> tuple[str, str]:
    """Choose the names of the columns of the x and y axis: the requested columns if the result has
    them, else the first that fit.

    `columns` are pairs of name and DuckDB type. The y axis of a histogram has no column (""). ""
    also if no column fits.
    """
    names = [name for name, _ in columns]
    numbers = [name for name, type_name in columns if is_number_type(type_name)]
    if chart == "histogram":
        return (x if x in names else next(iter([*numbers, *names]), "")), ""
    across = x if x in names else next(iter(names), "")
    up = y if y in names else next((name for name in numbers if name != across), "")
    return across, up


def chart_figure(
    chart: str,
    columns: Sequence[tuple[str, str]],
    rows: Sequence[Row],
    axes: tuple[str, str],
    theme: str,
) -> Figure:
    """Draw the chart of a result's rows; `chart` is one of CHARTS.

    `axes` are columns of the result as returned by `chart_axes`, of which only that of y may be "",
    for a histogram.
    """
    names = [name for name, _ in columns]
    x, y = axes
    values = {name: [_value(row[names.index(name)]) for row in rows] for name in axes if name}
    colour = {"color": palette(theme).perf}
    trace: dict[str, Any] = (
        {"x": values[x]} if chart == "histogram" else {"x": values[x], "y": values[y]}
    )
    looks: dict[str, dict[str, Any]] = {
        "line": {
            "type": "scatter",
            "mode": "lines+markers",
            "line": colour,
            "marker": colour | {"size": 5},
        },
        "bar": {"type": "bar", "marker": colour},
        "scatter": {"type": "scatter", "mode": "markers", "marker": colour | {"size": 7}},
        "histogram": {"type": "histogram", "marker": colour},
    }
    # When the type of an axis is not set, plotly guesses it and can read texts of digits as
    # numbers.
    kind = (
        {}
        if is_number_type(dict(columns)[x])
        else {"type": "date" if _are_dates(values[x]) else "category"}
    )
    layout = {
        "height": _HEIGHT,
        "margin": {"l": 70, "r": 20, "t": 16, "b": 60},
        "showlegend": False,
        "xaxis": {"title": {"text": plain(x)}, "automargin": True} | kind,
        "yaxis": {"title": {"text": plain(y) if y else "rows"}, "automargin": True},
    }
    return figure([trace | looks[chart]], layout, theme)


def chart_summary(chart: str, axes: tuple[str, str], count: int) -> str:
    """Return the sentence for screen readers about a chart of `count` rows, such as `rate against
    size as line, of 12 rows.`
    """
    x, y = (plain(axis) for axis in axes)
    shown = f"Rows by {x}" if chart == "histogram" else f"{y} against {x}"
    return f"{shown} as {chart}, of {count_text(count, 'row')}."


def _are_dates(values: Sequence[object]) -> bool:
    """Whether all values except nulls are ISO 8601 dates; False if all are null."""
    texts = [value for value in values if value is not None]
    try:
        return bool(texts) and all(datetime.fromisoformat(str(text)) for text in texts)
    except ValueError:
        return False


def _value(value: object) -> object:
    return (
        value
        if value is None or isinstance(value, (int, float))
        else plain(value, _MAX_LABEL_CHARACTERS)
    )
