"""Tables of the compile time of two runs: rewrite steps, and ranges of the compiler."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from analysis.comparison.compile_steps import CompileChange, CompileChanges
from components.comparison.step_part_words import signed_time
from components.kernels.step_words import time_text
from components.numbers import DASH, count_text, duration_text, percent, shorten, signed_text

MAX_ROWS = 20
"""Maximum number of rows of each table."""
_MAX_NAME = 60
_HEADS = ("base", "new", "change", "of base", "base with inside", "new with inside")


def compile_tables(changes: CompileChanges) -> html.Div:
    """Lay out a table of the rewrite steps, and of the compiler's ranges if it traced any; the
    largest changes first.
    """
    parts = [*_table("rewrite step", changes.steps, "step")]
    if changes.ranges:
        parts += _table("range of the compiler", changes.ranges, "range")
    return html.Div(parts, className="ts-scroll ts-compile-times")


def compile_change_sentence(changes: CompileChanges) -> str:
    """Describe the change of the time of all matches, and the step that changed most; without times
    only that they are unknown.
    """
    base, new = changes.elapsed
    if not (base or new):
        return "The matches of both runs have no times."
    relative = f" ({signed_text(percent(abs(new / base - 1)), new - base)} of base)" if base else ""
    lead = f"Matches took {time_text(base)} in base and {time_text(new)} in new{relative}"
    most = changes.steps[0]
    if not most.change:
        return f"{lead}; no step changed."
    return (
        f"{lead}; most changed: {shorten(most.name, _MAX_NAME)} itself, {signed_time(most.change)}."
    )


def compile_rows(changes: CompileChanges) -> list[dict[str, object]]:
    """List all steps and ranges as rows of a table: kind, name, times (ns) and change."""
    kinds = (("step", changes.steps), ("range", changes.ranges))
    return [{"kind": kind} | change.record() for kind, rows in kinds for change in rows]


def _table(title: str, changes: Sequence[CompileChange], noun: str) -> list[Component]:
    heads = [html.Th(title, scope="col")]
    heads += [html.Th(words, scope="col", className="ts-number") for words in _HEADS]
    rows = [_row(change) for change in changes[:MAX_ROWS]]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className="ts-metrics")
    left = len(changes) - MAX_ROWS
    if left <= 0:
        return [table]
    words = f"{count_text(left, f'more {noun}')} changed less: the export has all."
    return [table, html.P(words, className="ts-panel-hint")]


def _row(change: CompileChange) -> html.Tr:
    share = (
        signed_text(percent(abs(change.change) / change.base), change.change)
        if change.base
        else DASH
    )
    cells = [
        _time(change.base),
        _time(change.new),
        signed_time(change.change),
        share,
        _time(change.base_total),
        _time(change.new_total),
    ]
    head = html.Th(shorten(change.name, _MAX_NAME), scope="row", title=change.name)
    return html.Tr([head, *(html.Td(cell, className="ts-number") for cell in cells)])


def _time(time: int | None) -> str:
    return DASH if time is None else duration_text(time)
