"""The callbacks of a profile's views: kernel table, one kernel, its program, search, markers, counters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dash import ALL, Dash, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from app.views.clicks import changed, register_cell_click
from app.views.kernels import steps as events
from app.views.kernels.panels import chosen_program, kernel_rows
from app.views.kernels.parts import COUNTERS_GRID, KERNELS_GRID, PART_KEYS, PROFILE_PARTS, kernels_key, kernels_part
from app.views.memory import steps as memory_events
from app.views.state import VIEW, RunState, parse
from app.views.view import Part
from components.kernels.kernels_grid import grid_options
from services.runs import RunData, RunDataCache

_STEP = {"type": "run-step", "of": ALL, "by": ALL}
_WINDOW = {"type": "run-interval", "window": ALL}
_KERNEL = {"type": "kernel-link", "row": ALL}
_PROGRAM = {"type": "program-link", "program": ALL}
_BUFFER = {"type": "buffer-link", "attempt": ALL, "block": ALL}
_STEPPED: Mapping[str, Callable[[RunState, RunData, int], RunState]] = {
    "match": events.match_stepped,
    "marker": events.marker_stepped,
}


def register(app: Dash, cache: RunDataCache) -> None:
    """Add the callbacks."""
    _register_steps(app, cache)
    _register_kernels(app, cache)
    _register_links(app, cache)
    register_cell_click(
        app, cache, VIEW, KERNELS_GRID, lambda state, data, row, _: events.kernel_listed(state, data, row)
    )
    register_cell_click(app, cache, VIEW, COUNTERS_GRID, events.counter_picked)
    for name, part in PROFILE_PARTS.items():
        _register_part(app, cache, name, part)


def _data(cache: RunDataCache, run_id: str, state: RunState) -> RunData:
    return cache.get(run_id, state.method, state.overrides)


def _register_steps(app: Dash, cache: RunDataCache) -> None:
    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Input(_STEP, "n_clicks"),
        Input(_WINDOW, "n_clicks"),
        State(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def stepped(clicks: list[int | None], chosen: list[int | None], query: str, run_id: str) -> Any:
        if not (any(clicks) or any(chosen)) or not isinstance(ctx.triggered_id, dict):
            raise PreventUpdate
        state = parse(query or "")
        if ctx.triggered_id["type"] == "run-interval":
            begin, end = (int(edge) for edge in str(ctx.triggered_id["window"]).split("-"))
            return changed(state.selecting(window=(begin, end)), query)
        step = _STEPPED[ctx.triggered_id["of"]]
        return changed(step(state, _data(cache, run_id, state), int(ctx.triggered_id["by"])), query)


def _register_kernels(app: Dash, cache: RunDataCache) -> None:
    @app.callback(
        Output("run-kernels-body", "children"),
        Output("run-kernels-key", "data"),
        Output("run-kernels-answer", "children"),
        Input(VIEW, "data"),
        State("run-kernels-key", "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def rows(query: str, key: str, run_id: str) -> tuple[Any, str, Any]:
        state = parse(query or "")
        data = _data(cache, run_id, state)
        if kernels_key(data, state) == key:
            return no_update, key, no_update
        made = kernels_part(data, state)
        return made.body, kernels_key(data, state), made.answer

    @app.callback(
        Output(KERNELS_GRID, "dashGridOptions"),
        Input(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def marked(query: str, run_id: str) -> Any:
        state = parse(query or "")
        return grid_options(kernel_rows(_data(cache, run_id, state), state), chosen_program(state))


def _register_links(app: Dash, cache: RunDataCache) -> None:
    """Let a kernel's name lead to the kernel, and a buffer's to the buffer."""

    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Input(_KERNEL, "n_clicks"),
        Input(_BUFFER, "n_clicks"),
        Input(_PROGRAM, "n_clicks"),
        State(VIEW, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def followed(*clicks_and_view: Any) -> Any:
        *clicks, query, run_id = clicks_and_view
        if not any(map(any, clicks)) or not isinstance(ctx.triggered_id, dict):
            raise PreventUpdate
        state, named = parse(query or ""), ctx.triggered_id
        if named["type"] == "program-link":
            return changed(events.program_listed(state, int(named["program"])), query)
        data = _data(cache, run_id, state)
        if named["type"] == "kernel-link":
            return changed(events.kernel_shown(state, data, int(named["row"])), query)
        shown = data.memory.number(state.memory) if data.memory else None
        parts = {"attempt": int(named["attempt"]), "block": int(named["block"])}
        return changed(memory_events.clicked(state, parts, shown), query)


def _register_part(app: Dash, cache: RunDataCache, name: str, part: Callable[[RunData, RunState], Part]) -> None:
    key_of = PART_KEYS.get(name, RunState.query)

    @app.callback(
        Output(f"run-{name}-body", "children"),
        Output(f"run-{name}-answer", "children"),
        Output(f"run-{name}-section", "hidden"),
        Output(f"run-{name}-key", "data"),
        Input(VIEW, "data"),
        State(f"run-{name}-key", "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def show(query: str, key: str, run_id: str) -> Any:
        state = parse(query or "")
        if key_of(state) == key:
            raise PreventUpdate
        made = part(_data(cache, run_id, state), state)
        return made.body, made.answer, made.body is None, key_of(state)
