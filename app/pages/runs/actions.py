"""Controls of the view of the list of runs, and actions on the selected runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_bootstrap_components as dbc
from dash import html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages.runs.saved_views import views_menu
from app.pages.runs.state import RunsState
from app.request.user import may
from components.runs.runs_grid import choosable_columns, visible_columns
from schema.roles import Role
from services.comparison.data import MAX_SIDE_BY_SIDE
from services.lab.matrix_page import MAX_RUNS

EDITORS = ("runs-delete", "runs-tag")
"""Buttons for editors that need a selected run."""


def view_controls(
    context: AppContext, columns: Sequence[Mapping[str, Any]], state: RunsState
) -> html.Div:
    """Lay out the controls of the list: groups, saved filters, columns."""
    boxes = dbc.Checklist(
        id="runs-columns",
        options=choosable_columns(columns),
        value=visible_columns(columns),
        className="ts-columns",
    )
    default = html.Button("Default columns", id="runs-columns-default", className="ts-button")
    group = dbc.Checklist(
        id="runs-group",
        options=[{"label": "Group by hwid and size", "value": "on"}],
        value=["on"] if state.grouped else [],
        switch=True,
    )
    chooser = html.Details(
        [
            html.Summary("Columns", className="ts-button"),
            html.Div([boxes, default], className="ts-popup"),
        ],
        className="ts-chooser",
        id="runs-chooser",
        hidden=state.grouped,
    )
    return html.Div([group, views_menu(context), chooser], className="ts-actions ts-view-controls")


def selection_actions(every: str, *, hidden: bool) -> html.Div:
    """Lay out the actions for selected runs, disabled; `assets/runs.js` enables them and counts the
    runs. `every` is the label of the button for all.
    """
    return html.Div(
        [
            html.Button(every, id="runs-select-all", className="ts-button", hidden=True),
            html.Button(
                "Clear",
                id="runs-select-none",
                className="ts-button",
                hidden=True,
                title="Select none",
            ),
            html.Span("none selected", id="runs-selected", className="ts-muted"),
            html.Button("Open", id="runs-open", className="ts-button", disabled=True),
            html.Button(
                "Compare",
                id="runs-compare",
                className="ts-button",
                disabled=True,
                title=f"Compare 2 to {MAX_SIDE_BY_SIDE} selected runs; the one selected first is the base",
                **_max_runs(MAX_SIDE_BY_SIDE),
            ),
            html.Button(
                "Allocators",
                id="runs-matrix",
                className="ts-button",
                disabled=True,
                title=f"Placements by every allocator of up to {MAX_RUNS} selected runs with a memory map",
                **_max_runs(MAX_RUNS),
            ),
            html.A("Snapshot", id="runs-snapshot", className="ts-button ts-disabled"),
            *(_changes() if may(Role.EDITOR) else []),
        ],
        className="ts-actions",
        id="runs-actions",
        hidden=hidden,
    )


def _max_runs(count: int) -> dict[str, Any]:
    """Return the attribute from which `assets/runs.js` reads the maximum number of selected runs
    for the action of a button.
    """
    return {"data-max-runs": str(count)}


def _changes() -> list[Component]:
    """Lay out the buttons of editors for the selected runs: tags, baseline, deletion."""
    return [
        html.Button(
            "Tag",
            id="runs-tag",
            className="ts-button",
            disabled=True,
            title="Add tags to the selected runs",
        ),
        html.Button(
            "Baseline",
            id="runs-baseline",
            className="ts-button",
            title="Set the runs that other runs are compared with",
        ),
        html.Button("Delete", id="runs-delete", className="ts-button ts-danger", disabled=True),
    ]
