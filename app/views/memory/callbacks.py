"""The callbacks of the memory views of a run's page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from app.views.clicks import changed, register_cell_click, register_click
from app.views.memory import steps as events
from app.views.memory.panels import shown_attempts
from app.views.memory.parts import ALIVE_GRID, ATTEMPTS_GRID, PARTS, attempts_key, attempts_part
from app.views.state import VIEW, RunState, parse
from app.views.view import Part
from components.memory import banks, live_bytes, memory_map, timesteps
from components.memory.attempts_grid import VERSUS, grid_options, scroll_to
from components.tables import rows_response
from services.memory import MemoryData
from services.runs import RunData, RunDataCache

_CLICKED: Mapping[str, ModuleType] = {
    "run-map": memory_map,
    "run-banks": banks,
    "run-live": live_bytes,
    "run-timesteps": timesteps,
}
"""Graph -> the module that knows what a click on it names."""
_LINK = {"type": "block-link", "block": ALL}


def register(app: Dash, cache: RunDataCache) -> None:
    """Add the callbacks."""
    for graph_id in _CLICKED:
        register_click(app, cache, VIEW, graph_id, partial(_clicked, graph_id=graph_id))
        _register_zoom(app, graph_id)
    _register_zoomed(app, cache)
    register_cell_click(app, cache, VIEW, ATTEMPTS_GRID, _attempt_listed)
    _register_attempts_grid(app, cache)
    _register_blocks(app, cache)
    for name, part in PARTS.items():
        _register_part(app, cache, name, part)


def _memory(cache: RunDataCache, run_id: str, state: RunState) -> MemoryData:
    memory = cache.get(run_id, state.method, state.overrides).memory
    if memory is None:
        raise PreventUpdate
    return memory


def _clicked(state: RunState, click: Mapping[str, Any], data: RunData, graph_id: str) -> RunState:
    if data.memory is None:
        return state
    return events.clicked(state, _CLICKED[graph_id].clicked(click), data.memory.number(state.memory))


def _register_zoom(app: Dash, graph_id: str) -> None:
    app.clientside_callback(
        ClientsideFunction("tilescope", "mapZoom"),
        Output("run-map-zoom", "data", allow_duplicate=True),
        Input(graph_id, "relayoutData"),
        prevent_initial_call=True,
    )


def _register_zoomed(app: Dash, cache: RunDataCache) -> None:
    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Input("run-map-zoom", "data"),
        State(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def zoomed(zoom: dict[str, Any] | None, query: str, run_id: str) -> Any:
        before = parse(query or "")
        state = events.zoomed(before, zoom or {}, timed=_memory(cache, run_id, before).timed)
        return changed(state, query)


def _attempt_listed(state: RunState, data: RunData, row: int, column: str) -> RunState:
    if data.memory is None:
        return state
    step = events.compared if column == VERSUS else events.attempt_chosen
    return step(state, row, data.memory)


def _register_attempts_grid(app: Dash, cache: RunDataCache) -> None:
    """Mark the shown attempt in the grid as it stands: made anew, it would lose its place and send every row."""

    @app.callback(
        Output("run-attempts-body", "children"),
        Output("run-attempts-key", "data"),
        Output("run-attempts-answer", "children"),
        Input(VIEW, "data"),
        State("run-attempts-key", "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def rows(query: str, key: str, run_id: str) -> tuple[Any, str, str]:
        state = parse(query or "")
        made = attempts_part(cache.get(run_id, state.method, state.overrides), state)
        return (no_update if attempts_key(state) == key else made.body), attempts_key(state), made.answer

    @app.callback(
        Output(ATTEMPTS_GRID, "dashGridOptions"),
        Output(ATTEMPTS_GRID, "scrollTo"),
        Input(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def marked(query: str, run_id: str) -> tuple[Any, Any]:
        state = parse(query or "")
        memory = _memory(cache, run_id, state)
        shown = memory.number(state.memory)
        listed = shown_attempts(memory, state)
        return grid_options(len(listed), shown, state.memory.against), scroll_to(listed, shown)

    @app.callback(
        Output(ATTEMPTS_GRID, "getRowsResponse"),
        Input(ATTEMPTS_GRID, "getRowsRequest"),
        State(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def block(request: dict[str, Any] | None, query: str, run_id: str) -> Any:
        state = parse(query or "")
        return rows_response(shown_attempts(_memory(cache, run_id, state), state), request) if request else no_update


def _register_blocks(app: Dash, cache: RunDataCache) -> None:
    """Let rows and links that name a block select it."""

    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Input(ALIVE_GRID, "cellClicked"),
        Input(_LINK, "n_clicks"),
        State(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def chosen(cell: dict[str, Any] | None, clicks: list[int | None], query: str, run_id: str) -> Any:
        named = (cell or {}).get("rowId") if ctx.triggered_id == ALIVE_GRID else None
        if any(clicks) and isinstance(ctx.triggered_id, dict):
            named = ctx.triggered_id.get("block")
        if named is None or not str(named).isdecimal():
            raise PreventUpdate
        state = parse(query or "")
        shown = _memory(cache, run_id, state).number(state.memory)
        return events.clicked(state, {"block": int(named)}, shown).query()


def _register_part(app: Dash, cache: RunDataCache, name: str, part: Callable[[RunData, RunState], Part]) -> None:
    @app.callback(
        Output(f"run-{name}-body", "children"),
        Output(f"run-{name}-answer", "children"),
        Output(f"run-{name}-section", "hidden"),
        Input(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def show(query: str, run_id: str) -> tuple[Any, str, bool]:
        state = parse(query or "")
        made = part(cache.get(run_id, state.method, state.overrides), state)
        return made.body, made.answer, made.body is None
