"""A run's page: header, selection, health, linked views, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

import dash_bootstrap_components as dbc
import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from analysis.derive import METHODS, derivable
from analysis.tiles import TILE_METRICS
from app import history
from app.context import AppContext
from app.run_views import PANELS, PanelSpec
from app.state import LANES, TABLES, RunState, parse
from app.urls import query_string
from components.aria import aria
from components.durations import VIEWS
from components.graph import empty_figure, graph
from components.numbers import shorten
from components.overview import HEIGHT as OVERVIEW_HEIGHT
from components.stalls import SHARES
from data_loaders.run_settings import PEAK_MACS_PER_CYCLE
from storage.errors import RunNotFound

VIEW = "run-view"
FORMATS = ("csv", "parquet", "json")
AS_STORED = "stored"
"""Choice of a setting that overrides nothing."""
INPUTS: Mapping[str, tuple[str, str]] = {
    "clock_hz": ("clock", "Hz, or such as 1.25GHz"),
    "peak_macs_per_cycle": ("peak", "MAC per cycle and core"),
    "boundary_factor": ("boundary", "median kernels: a lock stall this long ends an iteration"),
    "warmup": ("warmup", "leading iterations that are not measured"),
    "iterations": ("iterations", "measured iterations"),
    "m": ("m", "rows of a kernel's tile"),
    "k": ("k", "reduction length of a kernel's tile"),
    "n": ("n", "columns of a kernel's tile"),
}
"""Settings that change numbers: name -> label, meaning."""


def layout(context: AppContext, run_id: str, query: Mapping[str, str | Sequence[str]]) -> html.Div:
    """Lay out the page as the query asks for; numbers and plots follow by callbacks."""
    try:
        run_id = context.repository.resolve(run_id)
        run = context.repository.run(run_id).iloc[0]
    except RunNotFound as error:
        return html.Div(_not_found(str(error)))
    state = parse(query_string(query))
    if not derivable(str(run["source"])):
        return html.Div(_not_found(f"{run['name']} has no views yet."))
    return html.Div(
        [
            *history.stores(VIEW, state.query()),
            dcc.Store(id="run-id", data=run_id),
            dcc.Store(id="run-zoom"),
            dcc.Store(id="run-key"),
            html.Div(
                [
                    _header(run, run_id, state),
                    _settings(run, state),
                    html.Div(id="run-selection", className="ts-selection"),
                ],
                className="ts-run-head",
            ),
            dcc.Loading(html.Div(id="run-error"), type="dot", delay_show=400),
            html.Div(html.Div(className="ts-strip"), id="run-strip"),
            _health(),
            html.Div([_panel(spec, state) for spec in PANELS.values()], className="ts-panels"),
            _tables(state),
        ],
        className="ts-run",
    )


def _not_found(sentence: str) -> html.Section:
    return html.Section([html.H1(sentence), dcc.Link("All runs", href="/")], className="ts-panel ts-empty")


def _header(run: pd.Series, run_id: str, state: RunState) -> html.Header:
    facts = [str(run["hwid"])] if pd.notna(run["hwid"]) else []
    if run[["M", "K", "N"]].notna().all():
        facts.append(f"gemm {run['M']}×{run['K']}×{run['N']}")
    if run[["rows", "cols"]].notna().all():
        tiles = f" of {run['m']}×{run['k']}×{run['n']}" if run[["m", "k", "n"]].notna().all() else ""
        facts.append(f"{run['rows']}×{run['cols']} tiles{tiles}")
    return html.Header(
        [
            dcc.Link("‹ runs", href="/", className="ts-back"),
            html.H1(" · ".join(facts) or shorten(str(run["name"])), title=f"{run['name']} · {run['file']} · {run_id}"),
            html.Span(str(run["source"]), className="ts-badge", title="source"),
            html.Span(className="ts-grow"),
            html.Label(
                ["method ", _select("run-method", {m: m for m in METHODS}, state.method)],
                title="robust repairs what captures suffer from; reference is the team's script, to the last digit",
            ),
            html.Button("Share", className="ts-button copy-link", title="Copy the address of this view"),
            html.A("Snapshot", id="run-snapshot", className="ts-button", href=snapshot_href(run_id, state)),
            dbc.DropdownMenu(
                export_items(run_id, state),
                id="run-export",
                label="Export",
                align_end=True,
                toggleClassName="ts-button",
            ),
        ],
        className="ts-run-header",
    )


def snapshot_href(run_id: str, state: RunState) -> str:
    """Return where the snapshot of this view is."""
    query = state.query()
    return f"/snapshot?run={quote(run_id)}" + (f"&{query}" if query else "")


def export_items(run_id: str, state: RunState) -> list[Component]:
    """Return a line of formats per frame."""
    options = urlencode(state.options())
    items: list[Component] = []
    for frame in ("iterations", "kernels", "activity", "diagnostics", "events", "tracks", "run"):
        links = [
            html.A(fmt.upper(), href=f"/export/{quote(run_id)}/{frame}.{fmt}?{options}", download="") for fmt in FORMATS
        ]
        items.append(html.Div([html.Span(frame), *links], className="ts-export"))
    return items


def _select(select_id: str, options: Mapping[str, str], value: str) -> dbc.Select:
    choices = [{"label": label, "value": name} for name, label in options.items()]
    return dbc.Select(id=select_id, options=choices, value=value, size="sm", class_name="ts-select")


def _settings(run: pd.Series, state: RunState) -> html.Details:
    fields: list[Component] = [
        html.Label(
            [
                html.Span(label),
                dbc.Input(
                    id={"type": "run-setting", "key": key},
                    value=state.overrides.get(key, ""),
                    placeholder=_shown(run[key]),
                    type="text",
                    debounce=True,
                    size="sm",
                ),
            ],
            title=meaning,
        )
        for key, (label, meaning) in INPUTS.items()
    ]
    dtypes = {AS_STORED: f"as stored ({_shown(run['mac_dtype'])})", **{name: name for name in PEAK_MACS_PER_CYCLE}}
    fields.append(
        html.Label(
            [html.Span("data type"), _select("run-mac-dtype", dtypes, state.overrides.get("mac_dtype", AS_STORED))],
            title="sets the peak: " + ", ".join(f"{k} {v:g}" for k, v in PEAK_MACS_PER_CYCLE.items()),
        )
    )
    fields.append(html.Button("As stored", id="run-settings-reset", className="ts-button"))
    return html.Details(
        [html.Summary("Settings", id="run-settings-summary"), html.Div(fields, className="ts-settings")],
        open=bool(state.overrides),
    )


def _shown(value: object) -> str:
    if pd.isna(value):
        return "not known"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _health() -> html.Section:
    return html.Section(
        [
            html.H2("Health", className="ts-panel-title"),
            html.P(id="run-health-answer", className="ts-answer"),
            html.Div(id="run-health"),
        ],
        className="ts-panel ts-health-panel",
        id="health",
    )


def _panel(spec: PanelSpec, state: RunState) -> html.Section:
    graph_id = f"run-{spec.id}"
    parts: list[Component] = [
        html.Div(
            [
                html.H2(spec.title, className="ts-panel-title"),
                html.Abbr("?", title=spec.help, className="ts-help", tabIndex=0, **aria(label=spec.help)),
                html.Span(className="ts-grow"),
                *_controls(spec.id, state),
            ],
            className="ts-panel-head",
        ),
        html.P(id=f"{graph_id}-answer", className="ts-answer"),
    ]
    if spec.id == "timeline":
        parts.append(graph("run-overview", empty_figure("", "light", OVERVIEW_HEIGHT), "", OVERVIEW_HEIGHT))
    parts.append(graph(graph_id, empty_figure("", "light", _HEIGHTS.get(spec.id, 280)), ""))
    if spec.id == "timeline":
        parts.append(html.P(id="run-timeline-line", className="ts-panel-hint ts-line"))
    return html.Section(parts, className=f"ts-panel ts-{spec.id}", id=spec.id)


_HEIGHTS = {"timeline": 420, "floorplan": 280}


def _controls(panel: str, state: RunState) -> list[Component]:
    if panel == "durations":
        return [_select("run-durations-view", VIEWS, state.durations)]
    if panel == "stalls":
        return [_select("run-share", SHARES, state.share)]
    if panel == "floorplan":
        return [_select("run-tile-metric", {m.name: m.label for m in TILE_METRICS.values()}, state.tile_metric)]
    if panel == "timeline":
        labels = {LANES[0]: "main lanes", LANES[1]: "all lanes"}
        return [_select("run-lanes", labels, state.lanes)]
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
