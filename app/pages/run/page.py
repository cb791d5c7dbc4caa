"""A run's page: header, selection, health, linked views, tables."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import dash_bootstrap_components as dbc
import pandas as pd
from dash import html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages import history
from app.pages.run.binding import content_of
from app.pages.run.head import HEAD
from app.pages.run.header import header, inputs_of, settings_form
from app.pages.run.notes import notes_panel
from app.pages.screens import Subject, first_drawn, refused, screen_root
from app.views.drawing import Properties
from app.views.registry import RUN, parse
from app.views.state import RunState
from app.views.tables import shown_table, tables_of
from components.aria import aria
from schema.run_settings import SettingError
from services.capabilities import Capability
from services.runs import RunData
from storage.errors import StorageError

_LOG = logging.getLogger(__name__)


def layout(context: AppContext, run_id: str, query: Mapping[str, str | Sequence[str]], theme: str) -> html.Div:
    """Lay out the page as the query asks for, drawn; the table follows with what the page asks for first."""
    try:
        run_id = context.repository.resolve(run_id)
        run = context.repository.run(run_id).iloc[0]
        state = parse(history.query_string(query))
        data = context.data.with_kept(run_id, state.method, state.overrides)
    except (StorageError, SettingError) as error:
        _LOG.info("page of run %s: %s", run_id, error)
        return html.Div(refused(error))
    except Exception:
        _LOG.exception("page of run %s with %s", run_id, query)
        return html.Div(refused("This run cannot be shown; the server's log says why."))
    page = first_drawn(RUN, HEAD, Subject(run_id, data, content_of(context.data, run_id, state), state), theme)
    return html.Div(
        [
            *page.stores,
            html.Div(
                [
                    header(run, run_id, state, page.head, methods=data.can(Capability.REFERENCE)),
                    *_settings(run, data, state),
                    html.Div(id="run-selection", className="ts-selection", **page.head["run-selection"]),
                ],
                className="ts-run-head",
            ),
            notes_panel(context, run_id),
            html.Div(id="run-strip", **page.head["run-strip"]),
            _health(page.head),
            *page.groups,
            _tables(data, state),
        ],
        className="ts-run",
        **screen_root(RUN),
    )


def _health(head: Properties) -> html.Section:
    return html.Section(
        [
            html.H2("Health", className="ts-panel-title"),
            html.P(id="run-health-answer", className="ts-answer", **head["run-health-answer"]),
            html.Div(id="run-health", **head["run-health"]),
        ],
        className="ts-panel ts-health-panel",
        id="health",
    )


def _settings(run: pd.Series, data: RunData, state: RunState) -> list[Component]:
    inputs = inputs_of(data)
    return [settings_form(run, state, inputs)] if inputs else []


def _tables(data: RunData, state: RunState) -> html.Section:
    # Not dbc.Tabs: its tabs point to panels that it leaves out, and share one id.
    tabs = dbc.RadioItems(
        options=[{"label": name.replace("_", " "), "value": name} for name in tables_of(data)],
        value=shown_table(data, state),
        id="run-table",
        class_name="ts-tabs",
        input_class_name="btn-check",
        label_class_name="ts-tab",
    )
    return html.Section(
        [
            html.Div(
                [
                    html.H2("Tables", className="ts-panel-title"),
                    html.Div(tabs, role="group", **aria(label="Table shown")),
                    html.Span(className="ts-grow"),
                    html.Span(id="run-table-line", className="ts-panel-hint"),
                    html.Span(id="run-table-export", className="ts-export"),
                ],
                className="ts-panel-head",
            ),
            html.Div(id="run-table-body"),
        ],
        className="ts-panel ts-tables",
        id="tables",
    )
