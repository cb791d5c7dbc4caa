"""Table of the changes of all series, each with a link that compares the runs before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dash import dcc, html
from dash.development.base_component import Component

from analysis.comparison.series import JudgedEvent, Point, Series, rank_changes
from components.comparison.trend_names import position_names
from components.comparison.trend_words import (
    compare_address,
    date_text,
    outcome_text,
    size_text,
    value_text,
)
from components.numbers import DASH, count_text, integer, shorten
from components.verdicts import tone, verdict_words
from schema.metrics import Metric

MAX_ROWS = 200
"""Maximum number of changes in the table; a line below counts the changes that are left out."""
_HEADS = (
    "series",
    "what",
    "change vs before",
    "verdict",
    "before",
    "after",
    "when",
    "runs",
    "compare",
)
_TITLES: Mapping[str, str] = MappingProxyType(
    {"change vs before": "from before to after, as a share of before"}
)
"""Heading of a column -> its tooltip."""


def changes_table(series: Sequence[Series], metric: Metric) -> html.Div:
    """Lay out steps, dips and drifts of all series: regressions first, then the newest changes
    first.

    At most 200 changes (MAX_ROWS); a line below counts the rest. A paragraph "No changes." without
    changes.
    """
    ranked = rank_changes(series)
    if not ranked:
        return html.Div(html.P("No changes.", className="ts-answer ts-muted"))
    listed = ranked[:MAX_ROWS]
    names = position_names([curve.key for curve in series], {at for at, _ in listed})
    rows = [_row(names[at], series[at], event, metric) for at, event in listed]
    heads = [html.Th(text, scope="col", title=_TITLES.get(text, "")) for text in _HEADS]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className="ts-changes")
    more = len(ranked) - MAX_ROWS
    line = f"{count_text(more, 'more change')} not listed." if more > 0 else ""
    return html.Div(
        [html.Div(table, className="ts-changes-frame"), html.P(line, className="ts-line ts-muted")]
    )


def _row(name: str, curve: Series, event: JudgedEvent, metric: Metric) -> html.Tr:
    is_pending = event.basis == "pending"
    # While a comparison is pending, the numbers of an event are preliminary and must not be shown.
    levels = [
        DASH if is_pending else value_text(value, metric) for value in (event.before, event.after)
    ]
    colour = "ts-muted" if is_pending else tone(event.verdict)
    verdict = outcome_text(event) if is_pending else verdict_words(event.verdict)
    return html.Tr(
        [
            html.Th(html.Bdi(name), scope="row"),
            html.Td(_what(event), className="ts-nowrap"),
            html.Td(size_text(event), className=f"ts-number {colour}"),
            html.Td(verdict, className=f"ts-nowrap {colour}"),
            *(html.Td(level, className="ts-number") for level in levels),
            html.Td(date_text(curve.points[event.first].date), className="ts-number"),
            html.Td(_runs(curve, event)),
            html.Td(
                dcc.Link(
                    _compared_words(event),
                    href=compare_address(curve, event),
                    className="ts-nowrap",
                )
            ),
        ]
    )


def _compared_words(event: JudgedEvent) -> str:
    return "first and last runs" if event.kind == "drift" else "before and after"


def _what(event: JudgedEvent) -> str:
    if event.kind == "step":
        return "step"
    runs = count_text(event.last - event.first + 1, "run")
    return f"{event.kind} of {runs}{', recovered' if event.recovered else ''}"


def _runs(curve: Series, event: JudgedEvent) -> list[Component | str]:
    """Link the runs before and after a step; for a dip or a drift its first and last run. Each link
    follows the run's number in the series, from 1.
    """
    first, last = (
        (event.first - 1, event.first) if event.kind == "step" else (event.first, event.last)
    )
    return [
        *_run_item(curve.points[first], first + 1),
        " → ",
        *_run_item(curve.points[last], last + 1),
    ]


def _run_item(point: Point, rank: int) -> list[Component | str]:
    href = f"/run/{point.run_id}"
    return [f"{integer(rank)}: ", dcc.Link(shorten(point.name, 44), href=href, title=point.name)]
