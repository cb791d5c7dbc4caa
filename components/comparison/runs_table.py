"""Table of several runs against a base: the numbers that decide, and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dash import html
from dash.development.base_component import Component

from analysis.comparison.rows import ResultRow
from components.comparison.words import about, number, relative_words
from components.numbers import DASH, shorten
from components.verdicts import SIGNS, tone, verdict_words

Key = tuple[str, str, str]
"""Metric name, level and key of a row."""

_MAX_COLUMNS = 8
"""Maximum number of compared numbers in the table."""


def runs_table(
    runs: Mapping[str, tuple[Component, str, Sequence[ResultRow]]], shown: str
) -> html.Table:
    """Lay out a row for the base and a row per run, with at most 8 numbers that decide a verdict as
    columns; the row of the run `shown` is marked.

    `runs`, which must not be empty, is run id -> (link with its name, verdict, rows of its
    comparison with the base).
    """
    keys = decisive([rows for _, _, rows in runs.values()])[:_MAX_COLUMNS]
    # All comparisons have the same base, so its numbers are taken from the first comparison.
    first = next(iter(runs.values()))[2]
    labels = {_key(row): row for row in first}
    heads = [html.Th("run", scope="col"), html.Th("verdict", scope="col", className="ts-verdict")]
    named = (about(labels[key]) if key in labels else key[0] for key in keys)
    heads += [html.Th(words, scope="col", className="ts-number") for words in named]
    base = [html.Th("base", scope="row"), html.Td(""), *(_base(labels.get(key)) for key in keys)]
    rows = [
        _row(name, verdict, own, keys, chosen=run == shown)
        for run, (name, verdict, own) in runs.items()
    ]
    return html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody([html.Tr(base), *rows])], className="ts-metrics"
    )


def decisive(comparisons: Sequence[Sequence[ResultRow]]) -> list[Key]:
    """List the keys (metric, level, key) of numbers that decide the verdict in any of the
    comparisons, without duplicates: numbers that improved or regressed in any of them first.
    """
    has_changed: dict[Key, bool] = {}
    for rows in comparisons:
        for row in rows:
            if row.gates:
                changed = row.judged.verdict in ("improved", "regressed")
                has_changed[_key(row)] = has_changed.get(_key(row), False) or changed
    return sorted(has_changed, key=lambda key: not has_changed[key])


def _key(row: ResultRow) -> Key:
    return row.metric.name, row.level, row.key


def _base(row: ResultRow | None) -> html.Td:
    return html.Td(DASH if row is None else number(row.base, row), className="ts-number")


def _row(
    name: Component, verdict: str, rows: Sequence[ResultRow], keys: Sequence[Key], *, chosen: bool
) -> html.Tr:
    by_key = {_key(row): row for row in rows}
    cells = [_cell(by_key.get(key)) for key in keys]
    verdict_cell = html.Td(verdict_words(verdict), className=f"ts-verdict {tone(verdict)}")
    return html.Tr(
        [html.Th(name, scope="row"), verdict_cell, *cells], className="ts-differs" if chosen else ""
    )


def _cell(row: ResultRow | None) -> html.Td:
    if row is None:
        return html.Td(DASH)
    verdict = row.judged.verdict
    change = html.Span(f" {relative_words(row.relative)} {SIGNS[verdict]}", className=tone(verdict))
    return html.Td(
        [number(row.new, row), change],
        className="ts-number",
        title=shorten(row.judged.reason, 300) or verdict,
    )
