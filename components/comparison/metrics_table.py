"""Table of compared numbers: both sides, change, interval, verdict and its reason."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.comparison.rows import ResultRow
from components.comparison.interval import common_scale, interval
from components.comparison.words import about, change_words, interval_words, number
from components.numbers import integer, tame
from components.verdicts import tone, verdict_words

_HEADS = ("number", "base", "new", "change", "95 % interval", "verdict")


def metrics_table(rows: Sequence[ResultRow]) -> html.Table:
    """Lay out the rows of a comparison; numbers that decide the verdict of the runs are marked."""
    scale = common_scale(rows)
    heads = [html.Th(words, scope="col") for words in _HEADS]
    return html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody([_row(row, scale) for row in rows])], className="ts-metrics"
    )


def rows_frame(rows: Sequence[ResultRow]) -> pd.DataFrame:
    """Format the rows of a comparison as text, for a table in a file."""
    return pd.DataFrame(
        {
            "number": [about(row) for row in rows],
            "base": [number(row.base, row) for row in rows],
            "new": [number(row.new, row) for row in rows],
            "change": [change_words(row) for row in rows],
            "95 % interval": [interval_words(row) for row in rows],
            "threshold": [f"{100 * row.threshold:g} %" for row in rows],
            "decides": ["yes" if row.gates else "" for row in rows],
            "verdict": [row.judged.verdict for row in rows],
            "reason": [row.judged.reason for row in rows],
        }
    )


def _row(row: ResultRow, scale: float) -> html.Tr:
    verdict = row.judged.verdict
    label: list[Component | str] = [about(row)]
    if row.gates:
        label.append(
            html.Small(
                " decides", className="ts-muted", title="This number decides the verdict of the whole comparison."
            )
        )
    reason = [html.Small(tame(row.judged.reason), className="ts-reason")] if row.judged.reason else []
    counts = f"{integer(row.n_base)} and {integer(row.n_new)} samples; threshold {100 * row.threshold:g} %"
    cells = [
        html.Td(number(row.base, row), className="ts-number"),
        html.Td(number(row.new, row), className="ts-number"),
        html.Td(change_words(row), className=f"ts-number {tone(verdict)}"),
        html.Td(interval(row, scale)),
        html.Td([html.Span(verdict_words(verdict), className=tone(verdict)), *reason], className="ts-verdict"),
    ]
    return html.Tr([html.Th(label, scope="row", title=f"{row.metric.rests_on}. {counts}."), *cells])
