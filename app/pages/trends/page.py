"""Layout of the trends page: a metric over time, its changes, and the baselines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages import history
from app.pages.page import PageRequest
from app.pages.trends.shown_trends import ShownVerdicts, load_trends, load_undated, load_verdicts
from app.pages.trends.state import ANY, TrendsState, parse
from components.aria import aria
from components.comparison.changes_table import changes_table
from components.comparison.trend import MAX_SERIES, count_thinned, trend_figure
from components.comparison.trend_names import position_names
from components.comparison.trend_notes import (
    band_text,
    basis_text,
    guessed_dates_text,
    left_out_text,
    rule_text,
    shown_text,
    summary,
)
from components.comparison.trend_places import BY
from components.comparison.trend_words import trends_caption
from components.counts import part_text
from components.graph import graph
from components.numbers import count_text, integer, shorten, tame
from schema.command import COMMAND
from services.trends.run_filters import FILTERS
from services.trends.trends import Trends
from storage.rules import Rules

VIEW = "trends-view"
PLOT = "trends-plot"
_MAX_VALUES = 500
"""Maximum values of a filter that are offered; an address may contain any value."""
_MAX_LABEL = 80
"""Maximum characters of the name of a metric in its selector."""
_DATED = f"{COMMAND} ingest outputs/ --set taken_at=2026-11-01T12:00Z --set commit=4f2a91c"


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out and draw the page with the trends of metrics for a request."""
    state = parse(request.query)
    trends = load_trends(context, state)
    verdicts = load_verdicts(context, state, trends.series[:MAX_SERIES])
    heading = html.H1("Trends", className="visually-hidden")
    if not trends.runs:
        return html.Div([heading, _no_runs()], className="ts-trends")
    return html.Div(
        [
            *history.stores(VIEW, state.query()),
            dcc.Store(id="trends-drawn", data=[state.query(), request.theme]),
            dcc.Store(id="trends-left", data=[trends.left + verdicts.missing, 0]),
            dcc.Store(id="trends-more"),
            heading,
            _controls(
                trends, state, [rule.name for rule in Rules(context.repository.catalogue).all()]
            ),
            html.Div(
                body(
                    trends,
                    verdicts,
                    state,
                    request.theme,
                    load_undated(context, trends.series[:MAX_SERIES]),
                ),
                id="trends-body",
                className="ts-trends-body",
            ),
        ],
        className="ts-trends",
    )


def body(
    trends: Trends,
    verdicts: ShownVerdicts,
    state: TrendsState,
    theme: str,
    undated: Collection[tuple[str, str]],
) -> list[Component]:
    """Lay out the content for a state: caption, plots with notes, table of changes.

    `verdicts` are those of the state's rule about the drawn runs; `undated` has run id and date of
    the drawn captures whose date is a guess.
    """
    if not trends.series or trends.metric is None:
        return [
            html.Section(_nothing(trends, state), className="ts-panel ts-part ts-trends-nothing")
        ]
    drawn = trends.series[:MAX_SERIES]
    caption = trends_caption(trends.series, trends.metric)
    head = [
        html.H2(f"{tame(trends.metric.label)} by {BY[state.by]}", className="ts-panel-title"),
        html.P(
            "click a run to open it, or a mark to compare the runs before and after it",
            className="ts-panel-hint",
        ),
    ]
    plots = [
        html.Div(head, className="ts-panel-head"),
        html.P(tame(caption), id="trends-answer", className="ts-answer", **aria(live="polite")),
        graph(
            PLOT,
            trend_figure(drawn, trends.metric, state.by, theme, verdicts.verdicts),
            summary(drawn, trends.metric, caption),
        ),
        *(
            [html.P(f"{tame(verdicts.trouble)}.", className="ts-line ts-trouble", role="alert")]
            if verdicts.trouble
            else []
        ),
        *(
            html.P(tame(line), className="ts-line ts-muted")
            for line in _lines(trends, verdicts, state, undated)
        ),
    ]
    changes = [
        html.Div(html.H2("Changes", className="ts-panel-title"), className="ts-panel-head"),
        changes_table(trends.series, trends.metric),
    ]
    return [
        html.Section(plots, className="ts-panel ts-part"),
        html.Section(changes, className="ts-panel ts-part", id="trends-changes"),
    ]


def _nothing(trends: Trends, state: TrendsState) -> list[Component]:
    """Lay out a sentence with the reason why the page is empty, and if filters are the reason a
    link that clears them.
    """
    if not trends.metrics:
        return [html.P("No run here has this metric.", className="ts-answer")]
    if trends.left_out and trends.metric is not None:
        why = left_out_text(trends.left_out, trends.metric)
        return [html.P(f"No point: {why}", className="ts-answer")]
    href = f"/trends?{replace(state, **dict.fromkeys((*FILTERS, 'q'), '')).query()}"
    return [
        html.P(
            ["No run fits these filters. ", dcc.Link("Clear them", href=href)],
            className="ts-answer",
        )
    ]


def export_address(state: TrendsState) -> str:
    """Build the address of the points as a CSV file, a path with the view state as query."""
    query = state.query()
    return f"/trends.csv?{query}" if query else "/trends.csv"


def _lines(
    trends: Trends,
    verdicts: ShownVerdicts,
    state: TrendsState,
    undated: Collection[tuple[str, str]],
) -> list[str]:
    """Return notes about drawn and omitted series, rule and baselines, and missing dates and
    commits; `undated` has run id and date of the captures whose date is a guess.
    """
    drawn = trends.series[:MAX_SERIES]
    metric = trends.metric
    if metric is None:
        return []
    lines = [shown_text(trends.series, drawn, count_thinned(drawn))]
    lines += [basis] if (basis := basis_text(trends.series)) else []
    lines += [left_out_text(trends.left_out, metric)] if trends.left_out else []
    if trends.left:
        lines.append(f"{count_text(trends.left, 'change')} still to be compared.")
    if state.rule and not verdicts.trouble:
        points = [(point.run_id, point.date) for line in drawn for point in line.points]
        lines.append(
            rule_text(
                state.rule, [verdicts.verdicts.get(point) for point in points], verdicts.missing
            )
        )
    banded = [at for at, line in enumerate(drawn) if line.bands]
    names = position_names([line.key for line in trends.series], banded)
    lines += [
        band_text(names[at], drawn[at].bands[0], drawn[at].bands[1:], metric) for at in banded
    ]
    captures = [point for line in drawn for point in line.points]
    guessed = sum((point.run_id, point.date) in undated for point in captures)
    if guessed:
        lines.append(f"{guessed_dates_text(guessed, len(captures))} Set it with {_DATED}")
    nameless = sum(not point.commit for point in captures)
    if state.by == "commit" and nameless:
        lines.append(
            f"{part_text(nameless, len(captures), 'drawn capture')} without a commit, plotted separately."
        )
    return lines


def control_options(trends: Trends, state: TrendsState, name: str) -> list[dict[str, str]]:
    """Return the options of the control `name`; values of a filter have the number of runs that
    they leave.

    Of more than _MAX_VALUES (500) values, the values with most runs are offered, and the chosen
    value always.
    """
    options = (
        BY
        if name == "by"
        else {metric.name: shorten(metric.label, _MAX_LABEL) for metric in trends.metrics}
    )
    if name in FILTERS:
        counts = trends.choices[name]
        chosen = state.filters[name]
        # The chosen value sorts first, so that the limit never cuts it off.
        most = sorted(counts, key=lambda value: (value != chosen, -counts[value]))[:_MAX_VALUES]
        shown = {value for value in most if counts[value] or value == chosen} | (
            {chosen} if chosen else set()
        )
        every = [value for value in dict.fromkeys([*counts, chosen]) if value in shown]
        options = {ANY: "any"} | {
            value: f"{shorten(value, 40)} ({integer(counts.get(value, 0))})" for value in every
        }
    return [{"label": label, "value": option} for option, label in options.items()]


def _controls(trends: Trends, state: TrendsState, rules: Sequence[str]) -> html.Div:
    values = {
        "metric": trends.metric.name if trends.metric else "",
        "by": state.by,
        **state.filters,
    }
    return html.Div(
        [
            *(_select(trends, state, name, value or ANY) for name, value in values.items()),
            _search(state),
            _rule(state, rules),
            html.Span(className="ts-grow"),
            html.Div(
                [
                    html.Button(
                        "Share",
                        className="ts-button copy-link",
                        title="Copy the address of this view",
                    ),
                    html.A(
                        "CSV", id="trends-export", href=export_address(state), className="ts-button"
                    ),
                ],
                className="ts-actions",
            ),
        ],
        className="ts-trends-controls",
    )


def _select(trends: Trends, state: TrendsState, name: str, value: str) -> html.Label:
    """Lay out a selector; a filter with fewer than two values is hidden."""
    idle = (
        name in FILTERS and len({*trends.choices[name], *filter(None, [state.filters[name]])}) < 2
    )
    control = dbc.Select(
        id={"type": "trends-choice", "name": name},
        options=control_options(trends, state, name),
        value=value,
        size="sm",
        class_name="ts-select",
    )
    return html.Label([html.Span(name), control], hidden=idle)


def _search(state: TrendsState) -> html.Label:
    control = dcc.Input(
        id="trends-search",
        type="search",
        value=state.q,
        debounce=True,
        placeholder="tile, commit, name",
        maxLength=200,
    )
    return html.Label([html.Span("search"), control])


def _rule(state: TrendsState, rules: Sequence[str]) -> html.Label:
    """Lay out the selector of a rule; it is hidden if there are no rules."""
    # An address may name a rule that was deleted, and the selector shows it all the same.
    names = dict.fromkeys([*rules, *([state.rule] if state.rule else [])])
    options = [
        {"label": "none", "value": ANY},
        *({"label": shorten(name, 40), "value": name} for name in names),
    ]
    control = dbc.Select(
        id="trends-rule",
        options=options,
        value=state.rule or ANY,
        size="sm",
        class_name="ts-select",
    )
    return html.Label([html.Span("verdicts of rule"), control], hidden=not names)


def _no_runs() -> html.Section:
    """Lay out how to ingest runs with dates, for a store without runs."""
    return html.Section(
        [
            html.H2("No runs yet"),
            html.P(
                "A trend needs runs with the date of their capture, and the commit if there is one:"
            ),
            html.Pre(_DATED),
            html.P(
                "Without a date, the date of the file is used. Changes are detected from 8 runs on."
            ),
        ],
        className="ts-panel ts-empty",
    )
