"""The callbacks of a run's page beside those of its views: keys, choices, settings, history, head, tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dash import ALL, Dash, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from app.context import AppContext
from app.pages.run import notes
from app.pages.run.binding import run_binding
from app.pages.run.head import HEAD, table_links
from app.pages.run.steps import choice_of, choices_made, setting_changed
from app.views.binding import Binding
from app.views.callbacks import ViewCallbacks
from app.views.drawing import Piece, Properties, view_pieces
from app.views.page_callbacks import field_text
from app.views.registry import RUN
from app.views.state import RunState
from app.views.steps import cleared
from app.views.tables import shown_table, table_frame, tables_of
from app.views.timeline.steps import match_sought
from components.tables import rows_response, table, table_line
from services.runs import RunData

_SETTING = {"type": "run-setting", "key": ALL}
_CHOICE = {"type": RUN.choice, "name": ALL}
_CLEAR = {"type": "run-clear", "part": ALL}


def register(app: Dash, context: AppContext) -> None:
    """Add the page's callbacks."""
    binding = run_binding(app, context.data)
    ViewCallbacks(binding, _pieces).register()
    _register_keys(binding)
    _register_controls(binding)
    _register_following(binding)
    _register_tables(binding)
    notes.register(app, context)


def _register_keys(binding: Binding) -> None:
    @binding.steps(Input(RUN.key, "data"))
    def press(state: RunState, data: RunData, key: dict[str, Any] | None) -> RunState:
        if not key:
            raise PreventUpdate
        return cleared(state, "all") if key["key"] == "Escape" else RUN.pressed(state, data, str(key["key"]))


def _register_controls(binding: Binding) -> None:
    @binding.steps(
        Input(_CHOICE, "value"),
        Input("run-table", "value"),
        Input(_SETTING, "value"),
        outputs=[Output(_SETTING, "invalid")],
        states=[State(_CHOICE, "id"), State(_SETTING, "id")],
    )
    def chosen(
        state: RunState,
        data: RunData,
        values: list[object],
        tab: str,
        texts: list[str | None],
        names: list[dict[str, str]],
        keys: list[dict[str, str]],
    ) -> tuple[RunState, list[bool]]:
        choices = {name["name"]: field_text(value) for name, value in zip(names, values, strict=True)}
        first = tab == tables_of(data)[0]
        before = state.search
        state = choices_made(state, choices | {"table": "" if first else tab or ""})
        if state.search != before:
            state = match_sought(state, data)
        for key, text in zip(keys, texts, strict=True):
            state = setting_changed(state, key["key"], text)
        refused = [
            bool((t or "").strip()) and key["key"] not in state.overrides for key, t in zip(keys, texts, strict=True)
        ]
        return state, refused

    @binding.app.callback(
        Output(_SETTING, "value"),
        Input("run-settings-reset", "n_clicks"),
        State(_SETTING, "value"),
        prevent_initial_call=True,
    )
    def reset(_clicks: int | None, texts: list[str]) -> list[str]:
        return [""] * len(texts)

    @binding.steps(Input(_CLEAR, "n_clicks"))
    def clear(state: RunState, _data: RunData, clicks: list[int | None]) -> RunState:
        if not any(clicks) or not isinstance(ctx.triggered_id, dict):
            raise PreventUpdate
        return cleared(state, str(ctx.triggered_id["part"]))


def _register_following(binding: Binding) -> None:
    """Bring the view and its controls in line with the address after back or forward."""

    @binding.app.callback(
        Output(RUN.view, "data", allow_duplicate=True),
        Output(_CHOICE, "value"),
        Output("run-table", "value"),
        Output(_SETTING, "value", allow_duplicate=True),
        Input(f"{RUN.view}-from-url", "data"),
        State(_CHOICE, "id"),
        State(_SETTING, "id"),
        State(RUN.subject, "data"),
        prevent_initial_call=True,
    )
    def follow(
        query: str | None, names: list[dict[str, str]], keys: list[dict[str, str]], run_id: str
    ) -> tuple[Any, ...]:
        state, data = binding.opened(query, run_id)
        values = [choice_of(state, name["name"]) for name in names]
        texts = [state.overrides.get(key["key"], "") for key in keys]
        return state.query(), values, shown_table(data, state), texts


def _pieces(data: RunData) -> Iterator[Piece]:
    """Return what of the page is drawn: its head, its views, its table."""
    yield from HEAD
    yield from view_pieces(RUN, data)
    yield Piece("table", _table)


def _table(data: RunData, state: RunState, _theme: str) -> Properties:
    name = shown_table(data, state)
    frame = table_frame(data, state, name)
    return {
        "run-table-body": {"children": table("run-grid", name, frame, unit=data.unit)},
        "run-table-line": {"children": table_line(frame)},
        "run-table-export": {"children": table_links(data.run_id, state)},
    }


def _register_tables(binding: Binding) -> None:
    @binding.app.callback(
        Output("run-grid", "getRowsResponse"),
        Input("run-grid", "getRowsRequest"),
        State(RUN.view, "data"),
        State(RUN.subject, "data"),
        prevent_initial_call=True,
    )
    def rows(request: dict[str, Any] | None, query: str, run_id: str) -> Any:
        if not request:
            return no_update
        state, data = binding.opened(query, run_id)
        return rows_response(table_frame(data, state, shown_table(data, state)), request)
