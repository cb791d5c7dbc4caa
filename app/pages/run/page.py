"""A run's page: header, selection, health, linked views, tables."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import dash_bootstrap_components as dbc
import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from analysis.aie.tiles import TILE_METRICS
from app.context import AppContext
from app.errors import public
from app.pages import history
from app.pages.run.head import Head, head
from app.pages.run.header import INPUTS, PEAK_INPUTS, header, settings_form
from app.pages.urls import query_string
from app.views.aie.panels import PANELS, overview_panel
from app.views.controls import choice
from app.views.kernels.panels import PROFILE_PANELS
from app.views.kernels.section import counters_section, kernels_section, timeline_controls
from app.views.memory.section import memory_section
from app.views.sections import panel_section
from app.views.state import LANES, VIEW, RunState, parse
from app.views.tables import shown_table, tables_of
from app.views.view import PanelSpec, drawn
from components.aie.stalls import SHARES
from components.graph import graph
from components.kernels.cycle_durations import views_for
from components.timeline.overview import HEIGHT as OVERVIEW_HEIGHT
from schema.run_settings import SettingError
from services.runs import RunData
from storage.errors import RunNotFound, StorageError

_LOG = logging.getLogger(__name__)


def layout(context: AppContext, run_id: str, query: Mapping[str, str | Sequence[str]], theme: str) -> html.Div:
    """Lay out the page as the query asks for, drawn; the table follows by its callback."""
    try:
        run_id = context.repository.resolve(run_id)
        run = context.repository.run(run_id).iloc[0]
        state = parse(query_string(query))
        data = context.data.get(run_id, state.method, state.overrides)
    except (RunNotFound, StorageError, SettingError) as error:
        return html.Div(_not_found(public(error)))
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
            dcc.Store(id="run-map-zoom"),
            html.Div(
                [
                    header(run, run_id, state, parts),
                    *_settings(run, data, state),
                    html.Div(parts.selection, id="run-selection", className="ts-selection"),
                ],
                className="ts-run-head",
            ),
            html.Div(parts.strip, id="run-strip"),
            _health(parts),
            *_views(data, state, theme),
            _tables(data, state),
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


def _settings(run: pd.Series, data: RunData, state: RunState) -> list[Component]:
    if data.profile is not None:
        return [settings_form(run, state, PEAK_INPUTS)]
    return [settings_form(run, state, INPUTS)] if "iterations" in data.frames else []


def _views(data: RunData, state: RunState, theme: str) -> list[Component]:
    """Lay out the views: of a profile the timeline leads, of anything else its memory maps."""
    memory = memory_section(data, state, theme)
    if data.profile is None:
        return [*memory, *_panels(PANELS, data, state, theme)]
    timeline = {"timeline": PANELS["timeline"]}
    others = {name: spec for name, spec in {**PANELS, **PROFILE_PANELS}.items() if name not in {"timeline", "counters"}}
    return [
        *_panels(timeline, data, state, theme),
        *kernels_section(data, state),
        *_panels(others, data, state, theme),
        *memory,
        *counters_section(data, state),
        *_panels({"counters": PROFILE_PANELS["counters"]}, data, state, theme),
    ]


def _panels(specs: Mapping[str, PanelSpec], data: RunData, state: RunState, theme: str) -> list[Component]:
    shown = [_panel(spec, data, state, theme) for spec in specs.values() if spec.shown(data)]
    return [html.Div(shown, className="ts-panels")] if shown else []


def _panel(spec: PanelSpec, data: RunData, state: RunState, theme: str) -> html.Section:
    above: list[Component] = []
    if spec.id == "timeline" and len(data.timeline.events):
        strip = overview_panel(data, state, theme)
        above.append(graph("run-overview", strip.figure, strip.answer, OVERVIEW_HEIGHT))
    return panel_section(spec, drawn(spec, data, state, theme), _controls(spec.id, data, state), above)


def _controls(panel: str, data: RunData, state: RunState) -> list[Component]:
    if panel == "durations":
        return [choice("durations", views_for(profile=data.profile is not None), state.durations)]
    if panel == "stalls":
        return [choice("share", SHARES, state.share)]
    if panel == "floorplan":
        return [choice("tile_metric", {m.name: m.label for m in TILE_METRICS.values()}, state.tile_metric)]
    if panel == "timeline":
        labels = {LANES[0]: "main lanes", LANES[1]: "all lanes"}
        return [*timeline_controls(data, state), choice("lanes", labels, state.lanes)]
    return []


def _tables(data: RunData, state: RunState) -> html.Section:
    tabs = dbc.Tabs(
        [dbc.Tab(label=name.replace("_", " "), tab_id=name) for name in tables_of(data)],
        id="run-table",
        active_tab=shown_table(data, state),
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
