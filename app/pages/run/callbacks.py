"""Callbacks of a run's page outside its views: fields, settings, chips, the table, notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, no_update

from app.context import AppContext
from app.pages.chips import EVERY_PART, register_chips
from app.pages.run import group_clock, notes
from app.pages.run.binding import run_binding
from app.pages.run.head import HEAD
from app.pages.run.steps import choices_made, field_value, setting_changed, setting_refused
from app.pages.run.table_piece import FOOT
from app.views.actions import clear_part
from app.views.binding import Binding
from app.views.page_callbacks import MoreFields, PageCallbacks
from app.views.registry import RUN
from app.views.state import RunState
from app.views.tables import shown_table, table_frame, table_names
from app.views.timeline.actions import match_sought
from components.tables import rows_response
from services.run.data import RunData

_SETTING = {"type": "run-setting", "key": ALL}
_REFUSAL = {"type": "run-setting-refusal", "key": ALL}


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of a run's page: views, fields, chips, settings, table and notes."""
    binding = run_binding(app, context.data)
    PageCallbacks(
        binding,
        HEAD,
        lambda state: clear_part(state, EVERY_PART),
        field_text,
        fill_fields,
        FOOT,
        _MORE,
    ).register()
    register_chips(binding, clear_part)
    _register_settings(app)
    _register_rows(binding)
    notes.register(app, context)
    group_clock.register(app, context)


def field_text(_data: RunData, state: RunState, name: str) -> str:
    """Return the value that the field `name` shows for a view state: the chosen value or the
    default.
    """
    return field_value(state, name)


def fill_fields(state: RunState, data: RunData, given: Mapping[str, str]) -> RunState:
    """Return the state after fields changed (`given`: name -> value); a new search starts at its
    first match.
    """
    after = choices_made(state, given)
    return after if after.search == state.search else match_sought(after, data)


def _take_more(
    state: RunState, data: RunData, values: Sequence[Any], ids: Sequence[Any]
) -> tuple[RunState, Sequence[Any]]:
    """Apply the selected table and the settings.

    Returns (state, (flags, reasons)), with an element per setting: whether it is refused, and the
    reason, "" if it is valid.
    """
    (tab, texts), (keys,) = values, ids
    # The first table is the default, which a state does not store.
    first = tab == table_names(data)[0]
    state = choices_made(state, {"table": "" if first else tab or ""})
    for key, text in zip(keys, texts, strict=True):
        state = setting_changed(state, key["key"], text)
    refused = [setting_refused(key["key"], text) for key, text in zip(keys, texts, strict=True)]
    return state, ([bool(why) for why in refused], refused)


def _show_more(data: RunData, state: RunState, ids: Sequence[Any]) -> Sequence[Any]:
    (keys,) = ids
    return shown_table(data, state), [state.overrides.get(key["key"], "") for key in keys]


_MORE = MoreFields(
    inputs=(Input("run-table", "value"), Input(_SETTING, "value")),
    ids=(State(_SETTING, "id"),),
    outputs=(Output(_SETTING, "invalid"), Output(_REFUSAL, "children")),
    take=_take_more,
    show=_show_more,
)


def _register_settings(app: Dash) -> None:
    app.clientside_callback(
        ClientsideFunction("tilescope", "describeFields"),
        Output(RUN.id("settings"), "className"),
        Input(_REFUSAL, "children"),
        State(_SETTING, "id"),
        State(_REFUSAL, "id"),
    )

    @app.callback(
        Output(_SETTING, "value"),
        Input("run-settings-reset", "n_clicks"),
        State(_SETTING, "value"),
        prevent_initial_call=True,
    )
    def reset(_clicks: int | None, texts: list[str]) -> list[str]:
        return [""] * len(texts)


def _register_rows(binding: Binding) -> None:
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
        state, data = binding.open_page(query, run_id)
        return rows_response(table_frame(data, state, shown_table(data, state)), request)
