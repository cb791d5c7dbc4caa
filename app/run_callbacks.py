"""The callbacks of a run's page: view state -> storage -> analysis -> components."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from app import run_events as events
from app.context import AppContext
from app.pages.run import VIEW
from app.pages.run_header import AS_STORED
from app.run_data import RunData, RunDataCache
from app.run_head import head, table_links
from app.run_views import PANELS, drawn, overview_panel, table_frame
from app.state import RunState, parse
from components.graph import summary_id
from components.tables import rows_response, table, table_line

_CLICKS = ("run-iterations", "run-floorplan", "run-stalls", "run-durations", "run-timeline")
_CHOICES = {
    "run-method": "method",
    "run-durations-view": "durations",
    "run-share": "share",
    "run-tile-metric": "tile_metric",
    "run-lanes": "lanes",
    "run-table": "table",
}
_SETTING = {"type": "run-setting", "key": ALL}
_CLEAR = {"type": "run-clear", "part": ALL}


def register(app: Dash, context: AppContext) -> None:
    """Add the page's callbacks."""
    cache = context.data
    _register_clicks(app, cache)
    _register_zoom(app, cache)
    _register_controls(app)
    _register_following(app)
    _register_head(app, cache)
    for panel_id in PANELS:
        _register_panel(app, cache, panel_id)
    _register_overview(app, cache)
    _register_tables(app, cache)


def _data(cache: RunDataCache, run_id: str, state: RunState) -> RunData:
    return cache.get(run_id, state.method, state.overrides)


def _register_clicks(app: Dash, cache: RunDataCache) -> None:
    @app.callback(
        Output(VIEW, "data"),
        # A click on the same point again is news only after the last one was taken away.
        *[Output(graph_id, "clickData") for graph_id in _CLICKS],
        *[Input(graph_id, "clickData") for graph_id in _CLICKS],
        State(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def clicked(*values: Any) -> tuple[Any, ...]:
        *clicks, query, run_id = values
        graph_id = str(ctx.triggered_id)
        click = dict(zip(_CLICKS, clicks, strict=True)).get(graph_id)
        if not click:
            raise PreventUpdate
        state = parse(query or "")
        if graph_id == "run-timeline":
            state = events.timeline_clicked(state, click, _data(cache, run_id, state))
        elif graph_id == "run-iterations":
            state = events.iteration_clicked(state, click)
        elif graph_id == "run-durations":
            state = events.duration_clicked(state, click)
        else:
            state = events.tile_clicked(state, click)
        return (state.query(), *[None] * len(_CLICKS))


def _register_zoom(app: Dash, cache: RunDataCache) -> None:
    for graph_id, prop in (("run-timeline", "relayoutData"), ("run-overview", "selectedData")):
        app.clientside_callback(
            ClientsideFunction("tilescope", "zoom"),
            Output("run-zoom", "data", allow_duplicate=True),
            Input(graph_id, prop),
            prevent_initial_call=True,
        )

    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Input("run-zoom", "data"),
        Input("run-key", "data"),
        State(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def zoomed(zoom: dict[str, Any] | None, key: dict[str, Any] | None, query: str, run_id: str) -> Any:
        state = parse(query or "")
        if ctx.triggered_id == "run-key" and key:
            state = events.key_pressed(state, str(key["key"]), _data(cache, run_id, state))
        elif zoom:
            state = events.zoomed(state, zoom.get("window"))
        return state.query() if state.query() != query else no_update


def _register_controls(app: Dash) -> None:
    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Output(_SETTING, "invalid"),
        *[Input(control, "active_tab" if control == "run-table" else "value") for control in _CHOICES],
        Input(_SETTING, "value"),
        Input("run-mac-dtype", "value"),
        State(_SETTING, "id"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def chosen(*values: Any) -> tuple[Any, list[bool]]:
        *choices, texts, mac_dtype, ids, query = values
        state = replace(parse(query or ""), **dict(zip(_CHOICES.values(), choices, strict=True)))
        for key, text in zip(ids, texts, strict=True):
            state = events.setting_changed(state, key["key"], text)
        state = parse(events.setting_changed(state, "mac_dtype", mac_dtype).query())
        refused = [
            bool((t or "").strip()) and key["key"] not in state.overrides for key, t in zip(ids, texts, strict=True)
        ]
        return (state.query() if state.query() != query else no_update), refused

    @app.callback(
        Output(_SETTING, "value"),
        Output("run-mac-dtype", "value"),
        Input("run-settings-reset", "n_clicks"),
        State(_SETTING, "value"),
        prevent_initial_call=True,
    )
    def reset(_clicks: int | None, texts: list[str]) -> tuple[list[str], str]:
        return [""] * len(texts), AS_STORED

    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Input(_CLEAR, "n_clicks"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def clear(clicks: list[int | None], query: str) -> Any:
        if not any(clicks) or not ctx.triggered_id:
            raise PreventUpdate
        return events.cleared(parse(query or ""), str(ctx.triggered_id["part"])).query()


def _register_following(app: Dash) -> None:
    """Bring the view and its controls in line with the address after back or forward."""

    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        *[Output(c, "active_tab" if c == "run-table" else "value", allow_duplicate=True) for c in _CHOICES],
        Output(_SETTING, "value", allow_duplicate=True),
        Output("run-mac-dtype", "value", allow_duplicate=True),
        Input(f"{VIEW}-from-url", "data"),
        State(_SETTING, "id"),
        prevent_initial_call=True,
    )
    def follow(query: str | None, ids: list[dict[str, str]]) -> tuple[Any, ...]:
        state = parse(query or "")
        controls = [getattr(state, name) for name in _CHOICES.values()]
        texts = [state.overrides.get(key["key"], "") for key in ids]
        return (state.query(), *controls, texts, state.overrides.get("mac_dtype", AS_STORED))


def _register_head(app: Dash, cache: RunDataCache) -> None:
    @app.callback(
        Output("run-strip", "children"),
        Output("run-selection", "children"),
        Output("run-health", "children"),
        Output("run-health-answer", "children"),
        Output("run-snapshot", "href"),
        Output("run-export", "children"),
        Input(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def show(query: str, run_id: str) -> tuple[Any, ...]:
        state = parse(query or "")
        parts = head(_data(cache, run_id, state), state)
        return (
            *(parts.strip, parts.selection, parts.health, parts.health_answer),
            *(parts.snapshot_href, parts.exports),
        )


def _register_panel(app: Dash, cache: RunDataCache, panel_id: str) -> None:
    graph_id = f"run-{panel_id}"
    extra = [Output("run-timeline-line", "children")] if panel_id == "timeline" else []

    @app.callback(
        Output(graph_id, "figure"),
        Output(f"{graph_id}-answer", "children"),
        Output(summary_id(graph_id), "children"),
        *extra,
        Input(VIEW, "data"),
        Input("theme", "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def draw(query: str, theme: str, run_id: str) -> tuple[Any, ...]:
        state = parse(query or "")
        data = _data(cache, run_id, state)
        panel = drawn(PANELS[panel_id], data, state, theme or "light")
        return (panel.figure, panel.answer, panel.answer, *([panel.line] if extra else []))


def _register_overview(app: Dash, cache: RunDataCache) -> None:
    @app.callback(
        Output("run-overview", "figure"),
        Output(summary_id("run-overview"), "children"),
        Input(VIEW, "data"),
        Input("theme", "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def draw(query: str, theme: str, run_id: str) -> tuple[Any, str]:
        state = parse(query or "")
        panel = overview_panel(_data(cache, run_id, state), state, theme or "light")
        return panel.figure, panel.answer


def _register_tables(app: Dash, cache: RunDataCache) -> None:
    @app.callback(
        Output("run-table-body", "children"),
        Output("run-table-line", "children"),
        Output("run-table-export", "children"),
        Input(VIEW, "data"),
        State("run-id", "data"),
    )
    def show(query: str, run_id: str) -> tuple[Any, str, list[Any]]:
        state = parse(query or "")
        frame = table_frame(_data(cache, run_id, state), state, state.table)
        return table("run-grid", state.table, frame), table_line(frame), table_links(run_id, state)

    @app.callback(
        Output("run-grid", "getRowsResponse"),
        Input("run-grid", "getRowsRequest"),
        State(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def rows(request: dict[str, Any] | None, query: str, run_id: str) -> Any:
        if not request:
            return no_update
        state = parse(query or "")
        return rows_response(table_frame(_data(cache, run_id, state), state, state.table), request)
