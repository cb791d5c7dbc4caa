"""Tables of a bisection's measured commits, and of the bisections of a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from dash import dcc, html
from dash.development.base_component import Component

from analysis.bisection.address import LIST_PATH
from analysis.bisection.result import Bisection, MeasuredCommit
from components.bisection.plot import side_of
from components.button_rows import button_rows
from components.comparison.trend_words import commit_text, date_text, value_text
from components.numbers import DASH, count_text, integer, tame

MAX_ROWS = 200
"""Maximum number of commits in the table: the commits nearest to the step."""
SKIP, RETURN = "bisection-skip", "bisection-return"
"""Types of the ids of the buttons that skip a commit, and that take that back."""
_HEADS = ("commit", "number", "runs", "median", "range", "side", "")
_SIDE_WORDS = {"good": "before", "open": "not clear", "bad": "after"}


class ListedBisection(NamedTuple):
    """A bisection in a list."""

    bisection_id: str
    key: str
    metric: str
    good: str
    bad: str
    commits: int
    created_by: str
    created_at: str


def commits_table(bisection: Bisection, *, is_editor: bool) -> html.Div:
    """Lay out the commits with runs or without a result, in order; editors can undo a skip."""
    middle = (bisection.plan.first + bisection.plan.last) / 2
    nearest = sorted(bisection.measured, key=lambda item: abs(item.position - middle))[:MAX_ROWS]
    rows = [_row(item, bisection, is_editor=is_editor) for item in sorted(nearest)]
    more = len(bisection.measured) - len(rows)
    line = f"{count_text(more, 'more measured commit')} further from the step." if more else ""
    table = button_rows(_HEADS, rows, "ts-bisect-rows")
    return html.Div([table, html.P(line, className="ts-line ts-muted")])


def _row(item: MeasuredCommit, bisection: Bisection, *, is_editor: bool) -> html.Tr:
    metric = bisection.metric
    values = item.values
    roles = {0: "good", len(bisection.commits) - 1: "bad"}
    role = f" ({roles[item.position]})" if item.position in roles else ""
    name = html.Span(commit_text(tame(item.commit)), className="ts-mono", title=tame(item.commit))
    side = "no result" if item.is_broken else _SIDE_WORDS[side_of(item, bisection)]
    spread = (
        f"{value_text(min(values), metric)} to {value_text(max(values), metric)}"
        if len(values) > 1
        else DASH
    )
    counts = {"failed": item.failed - item.impossible, "impossible": item.impossible}
    failed = "".join(f" + {integer(count)} {word}" for word, count in counts.items() if count)
    return html.Tr(
        [
            html.Th([name, role], scope="row"),
            html.Td(integer(item.position), className="ts-number"),
            html.Td(f"{integer(len(values))}{failed}", className="ts-number"),
            html.Td(
                value_text(float(np.median(values)), metric) if values else DASH,
                className="ts-number",
            ),
            html.Td(spread, className="ts-number"),
            html.Td(side, className="ts-nowrap"),
            html.Td(_undo(item) if is_editor else []),
        ]
    )


def _undo(item: MeasuredCommit) -> list[Component]:
    if not item.is_skipped:
        return []
    return [
        html.Button("Take back", id={"type": RETURN, "commit": item.commit}, className="ts-button")
    ]


def bisections_table(listed: Sequence[ListedBisection]) -> html.Div:
    """Lay out a list of bisections with links to their pages."""
    heads = [
        html.Th(text, scope="col")
        for text in ("key", "metric", "good", "bad", "commits", "started", "by")
    ]
    rows = [
        html.Tr(
            [
                html.Th(
                    dcc.Link(html.Bdi(tame(item.key)), href=f"{LIST_PATH}/{item.bisection_id}"),
                    scope="row",
                ),
                html.Td(item.metric, className="ts-nowrap"),
                html.Td(commit_text(tame(item.good)), className="ts-mono"),
                html.Td(commit_text(tame(item.bad)), className="ts-mono"),
                html.Td(integer(item.commits), className="ts-number"),
                html.Td(date_text(item.created_at), className="ts-number"),
                html.Td(tame(item.created_by)),
            ]
        )
        for item in listed
    ]
    table = html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody(rows)], className="ts-changes ts-bisect-rows"
    )
    return html.Div(table, className="ts-changes-frame")
