"""Times of a compiler: bars by rewrite step, a table of rules, and a flame graph of time ranges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from dash import html

from analysis.program.compile_time import Ranges
from components.figure import Figure
from components.flame import flame, shown_parts, whole_of
from components.graph import figure, nothing
from components.numbers import count_text, duration_text, integer, percent, plain
from components.program.compile_words import rule_place
from components.row_axis import row_axis, row_targets
from components.theme import palette
from components.time_axis import duration_axis

MAX_STEPS, MAX_RULES = 20, 20
"""Steps that are drawn and rules that are listed, at most."""
RULE = "compile-rule"
"""Type of the ids of the buttons that show the slowest match of a rule."""
_ROW_PX, _FRAME_PX = 20, 60
_MAX_NAME_CHARACTERS = 34
"""Characters of a step's name at most."""


def step_time_bars(steps: pd.DataFrame, theme: str) -> Figure:
    """Draw the first 20 rows (MAX_STEPS) of `analysis.program.compile_time.steps_by_name` as
    horizontal bars of their time; a bar's customdata is [rank of its row, from 0].

    If no row has a time, the figure has no traces.
    """
    shown = steps.head(MAX_STEPS)
    if shown.empty or not shown["duration"].any():
        return nothing(theme)
    times = shown["duration"].to_numpy(np.int64)
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "y": np.arange(len(shown)),
        "x": times,
        "marker": {"color": palette(theme).perf},
        "customdata": [[row] for row in range(len(shown))],
        "hovertext": [_step_words(row) for row in shown.to_dict("records")],
        "hoverinfo": "text",
    }
    # Some room keeps the end of the longest bar visible.
    axis = duration_axis(
        (0, round(int(times.max()) * 1.03)), "time of matches, with the steps inside"
    )
    layout = {
        "height": _FRAME_PX + _ROW_PX * len(shown),
        "margin": {"l": 230, "r": 16, "t": 8, "b": 44},
        "showlegend": False,
        "xaxis": axis,
        "yaxis": row_axis([plain(str(name), _MAX_NAME_CHARACTERS) for name in shown["name"]]),
    }
    return figure([bars, row_targets(bars, axis["range"])], layout, theme)


def _step_words(row: Any) -> str:  # noqa: ANN401 - a row of a frame
    counts = f"{count_text(row['matches'], 'match')} in {count_text(row['contexts'], 'context')}"
    return f"{plain(str(row['name']), 90)}<br>{duration_text(row['duration'])}<br>{counts}"


def rules_table(rules: pd.DataFrame, total: int) -> html.Div:
    """Build the table of the first 20 rows (MAX_RULES) of
    `analysis.program.compile_time.rules_by_place`.

    `total` is the summed time of all matches in ns, for the shares. A button in each row shows the rule's
    slowest match.
    """
    heads = ("rule", "time", "share", "matches", "slowest match")
    rows = [html.Tr(_cells(row, total)) for row in rules.head(MAX_RULES).to_dict("records")]
    table = html.Table(
        [html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])), html.Tbody(rows)],
        className="ts-table",
    )
    return html.Div(table, className="ts-scroll")


def _cells(row: Any, total: int) -> list[html.Td]:  # noqa: ANN401 - a row of a frame
    place = {"type": RULE, **{name: int(row[name]) for name in ("context", "step", "match")}}
    slowest = html.Button(
        duration_text(row["slowest"]), id=place, className="ts-link", title="Show it in its graph"
    )
    # Matches of a capture may have no times at all.
    share = percent(row["duration"] / total) if total else ""
    return [
        html.Td(rule_place(str(row["file"]), row["line"]), title=str(row["file"])),
        html.Td(duration_text(row["duration"])),
        html.Td(share),
        html.Td(integer(row["matches"])),
        html.Td(slowest),
    ]


def range_flame(ranges: Ranges, theme: str) -> Figure:
    """Draw the compiler's time ranges as a flame graph: each below the range that contains it, as
    wide as its total time. If no range has a time, the figure has no traces.
    """
    whole = whole_of(ranges.tree)
    shown = shown_parts(ranges.tree)
    hovers = [_range_words(row, whole) for row in shown.to_dict("records")]
    return flame(shown, hovers, duration_axis((0, whole), "time of ranges"), theme)


def _range_words(row: Any, whole: int) -> str:  # noqa: ANN401 - a row of a frame
    times = f"{duration_text(row['total'])}, {percent(row['total'] / whole)}; itself {duration_text(row['own'])}"
    return f"{plain(str(row['name']), 90)}<br>{times}<br>{count_text(row['count'], 'time')}"
