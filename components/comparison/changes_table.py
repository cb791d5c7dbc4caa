"""The change points of all series as a table, each with its comparison of before and after."""

from __future__ import annotations

from collections.abc import Sequence

from dash import dcc, html
from dash.development.base_component import Component

from analysis.comparison.series import Point, Series
from components.comparison.trend_words import compare_address, date_text, relative_text, series_names, value_text
from components.numbers import counted, integer, shorten
from components.verdicts import tone, verdict_words
from schema.metrics import Metric

MOST_ROWS = 200
_HEADS = ("series", "metric", "when", "last run before", "first run after", "change", "verdict", "compare")


def changes_table(series: Sequence[Series], metric: Metric) -> html.Div:
    """Lay out the change points, newest first, at most MOST_ROWS."""
    named = zip(series, series_names(series), strict=True)
    found = [(name, one, rank) for one, name in named for rank in range(len(one.changes))]
    newest = sorted(found, key=lambda each: each[1].points[each[1].changes[each[2]].index].date, reverse=True)
    if not newest:
        return html.Div(html.P("No change points.", className="ts-answer ts-muted"))
    rows = [_row(*each, metric) for each in newest[:MOST_ROWS]]
    heads = [html.Th(text, scope="col") for text in _HEADS]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className="ts-changes")
    more = len(newest) - MOST_ROWS
    line = f"{counted(more, 'older change point')} not listed." if more > 0 else ""
    return html.Div([html.Div(table, className="ts-changes-frame"), html.P(line, className="ts-line ts-muted")])


def _row(name: str, one: Series, rank: int, metric: Metric) -> html.Tr:
    change = one.changes[rank]
    before, after = one.points[change.index - 1], one.points[change.index]
    colour = tone(change.verdict)
    return html.Tr(
        [
            html.Th(html.Bdi(name), scope="row"),
            html.Td(metric.label, className="ts-nowrap"),
            html.Td(date_text(after.date), className="ts-number"),
            html.Td(_run(before, change.index, metric)),
            html.Td(_run(after, change.index + 1, metric)),
            html.Td(relative_text(change.relative), className=f"ts-number {colour}"),
            html.Td(verdict_words(change.verdict), className=colour),
            html.Td(dcc.Link("before and after", href=compare_address(one, rank), className="ts-nowrap")),
        ]
    )


def _run(point: Point, rank: int, metric: Metric) -> list[Component | str]:
    link = dcc.Link(shorten(point.name, 44), href=f"/run/{point.run_id}", title=point.name)
    return [f"{integer(rank)}: ", link, " ", html.Span(value_text(point.value, metric), className="ts-nowrap")]
