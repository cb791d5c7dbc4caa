"""The table of compared numbers: both sides, change, interval, verdict and its reason."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.comparison.rows import Row
from components.comparison.interval import interval, scale_of
from components.comparison.words import delta_words, interval_words, number, relative_words
from components.numbers import integer, shorten, tame
from components.verdicts import tone, verdict_words

_HEADS = ("number", "base", "new", "change", "95 % interval", "verdict")
_LONGEST = 40


def metrics_table(rows: Sequence[Row]) -> html.Table:
    """Lay out rows of a comparison; what decides about the runs is marked."""
    scale = scale_of(rows)
    heads = [html.Th(words, scope="col") for words in _HEADS]
    return html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody([_row(row, scale) for row in rows])], className="ts-metrics"
    )


def about(row: Row) -> str:
    """Return what a row is about."""
    return f"{row.metric.label} of {shorten(row.key, _LONGEST)}" if row.key else row.metric.label


def rows_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Return rows as text for a table in a file."""
    return pd.DataFrame(
        {
            "number": [about(row) for row in rows],
            "base": [number(row.base, row) for row in rows],
            "new": [number(row.new, row) for row in rows],
            "change": [_change(row) for row in rows],
            "95 % interval": [interval_words(row) for row in rows],
            "threshold": [f"{100 * row.threshold:g} %" for row in rows],
            "decides": ["yes" if row.gates else "" for row in rows],
            "verdict": [row.judged.verdict for row in rows],
            "reason": [row.judged.reason for row in rows],
        }
    )


def _change(row: Row) -> str:
    relative = relative_words(row.relative)
    return f"{delta_words(row)} ({relative})" if relative and row.delta else delta_words(row)


def _row(row: Row, scale: float) -> html.Tr:
    verdict = row.judged.verdict
    label: list[Component | str] = [about(row)]
    if row.gates:
        label.append(html.Small(" decides", className="ts-muted", title="It decides about the runs as a whole."))
    reason = [html.Small(tame(row.judged.reason), className="ts-reason")] if row.judged.reason else []
    counts = f"{integer(row.n_base)} and {integer(row.n_new)} samples; threshold {100 * row.threshold:g} %"
    cells = [
        html.Td(number(row.base, row), className="ts-number"),
        html.Td(number(row.new, row), className="ts-number"),
        html.Td(_change(row), className=f"ts-number {tone(verdict)}"),
        html.Td(interval(row, scale)),
        html.Td([html.Span(verdict_words(verdict), className=tone(verdict)), *reason], className="ts-verdict"),
    ]
    return html.Tr([html.Th(label, scope="row", title=f"{row.metric.rests_on}. {counts}."), *cells])
