"""Table of several runs against a base: the numbers that decide, and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from dash import html
from dash.development.base_component import Component

from analysis.comparison.rows import ResultRow
from components.comparison.setup_table import setting_label, setting_text
from components.comparison.words import about_with_whole, numbers, relative_words
from components.numbers import DASH, shorten
from components.verdicts import SIGNS, tone, verdict_words

Key = tuple[str, str, str]
"""Metric name, level and key of a row."""


class ComparedRun(NamedTuple):
    """A run of the table: link with its name, and verdict, rows and differing settings of its
    comparison with the base.
    """

    name: Component
    verdict: str
    rows: Sequence[ResultRow]
    setup: Sequence[Mapping[str, object]] = ()


_MAX_COLUMNS = 8
"""Maximum number of compared numbers in the table."""


def runs_table(runs: Mapping[str, ComparedRun], shown: str) -> html.Table:
    """Lay out a row for the base and a row per run: verdict, settings that differ, and at most 8
    numbers that decide a verdict as columns, each in a single unit; the row of the run `shown` is
    marked.

    `runs`, by run id, must not be empty.
    """
    keys = decisive([run.rows for run in runs.values()])[:_MAX_COLUMNS]
    # All comparisons have the same base, so its numbers are taken from the first comparison.
    first = next(iter(runs.values())).rows
    labels = {_key(row): row for row in first}
    settings = _differing(runs.values())
    heads = [html.Th("run", scope="col"), html.Th("verdict", scope="col", className="ts-verdict")]
    heads += (
        [html.Th("settings that differ", scope="col", className="ts-differing")] if settings else []
    )
    named = (about_with_whole(labels[key]) if key in labels else key[0] for key in keys)
    heads += [html.Th(words, scope="col", className="ts-number") for words in named]
    columns = [_column(key, labels.get(key), runs.values()) for key in keys]
    base = [html.Th("base", scope="row"), html.Td("")]
    base += [html.Td(_settings_text(settings), className="ts-differing")] if settings else []
    base += [column[0] for column in columns]
    rows = []
    for at, (run_id, run) in enumerate(runs.items(), start=1):
        words = html.Td(verdict_words(run.verdict), className=f"ts-verdict {tone(run.verdict)}")
        cells = [html.Th(run.name, scope="row"), words]
        own = settings | {str(row["key"]): row["new"] for row in run.setup}
        cells += [html.Td(_settings_text(own), className="ts-differing")] if settings else []
        cells += [column[at] for column in columns]
        rows.append(html.Tr(cells, className="ts-differs" if run_id == shown else ""))
    return html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody([html.Tr(base), *rows])], className="ts-metrics"
    )


def _differing(runs: Iterable[ComparedRun]) -> dict[str, object]:
    """Map each setting in which any run differs from the base to the value of the base."""
    return {str(row["key"]): row["base"] for run in runs for row in run.setup}


def _settings_text(settings: Mapping[str, object]) -> str:
    return ", ".join(f"{setting_label(key)} {setting_text(key, settings[key])}" for key in settings)


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
    # The number that runs of this kind are compared by stays first.
    first = next(iter(has_changed), None)
    return sorted(has_changed, key=lambda key: (key != first, not has_changed[key]))


def _key(row: ResultRow) -> Key:
    return row.metric.name, row.level, row.key


def _column(key: Key, base: ResultRow | None, runs: Iterable[ComparedRun]) -> list[html.Td]:
    """Lay out the cells of a column, for the base and each run, with all numbers in the same unit."""
    rows = [next((row for row in run.rows if _key(row) == key), None) for run in runs]
    known = next((row for row in (base, *rows) if row is not None), None)
    values = [
        None if base is None else base.base,
        *(None if row is None else row.new for row in rows),
    ]
    texts = [DASH] * len(values) if known is None else numbers(values, known)
    cells = [html.Td(texts[0], className="ts-number")]
    return [*cells, *(_cell(row, text) for row, text in zip(rows, texts[1:], strict=True))]


def _cell(row: ResultRow | None, text: str) -> html.Td:
    if row is None:
        return html.Td(DASH)
    verdict = row.judged.verdict
    change = html.Span(f" {relative_words(row.relative)} {SIGNS[verdict]}", className=tone(verdict))
    return html.Td(
        [text, change], className="ts-number", title=shorten(row.judged.reason, 300) or verdict
    )
