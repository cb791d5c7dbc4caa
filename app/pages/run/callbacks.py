"""The callbacks of a run's page: view state -> storage -> analysis -> components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from app.context import AppContext
from app.pages.run.head import head, table_links
from app.views.aie.panels import ALL_PANELS, overview_panel
from app.views.clicks import Step, changed, register_click
from app.views.controls import CHOICE
from app.views.kernels import callbacks as profile_callbacks
from app.views.kernels import steps as profile_events
from app.views.memory import callbacks as memory_callbacks
from app.views.memory import steps as memory_events
from app.views.state import VIEW, RunState, parse
from app.views.tables import shown_table, table_frame, tables_of
from app.views.timeline import steps as events
from app.views.view import PanelSpec, drawn
from components.graph import summary_id
from components.tables import rows_response, table, table_line
from services.runs import RunData, RunDataCache

_CLICKED: Mapping[str, Step] = {
    "run-iterations": lambda state, click, _: events.iteration_clicked(state, click),
    "run-floorplan": lambda state, click, _: events.tile_clicked(state, click),
    "run-stalls": lambda state, click, _: events.tile_clicked(state, click),
    "run-durations": lambda state, click, _: events.duration_clicked(state, click),
    "run-timeline": events.timeline_clicked,
    "run-roofline": profile_events.point_clicked,
}
"""Graph -> the step that a click on it is."""
_SETTING = {"type": "run-setting", "key": ALL}
_CHOICE = {"type": CHOICE, "name": ALL}
_CLEAR = {"type": "run-clear", "part": ALL}


def register(app: Dash, context: AppContext) -> None:
    """Add the page's callbacks."""
    cache = context.data
    for graph_id, step in _CLICKED.items():
        register_click(app, cache, VIEW, graph_id, step)
    _register_zoom(app, cache)
    _register_controls(app, cache)
    _register_following(app, cache)
    _register_finding(app)
    _register_head(app, cache)
    for spec in ALL_PANELS.values():
        _register_panel(app, cache, spec)
    _register_overview(app, cache)
    _register_tables(app, cache)
    memory_callbacks.register(app, cache)
    profile_callbacks.register(app, cache)


def _data(cache: RunDataCache, run_id: str, state: RunState) -> RunData:
    return cache.get(run_id, state.method, state.overrides)


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
            data = _data(cache, run_id, state)
            state = events.key_pressed(state, str(key["key"]), data)
            taken = "adjk" if data.profile is not None else "ad"
            if data.memory is not None and not (key["key"] in taken and len(data.timeline.events)):
                state = memory_events.key_pressed(state, str(key["key"]), data.memory)
        elif zoom:
            state = events.zoomed(state, zoom.get("window"))
        return changed(state, query)


def _register_controls(app: Dash, cache: RunDataCache) -> None:
    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Output(_SETTING, "invalid"),
        Input(_CHOICE, "value"),
        Input("run-table", "active_tab"),
        Input(_SETTING, "value"),
        State(_CHOICE, "id"),
        State(_SETTING, "id"),
        State(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def chosen(
        values: list[str | None], table_name: str, texts: list[str | None], *states: Any
    ) -> tuple[Any, list[bool]]:
        names, keys, query, run_id = states
        state = parse(query or "")
        choices = {name["name"]: value or "" for name, value in zip(names, values, strict=True)}
        first = table_name == tables_of(_data(cache, run_id, state))[0]
        before = state.search
        state = events.choices_made(state, choices | {"table": "" if first else table_name or ""})
        if state.search != before:
            state = profile_events.match_sought(state, _data(cache, run_id, state))
        for key, text in zip(keys, texts, strict=True):
            state = events.setting_changed(state, key["key"], text)
        refused = [
            bool((t or "").strip()) and key["key"] not in state.overrides for key, t in zip(keys, texts, strict=True)
        ]
        return changed(state, query), refused

    @app.callback(
        Output(_SETTING, "value"),
        Input("run-settings-reset", "n_clicks"),
        State(_SETTING, "value"),
        prevent_initial_call=True,
    )
    def reset(_clicks: int | None, texts: list[str]) -> list[str]:
        return [""] * len(texts)

    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Input(_CLEAR, "n_clicks"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def clear(clicks: list[int | None], query: str) -> Any:
        if not any(clicks) or not ctx.triggered_id:
            raise PreventUpdate
        part = str(ctx.triggered_id["part"])
        return memory_events.cleared(events.cleared(parse(query or ""), part), part).query()


def _register_following(app: Dash, cache: RunDataCache) -> None:
    """Bring the view and its controls in line with the address after back or forward."""

    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Output(_CHOICE, "value"),
        Output("run-table", "active_tab"),
        Output(_SETTING, "value", allow_duplicate=True),
        Input(f"{VIEW}-from-url", "data"),
        State(_CHOICE, "id"),
        State(_SETTING, "id"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def follow(
        query: str | None, names: list[dict[str, str]], keys: list[dict[str, str]], run_id: str
    ) -> tuple[Any, ...]:
        state = parse(query or "")
        values = [events.choice_of(state, name["name"]) for name in names]
        texts = [state.overrides.get(key["key"], "") for key in keys]
        return state.query(), values, shown_table(_data(cache, run_id, state), state), texts


def _register_finding(app: Dash) -> None:
    """Bring the fields of words to look for in line with the view, without asking the server."""
    app.clientside_callback(
        ClientsideFunction("tilescope", "findings"),
        Output("run-key", "modified_timestamp"),
        Input(VIEW, "data"),
        prevent_initial_call=True,
    )


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


def _register_panel(app: Dash, cache: RunDataCache, spec: PanelSpec) -> None:
    graph_id = spec.graph_id

    @app.callback(
        Output(graph_id, "figure"),
        Output(f"{graph_id}-answer", "children"),
        Output(summary_id(graph_id), "children"),
        Output(f"{graph_id}-line", "children"),
        Input(VIEW, "data"),
        Input("theme", "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def draw(query: str, theme: str, run_id: str) -> tuple[Any, ...]:
        state = parse(query or "")
        panel = drawn(spec, _data(cache, run_id, state), state, theme or "light")
        return panel.figure, panel.answer, panel.answer, panel.line


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
        data = _data(cache, run_id, state)
        name = shown_table(data, state)
        frame = table_frame(data, state, name)
        return table("run-grid", name, frame, unit=data.unit), table_line(frame), table_links(run_id, state)

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
        data = _data(cache, run_id, state)
        return rows_response(table_frame(data, state, shown_table(data, state)), request)
