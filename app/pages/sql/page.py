"""Layout of the SQL page: editor and result, saved queries, examples and tables."""

from __future__ import annotations

from itertools import groupby
from urllib.parse import urlencode

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages import history
from app.pages.page import PageRequest
from app.pages.sql.exports import FORMATS
from app.pages.sql.shown_result import ShownResult
from app.pages.sql.state import MAX_LENGTH, SqlState, parse
from app.pages.sql.tables_list import tables_list
from app.request.user import may
from components.aria import aria
from components.graph import graph
from components.numbers import shorten, tame
from components.query.chart import CHARTS, chart_axes, chart_figure, chart_summary
from components.query.grid import result_grid
from schema.roles import Role
from services.query.examples import EXAMPLES
from services.query.tables import QUERY_TABLES
from storage.saved_texts import SavedQueries

VIEW = "sql-view"
NONE = "*"
"""Selector value for no chart, or automatic columns: an empty value would show an empty label."""
AXES = ("x", "y")
_NAME = 60


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out the page for a request; the result follows by a callback that waits for a process."""
    state = parse(request.query)
    return html.Div(
        [
            *history.stores(VIEW, state.query()),
            html.H1("SQL", className="visually-hidden"),
            html.Section(_editor(state), className="ts-panel ts-part ts-sql-editor"),
            html.Section(_result_part(state), className="ts-panel ts-part"),
            html.Div(
                [
                    html.Section(_saved_part(context), className="ts-panel ts-part"),
                    html.Section(_examples_part(), className="ts-panel ts-part"),
                    html.Section(_tables_part(), className="ts-panel ts-part"),
                ],
                className="ts-sql-help",
            ),
        ],
        className="ts-trends ts-sql",
    )


def result_body(result: ShownResult, state: SqlState, theme: str) -> list[Component]:
    """Lay out a result: the number of rows, notes, the selected chart, the rows; only the error if
    it has one.
    """
    if result.error:
        return [html.P(tame(result.error), className="ts-answer ts-trouble", role="alert")]
    parts: list[Component] = [html.P(result.sentence, className="ts-answer", role="status")]
    parts += [html.P(tame(note), className="ts-line ts-muted") for note in result.notes]
    if state.chart:
        parts.append(_chart(result, state, theme))
    return [*parts, result_grid("sql-grid", result.columns, result.rows)]


def _chart(result: ShownResult, state: SqlState, theme: str) -> Component:
    axes = chart_axes(result.columns, state.chart, state.x, state.y)
    if not result.rows or not all(axes[: 1 if state.chart == "histogram" else 2]):
        return html.P(
            f"A {state.chart} needs rows with a column of numbers.", className="ts-line ts-muted"
        )
    drawn = chart_figure(state.chart, result.columns, result.rows, axes, theme)
    return graph("sql-chart", drawn, chart_summary(state.chart, axes, len(result.rows)))


def axis_options(result: ShownResult) -> list[dict[str, str]]:
    """Return the options of an axis for the selector: automatic, then the columns of a result."""
    return [
        _first_choice("auto"),
        *({"label": shorten(name, _NAME), "value": name} for name, _ in result.columns),
    ]


def export_address(state: SqlState, fmt: str) -> str:
    """Build the address of the rows as a file in a format, a path with the query and its runs."""
    # Without the fields of the chart, which a file does not have.
    return f"/sql.{fmt}?{SqlState(state.text, state.run).query()}"


def field_values(state: SqlState) -> dict[str, str]:
    """Return name (`chart`, `x`, `y`) -> the value that each selector of the chart shows, NONE
    (`*`) if not chosen.
    """
    return {"chart": state.chart or NONE} | {axis: getattr(state, axis) or NONE for axis in AXES}


def saved_list(context: AppContext) -> list[Component]:
    """Lay out the saved queries as links by name, with a delete button for editors; a sentence if
    there are none.
    """
    queries = SavedQueries(context.repository.catalogue).all()
    if not queries:
        return [html.P("No query is saved yet.", className="ts-line ts-muted")]
    rows = []
    for query in queries:
        title = f"by {query.created_by}"
        link = dcc.Link(html.Bdi(shorten(query.name, _NAME)), href=_address(query.sql), title=title)
        delete = html.Button(
            "Delete",
            id={"type": "sql-delete", "key": query.query_id},
            className="ts-button",
            **aria(label=f"Delete {shorten(query.name, _NAME)}"),
        )
        rows.append(html.Li([link, *([delete] if may(Role.EDITOR) else [])]))
    return [html.Ul(rows, className="ts-sql-links")]


def _editor(state: SqlState) -> list[Component]:
    text = dcc.Textarea(
        id="sql-text",
        value=state.text,
        # Allow a character above the limit, so that a query that is too long is reported and not
        # cut silently.
        maxLength=MAX_LENGTH + 1,
        rows=min(max(state.text.count("\n") + 2, 5), 16),
        spellCheck=False,
        className="ts-sql-text",
    )
    runs = dcc.Input(
        id="sql-runs",
        type="text",
        value=" ".join(state.run),
        placeholder="all",
        maxLength=4_000,
        debounce=True,
    )
    actions = [
        html.Button("Ask", id="sql-ask", className="ts-button ts-primary", title="Ctrl+Enter"),
        html.Button(
            "Share", className="ts-button copy-link", title="Copy the address of this view"
        ),
        *(
            html.A(
                label,
                id=f"sql-{fmt}",
                href=export_address(state, fmt),
                className="ts-button",
                download="",
            )
            for fmt, label in zip(FORMATS, ("CSV", "Parquet"), strict=True)
        ),
    ]
    return [
        html.Label(
            [html.Span("query", className="visually-hidden"), text], className="ts-sql-label"
        ),
        html.Div(
            [
                html.Label([html.Span("runs"), runs]),
                *_chart_choices(state),
                html.Span(className="ts-grow"),
                html.Div(actions, className="ts-actions"),
            ],
            className="ts-trends-controls",
        ),
    ]


def _chart_choices(state: SqlState) -> list[Component]:
    shown = field_values(state)
    options = {
        "chart": [_first_choice("none"), *({"label": name, "value": name} for name in CHARTS)]
    }
    options |= {axis: _known_choices(getattr(state, axis)) for axis in AXES}
    return [
        html.Label(
            [
                html.Span(name),
                dbc.Select(
                    id={"type": "sql-choice", "name": name},
                    options=choices,
                    value=shown[name],
                    size="sm",
                    class_name="ts-select",
                ),
            ]
        )
        for name, choices in options.items()
    ]


def _known_choices(chosen: str) -> list[dict[str, str]]:
    """Return the options of an axis before the columns of the result are known: automatic, and the
    chosen column if there is any.
    """
    return [
        _first_choice("auto"),
        *([{"label": shorten(chosen, _NAME), "value": chosen}] if chosen else []),
    ]


def _first_choice(label: str) -> dict[str, str]:
    return {"label": label, "value": NONE}


def _result_part(state: SqlState) -> list[Component]:
    placeholder = html.P("Waiting for the result.", className="ts-answer ts-muted", role="status")
    label = f"Answer of {state.text[:100]}"
    return [html.Div(placeholder, id="sql-answer", className="ts-sql-answer", **aria(label=label))]


def _saved_part(context: AppContext) -> list[Component]:
    parts: list[Component] = [
        _heading("Saved queries"),
        html.Div(saved_list(context), id="sql-saved-list"),
    ]
    if may(Role.EDITOR):
        name = dcc.Input(
            id="sql-name", type="text", value="", placeholder="name of the query", maxLength=100
        )
        save = html.Button("Save", id="sql-save", className="ts-button")
        label = html.Label([html.Span("name", className="visually-hidden"), name])
        parts.append(html.Div([label, save], className="ts-trends-controls ts-sql-save"))
        parts.append(html.P(id="sql-saved-told", className="ts-line", role="status"))
    return parts


def _examples_part() -> list[Component]:
    groups = []
    for source, examples in groupby(EXAMPLES, key=lambda example: example.source):
        links = [
            html.Li(dcc.Link(example.title, href=_address(example.sql))) for example in examples
        ]
        groups.append(
            html.Div(
                [
                    html.H3(source or "every source", className="ts-sql-source"),
                    html.Ul(links, className="ts-sql-links"),
                ]
            )
        )
    return [_heading("Examples"), html.Div(groups, className="ts-sql-examples")]


def _tables_part() -> list[Component]:
    return [_heading("Tables"), tables_list(QUERY_TABLES.values())]


def _heading(words: str) -> html.Div:
    return html.Div(html.H2(words, className="ts-panel-title"), className="ts-panel-head")


def _address(sql: str) -> str:
    return f"/sql?{urlencode({'sql': sql})}"
