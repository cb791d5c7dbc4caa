"""Tables of the parts of a profile's step on two sides, and of its operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dash import html
from dash.development.base_component import Component

from analysis.comparison.step_parts import Change, StepParts
from components.comparison.step_part_words import PART_LABELS, reason_label, signed_time
from components.numbers import DASH, count_text, duration_text, percent, shorten, signed_text

MAX_OPERATORS = 20
"""Maximum number of operators in the table."""
NO_OPERATOR = "without an operator"
_MAX_NAME_LENGTH = 60
_HEADS = ("base", "new", "change", "of base's step")


def parts_table(parts: StepParts) -> html.Div:
    """Lay out a table of the step, its parts and the reasons for idle time, and a table of the
    operators that changed most.
    """
    step = parts.base.parts["step"]
    rows = [_row(PART_LABELS[change.name], change, step) for change in parts.parts]
    rows += [_row(f"idle: {reason_label(change.name)}", change, step) for change in parts.reasons]
    changed = changed_operators(parts)
    operators = [_row(operator_label(change), change, step) for change in changed]
    tables = [_table("part", rows)]
    if operators:
        tables.append(_table("operator, time on devices", operators[:MAX_OPERATORS]))
    left = len(operators) - MAX_OPERATORS
    if left > 0:
        words = f"{count_text(left, 'more operator')} changed less: the export and JSON have all."
        tables.append(html.P(words, className="ts-panel-hint"))
    return html.Div(tables, className="ts-scroll")


def changed_operators(parts: StepParts) -> list[Change]:
    """List the operators whose time on devices changed, the largest change first."""
    return [change for change in parts.operators if change.change]


def operator_label(change: Change) -> str:
    """Return the name of an operator as text for the page."""
    return shorten(change.name, _MAX_NAME_LENGTH) if change.name else NO_OPERATOR


def part_rows(parts: StepParts) -> list[dict[str, object]]:
    """List all parts, reasons and operators as rows of a table: kind, name, base, new and change in
    ns per step.
    """
    kinds: Sequence[tuple[str, Sequence[Change], Callable[[Change], str]]] = (
        ("part", parts.parts, lambda change: PART_LABELS[change.name]),
        ("idle", parts.reasons, lambda change: reason_label(change.name)),
        ("operator", parts.operators, lambda change: change.name or NO_OPERATOR),
    )
    return [
        {"kind": kind} | change.record() | {"name": label(change)}
        for kind, changes, label in kinds
        for change in changes
    ]


def _table(title: str, rows: list[html.Tr]) -> Component:
    numbers = [html.Th(words, scope="col", className="ts-number") for words in _HEADS]
    heads = [html.Th(title, scope="col"), *numbers]
    return html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className="ts-metrics")


def _row(label: str, change: Change, step: float) -> html.Tr:
    cells = [
        DASH if change.base is None else duration_text(change.base),
        DASH if change.new is None else duration_text(change.new),
        signed_time(change.change),
        signed_text(percent(abs(change.change) / step), change.change) if step else DASH,
    ]
    head = html.Th(label, scope="row")
    return html.Tr([head, *(html.Td(cell, className="ts-number") for cell in cells)])
