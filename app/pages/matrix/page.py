"""Layout of the page of allocators and runs."""

from __future__ import annotations

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages import history
from app.pages.matrix.shown_rows import is_searching, load_rows, status_words
from app.pages.matrix.state import MatrixState, parse
from app.pages.matrix.table import legend, matrix_table
from app.pages.page import PageRequest
from components.aria import aria
from components.numbers import count_text, tame
from services.lab.matrix_page import MatrixRow, matrix_levels, matrix_of_rows
from services.run.placement_question import EFFORTS

VIEW, CLOCK, TOLD, TURN, LIVE = (
    f"matrix-{name}" for name in ("view", "clock", "told", "turn", "live")
)
"""Ids of the stores and the clock: view state, last signal, poll, properties that change."""
EVERY_MS = 1000


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out and draw the page with the matrix of runs and strategies for a request."""
    state = parse(request.query)
    rows = load_rows(context, state)
    busy = is_searching(context)
    return html.Div(
        [
            *history.stores(VIEW, state.query()),
            dcc.Interval(id=CLOCK, interval=EVERY_MS, disabled=not busy),
            *(dcc.Store(id=name) for name in (TOLD, TURN, LIVE)),
            html.H1("Allocators and runs", className="ts-page-title"),
            _controls(state, matrix_levels(rows)),
            html.Div(
                [
                    html.Button(
                        "Run all strategies",
                        id="matrix-ask",
                        className="ts-button ts-primary",
                        disabled=busy,
                    ),
                    html.Button(
                        "Cancel", id="matrix-cancel", className="ts-button", hidden=not busy
                    ),
                    html.P(
                        status_text(context, state, rows),
                        id="matrix-status",
                        className="ts-lab-status",
                        role="status",
                        **aria(live="polite"),
                    ),
                ],
                className="ts-lab-run",
            ),
            html.Div(body(rows, state), id="matrix-body", className="ts-trends-body"),
        ],
        className="ts-trends ts-matrix-page",
    )


def status_text(context: AppContext, state: MatrixState, rows: list[MatrixRow]) -> str:
    """Format the status of the search, see `status_words`, without control characters for the page."""
    return tame(status_words(context, state, rows, matrix_of_rows(rows, state.seed, state.effort)))


def body(rows: list[MatrixRow], state: MatrixState) -> list[Component]:
    """Lay out the legend, the table, and the reasons why runs are refused; empty if no run is
    selected.
    """
    if not rows:
        return []
    refused = [
        html.P(tame(f"{row.name}: {row.refusal}."), className="ts-line")
        for row in rows
        if row.refusal
    ]
    return [
        html.Section([legend(), matrix_table(rows, state), *refused], className="ts-panel ts-part")
    ]


def export_address(state: MatrixState) -> str:
    """Build the address of the cells as a CSV file, a path with the view state as query."""
    return f"/matrix.csv?{state.query()}"


def field_values(state: MatrixState) -> dict[str, str]:
    """Return name (`level`, `effort`, `seed`) -> the text that each control shows; seed 0 is ""."""
    return {"level": state.level, "effort": str(state.effort), "seed": str(state.seed or "")}


def _controls(state: MatrixState, levels: list[str]) -> html.Div:
    shown = field_values(state)
    # An address may have a level that no run has.
    named = list(dict.fromkeys([*levels, *filter(None, [state.level])]))
    level = dbc.Select(
        id={"type": "matrix-choice", "name": "level"},
        options=[
            {"label": "the level of each run's page", "value": ""},
            *({"label": tame(name), "value": name} for name in named),
        ],
        value=shown["level"],
        # The browser shows no option whose value is empty.
        placeholder="the level of each run's page",
        size="sm",
        class_name="ts-select",
    )
    # An address may have an effort that is not offered.
    efforts = sorted({*EFFORTS, state.effort})
    choices = [
        {"label": count_text(effort, "placement"), "value": str(effort)} for effort in efforts
    ]
    effort = dbc.Select(
        id={"type": "matrix-choice", "name": "effort"},
        options=choices,
        value=shown["effort"],
        size="sm",
        class_name="ts-select",
    )
    seed = dbc.Input(
        id={"type": "matrix-choice", "name": "seed"},
        value=shown["seed"],
        placeholder="0",
        type="text",
        inputmode="numeric",
        debounce=True,
        size="sm",
        class_name="ts-find ts-lab-seed",
    )
    actions = [
        html.Button(
            "Share", className="ts-button copy-link", title="Copy the address of this view"
        ),
        html.A(
            "CSV",
            id="matrix-export",
            href=export_address(state),
            className="ts-button",
            download="",
        ),
    ]
    return html.Div(
        [
            html.Label([html.Span("memory level"), level]),
            html.Label([html.Span("effort a strategy"), effort]),
            html.Label([html.Span("seed"), seed]),
            html.Span(className="ts-grow"),
            html.Div(actions, className="ts-actions"),
        ],
        className="ts-trends-controls",
    )
