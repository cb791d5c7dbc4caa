"""A run's page: header, selection, health, linked views, tables."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from analysis.derive import derivable
from analysis.tiles import TILE_METRICS
from app import history
from app.context import AppContext
from app.pages.run_header import header, select, settings_form
from app.run_data import RunData
from app.run_head import Head, head
from app.run_views import PANELS, PanelSpec, drawn, overview_panel
from app.state import LANES, TABLES, RunState, parse
from app.urls import query_string
from components.aria import aria
from components.durations import VIEWS
from components.graph import graph
from components.overview import HEIGHT as OVERVIEW_HEIGHT
from components.stalls import SHARES
from storage.errors import RunNotFound, StorageError

VIEW = "run-view"
_LOG = logging.getLogger(__name__)


def layout(context: AppContext, run_id: str, query: Mapping[str, str | Sequence[str]], theme: str) -> html.Div:
    """Lay out the page as the query asks for, drawn; the table follows by its callback."""
    try:
        run_id = context.repository.resolve(run_id)
        run = context.repository.run(run_id).iloc[0]
        state = parse(query_string(query))
        if not derivable(str(run["source"])):
            return html.Div(_not_found(f"{run['name']} has no views yet."))
        data = context.data.get(run_id, state.method, state.overrides)
    except (RunNotFound, StorageError) as error:
        return html.Div(_not_found(str(error)))
    except Exception:
        _LOG.exception("page of run %s with %s", run_id, query)
        return html.Div(_not_found("This run cannot be shown; the server's log says why."))
    parts = head(data, state)
    return html.Div(
        [
            *history.stores(VIEW, state.query()),
            dcc.Store(id="run-id", data=run_id),
            dcc.Store(id="run-zoom"),
            dcc.Store(id="run-key"),
            html.Div(
                [
                    header(run, run_id, state, parts),
                    settings_form(run, state),
                    html.Div(parts.selection, id="run-selection", className="ts-selection"),
                ],
                className="ts-run-head",
            ),
            html.Div(parts.strip, id="run-strip"),
            _health(parts),
            html.Div([_panel(spec, data, state, theme) for spec in PANELS.values()], className="ts-panels"),
            _tables(state),
        ],
        className="ts-run",
    )


def _not_found(sentence: str) -> html.Section:
    return html.Section([html.H1(sentence), dcc.Link("All runs", href="/")], className="ts-panel ts-empty")


def _health(parts: Head) -> html.Section:
    return html.Section(
        [
            html.H2("Health", className="ts-panel-title"),
            html.P(parts.health_answer, id="run-health-answer", className="ts-answer"),
            html.Div(parts.health, id="run-health"),
        ],
        className="ts-panel ts-health-panel",
        id="health",
    )


def _panel(spec: PanelSpec, data: RunData, state: RunState, theme: str) -> html.Section:
    graph_id = f"run-{spec.id}"
    panel = drawn(spec, data, state, theme)
    bar = html.Div(
        [
            html.H2(spec.title, className="ts-panel-title"),
            html.Abbr("?", title=spec.help, className="ts-help", tabIndex=0, **aria(label=spec.help)),
            html.Span(className="ts-grow"),
            *_controls(spec.id, state),
        ],
        className="ts-panel-head",
    )
    parts: list[Component] = [bar, html.P(panel.answer, id=f"{graph_id}-answer", className="ts-answer")]
    if spec.id == "timeline":
        strip = overview_panel(data, state, theme)
        parts.append(graph("run-overview", strip.figure, strip.answer, OVERVIEW_HEIGHT))
    parts.append(graph(graph_id, panel.figure, panel.answer))
    if spec.id == "timeline":
        parts.append(html.P(panel.line, id="run-timeline-line", className="ts-panel-hint ts-line"))
    return html.Section(parts, className=f"ts-panel ts-{spec.id}", id=spec.id)


def _controls(panel: str, state: RunState) -> list[Component]:
    if panel == "durations":
        return [select("run-durations-view", VIEWS, state.durations)]
    if panel == "stalls":
        return [select("run-share", SHARES, state.share)]
    if panel == "floorplan":
        return [select("run-tile-metric", {m.name: m.label for m in TILE_METRICS.values()}, state.tile_metric)]
    if panel == "timeline":
        labels = {LANES[0]: "main lanes", LANES[1]: "all lanes"}
        return [select("run-lanes", labels, state.lanes)]
    return []


def _tables(state: RunState) -> html.Section:
    tabs = dbc.Tabs(
        [dbc.Tab(label=name, tab_id=name) for name in TABLES],
        id="run-table",
        active_tab=state.table,
        class_name="ts-tabs",
    )
    return html.Section(
        [
            html.Div(
                [
                    html.H2("Tables", className="ts-panel-title"),
                    tabs,
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
