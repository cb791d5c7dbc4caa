"""Table of compared numbers: both sides, change, interval, verdict and its reason."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.comparison.rows import ResultRow
from components.comparison.words import (
    about,
    about_with_whole,
    basis_words,
    change_words,
    interval_words,
    numbers,
)
from components.numbers import count_text, integer, tame
from components.verdicts import tone, verdict_words

_MIN_REACH, _MAX_REACH = 0.02, 1.0
"""Minimum and maximum change, as a ratio, at the ends of the scale."""
_MIN_THRESHOLDS = 2.5
"""Minimum number of thresholds in view: an unchanged number has its interval within a threshold."""


def common_scale(rows: Iterable[ResultRow]) -> float:
    """Compute the change (ratio, 0.021 to 1.05) at both ends of the pictures of all rows of a
    table.

    It covers all intervals of the rows; intervals that are wider than 1 (_MAX_REACH) are cut off.
    """
    ends = [
        abs(end)
        for row in rows
        for end in (row.low, row.high)
        if end is not None and math.isfinite(end)
    ]
    reaches = [_MIN_THRESHOLDS * row.threshold for row in rows if row.low is not None]
    # The factor leaves room at both ends.
    return min(max([_MIN_REACH, *ends, *reaches]), _MAX_REACH) * 1.05


def interval(row: ResultRow, scale: float) -> html.Div | str:
    """Lay out the interval of a row as a picture whose ends are at a change of -`scale` and
    +`scale`; "" if the row has no interval.
    """
    if row.low is None or row.high is None or row.estimate is None:
        return ""
    ends = sorted((_place(row.low, scale), _place(row.high, scale)))
    parts = [
        _mark("ts-band", _place(-row.threshold, scale), _place(row.threshold, scale)),
        html.Span(className="ts-zero"),
        _mark("ts-span", *ends),
        html.Span(className="ts-dot", style={"left": f"{_place(row.estimate, scale):.2f}%"}),
    ]
    title: dict[str, Any] = {
        "title": f"95 % interval {interval_words(row)} vs base" if row.low != row.high else "exact"
    }
    return html.Div(parts, className=f"ts-interval {tone(row.judged.verdict)}", **title)


def _place(change: float, scale: float) -> float:
    """Compute the position of a change (ratio) from the left in percent of the picture's width, cut
    to 0 to 100.
    """
    return 50 + 50 * max(-1.0, min(1.0, change / scale))


def _mark(class_name: str, low: float, high: float) -> html.Span:
    # Narrow intervals get a minimum width, so that they stay visible.
    return html.Span(
        className=class_name, style={"left": f"{low:.2f}%", "width": f"{max(0.5, high - low):.2f}%"}
    )


CHANGE, INTERVAL = "change vs base", "95 % interval"
_HEADS = ("number", "base", "new", CHANGE, INTERVAL, "verdict")
_INTERVAL_COLUMN = f"{INTERVAL} of the {CHANGE}"
"""Column of a table of texts, which has no tooltips."""
_TITLES = {INTERVAL: "of the change, in percent of base; of a share in percentage points (pp)"}


def metrics_table(rows: Sequence[ResultRow]) -> html.Table:
    """Lay out the rows of a comparison in order; numbers that decide the verdict of the runs are
    marked.

    When there are no rows, the table has only its heading.
    """
    scale = common_scale(rows)
    heads = [html.Th(words, scope="col", title=_TITLES.get(words, "")) for words in _HEADS]
    return html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody([_row(row, scale) for row in rows])],
        className="ts-metrics",
    )


def rows_frame(rows: Sequence[ResultRow]) -> pd.DataFrame:
    """Format the rows of a comparison as a frame of texts, for a table in a file.

    Columns: number, base, new, change vs base, its 95 % interval, threshold, decides ("yes" or ""), verdict,
    reason.
    """
    both = [numbers((row.base, row.new), row) for row in rows]
    return pd.DataFrame(
        {
            "number": [about_with_whole(row) for row in rows],
            "base": [sides[0] for sides in both],
            "new": [sides[1] for sides in both],
            CHANGE: [change_words(row) for row in rows],
            _INTERVAL_COLUMN: [interval_words(row) for row in rows],
            "threshold": [f"{100 * row.threshold:g} % vs base" for row in rows],
            "decides": ["yes" if row.gates else "" for row in rows],
            "verdict": [row.judged.verdict for row in rows],
            "reason": [row.judged.reason for row in rows],
        }
    )


def _change_cell(row: ResultRow) -> list[Component | str]:
    """Lay out the change of a row, with its basis in a line of its own: a cell of numbers does not
    wrap.
    """
    basis = basis_words(row)
    text = change_words(row).removesuffix(basis).rstrip()
    return [text, html.Small(basis, className="ts-reason")] if basis else [text]


def _row(row: ResultRow, scale: float) -> html.Tr:
    verdict = row.judged.verdict
    label: list[Component | str] = [about(row)]
    if row.metric.metric.share_of:
        label.append(html.Span(f" {row.metric.metric.share_of}", className="ts-muted"))
    if row.gates:
        title = "This metric decides the verdict of the whole comparison."
        label.append(html.Small(" decides", className="ts-muted", title=title))
    reason = (
        [html.Small(tame(row.judged.reason), className="ts-reason")] if row.judged.reason else []
    )
    counts = f"{_samples(row)}; threshold {100 * row.threshold:g} % vs base"
    cells = [
        *(html.Td(text, className="ts-number") for text in numbers((row.base, row.new), row)),
        html.Td(_change_cell(row), className=f"ts-number {tone(verdict)}"),
        html.Td(interval(row, scale)),
        html.Td(
            [html.Span(verdict_words(verdict), className=tone(verdict)), *reason],
            className="ts-verdict",
        ),
    ]
    return html.Tr([html.Th(label, scope="row", title=f"{row.metric.rests_on}. {counts}."), *cells])


def _samples(row: ResultRow) -> str:
    if row.n_base == row.n_new:
        return f"{count_text(row.n_base, 'sample')} each"
    return f"{integer(row.n_base)} and {count_text(row.n_new, 'sample')}"
