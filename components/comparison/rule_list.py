"""List of the baseline rules in their dialog: name, text, and a button that deletes the rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dash import html
from dash.development.base_component import Component

from components.aria import aria
from components.numbers import tame


class ShownRule(NamedTuple):
    """Name and text of a rule, and when it was last changed (ISO 8601)."""

    name: str
    text: str
    changed_at: str


def rule_list(rules: Sequence[ShownRule]) -> list[Component]:
    """Build a list with a row per rule, in the given order; a paragraph if there are no rules."""
    if not rules:
        return [html.P("There is no baseline rule yet.", className="ts-muted")]
    return [html.Ul([_row(rule) for rule in rules], className="ts-baselines")]


def _row(rule: ShownRule) -> html.Li:
    button = html.Button(
        "Delete",
        id={"type": "status-rule-delete", "name": rule.name},
        className="ts-button ts-danger",
        **aria(label=f"Delete rule {tame(rule.name)}"),
    )
    texts = [
        html.Strong(tame(rule.name), className="ts-mono"),
        html.Span(f"set {rule.changed_at[:16].replace('T', ' ')}", className="ts-muted"),
        html.Div(tame(rule.text), className="ts-baseline-key ts-muted"),
    ]
    return html.Li([html.Div(texts), button])
