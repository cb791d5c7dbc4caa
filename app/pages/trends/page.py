"""The page of trends: a number over time, where it changes, and the baselines beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages import history
from app.pages.trends.state import ANY, TrendsState, parse
from components.aria import aria
from components.comparison.changes_table import changes_table
from components.comparison.trend import MOST_SERIES, thinned, trend_figure
from components.comparison.trend_places import BY
from components.comparison.trend_words import answer, band_text, series_names, shown_text, summary
from components.graph import graph
from components.numbers import integer, shorten, tame
from services.trends import FILTERS, Trends

VIEW = "trends-view"
PLOT = "trends-plot"
_MOST_VALUES = 500
"""Values of a filter that can be chosen; any can be in the address."""
_DATED = "python -m app ingest outputs/ --set taken_at=2026-11-01T12:00Z --set commit=4f2a91c"


def layout(context: AppContext, query: Mapping[str, str | Sequence[str]], theme: str) -> html.Div:
    """Lay out the page as the query asks for, drawn."""
    state = parse(history.query_string(query))
    trends = context.trends.get(state.metric, state.filters)
    heading = html.H1("Trends", className="visually-hidden")
    if not trends.runs:
        return html.Div([heading, _no_runs()], className="ts-trends")
    return html.Div(
        [
            *history.stores(VIEW, state.query()),
            dcc.Store(id="trends-drawn", data=[state.query(), theme]),
            heading,
            _controls(trends, state),
            html.Div(body(trends, state, theme), id="trends-body", className="ts-trends-body"),
        ],
        className="ts-trends",
    )


def body(trends: Trends, state: TrendsState, theme: str) -> list[Component]:
    """Lay out what the state shows: the answer, the plots with what is not in them, the table of changes."""
    if not trends.series or trends.metric is None:
        return [html.Section(_nothing(trends, state), className="ts-panel ts-part ts-trends-nothing")]
    drawn = trends.series[:MOST_SERIES]
    said = answer(trends.series, trends.metric)
    head = [
        html.H2(f"{trends.metric.label} by {BY[state.by]}", className="ts-panel-title"),
        html.P("click a run to open it, a mark to compare before and after", className="ts-panel-hint"),
    ]
    plots = [
        html.Div(head, className="ts-panel-head"),
        html.P(tame(said), id="trends-answer", className="ts-answer", **aria(live="polite")),
        graph(PLOT, trend_figure(drawn, trends.metric, state.by, theme), summary(drawn, trends.metric, said)),
        *(html.P(tame(line), className="ts-line ts-muted") for line in _lines(trends, state)),
    ]
    changes = [
        html.Div(html.H2("Change points", className="ts-panel-title"), className="ts-panel-head"),
        changes_table(trends.series, trends.metric),
    ]
    return [
        html.Section(plots, className="ts-panel ts-part"),
        html.Section(changes, className="ts-panel ts-part", id="trends-changes"),
    ]


def _nothing(trends: Trends, state: TrendsState) -> list[Component]:
    """Say why nothing is drawn, with a way out."""
    if not trends.metrics:
        return [html.P("No run here has a number.", className="ts-answer")]
    href = f"/trends?{replace(state, **dict.fromkeys(FILTERS, '')).query()}"
    return [html.P(["No run fits these filters. ", dcc.Link("Clear them", href=href)], className="ts-answer")]


def export_address(state: TrendsState) -> str:
    """Return the address of the points as a file."""
    query = state.query()
    return f"/trends.csv?{query}" if query else "/trends.csv"


def _lines(trends: Trends, state: TrendsState) -> list[str]:
    """Say what is drawn and what not, what the baselines are, and where dates and commits are missing."""
    drawn, metric = trends.series[:MOST_SERIES], trends.metric
    if metric is None:
        return []
    lines = [shown_text(trends.series, drawn, thinned(drawn))]
    names = series_names(trends.series)
    lines += [band_text(name, one.bands[0], one.bands[1:], metric) for one, name in zip(drawn, names, strict=False)
              if one.bands]  # fmt: skip
    if trends.dated < trends.runs:
        said = f"{integer(trends.runs - trends.dated)} of {integer(trends.runs)} runs have no date of capture"
        lines.append(f"{said}: that of their file, or of the ingest, stands in. Set it with {_DATED}")
    nameless = sum(not point.commit for one in drawn for point in one.points)
    if state.by == "commit" and nameless:
        lines.append(f"{integer(nameless)} runs drawn have no commit, and a place of their own each.")
    return lines


def _controls(trends: Trends, state: TrendsState) -> html.Div:
    metrics = {one.name: one.label for one in trends.metrics}
    shown = trends.metric.name if trends.metric else ""
    return html.Div(
        [
            _select("metric", metrics, shown),
            _select("by", BY, state.by),
            *(_filter(name, trends.choices[name], state.filters[name]) for name in FILTERS),
            html.Span(className="ts-grow"),
            html.Div(
                [
                    html.Button("Share", className="ts-button copy-link", title="Copy the address of this view"),
                    html.A("CSV", id="trends-export", href=export_address(state), className="ts-button"),
                ],
                className="ts-actions",
            ),
        ],
        className="ts-trends-controls",
    )


def _filter(name: str, values: Sequence[str], chosen: str) -> html.Label:
    """Lay out a filter; one with nothing to choose between is hidden, of very many values the first are there."""
    every = list(dict.fromkeys([*([chosen] if chosen else []), *values[:_MOST_VALUES]]))
    options = {ANY: "any"} | {value: shorten(value, 40) for value in every}
    return _select(name, options, chosen or ANY, hidden=len(every) < 2)


def _select(name: str, options: Mapping[str, str], value: str, *, hidden: bool = False) -> html.Label:
    choices = [{"label": label, "value": option} for option, label in options.items()]
    control = dbc.Select(
        id={"type": "trends-choice", "name": name}, options=choices, value=value, size="sm", class_name="ts-select"
    )
    return html.Label([html.Span(name), control], hidden=hidden)


def _no_runs() -> html.Section:
    """Say how runs with dates get in."""
    return html.Section(
        [
            html.H2("No runs yet"),
            html.P("A number over time needs runs with the date of their capture, and the commit where there is one:"),
            html.Pre(_DATED),
            html.P("Without a date, that of the file stands in. From 8 runs on, change points are looked for."),
        ],
        className="ts-panel ts-empty",
    )
