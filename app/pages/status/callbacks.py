"""Callbacks of the status page: controls -> view state -> rows; acknowledgements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, no_update

from app.context import AppContext
from app.pages.status import rules_dialog
from app.pages.status.page import ANY, VIEW, body, export_address
from app.pages.status.shown_status import WITHIN_S, shown_rule
from app.pages.status.state import make, parse
from app.request.errors import as_sentence
from app.request.user import require
from schema.roles import Role
from services.baselines.members import BaselineError
from services.status.acknowledge import acknowledge, withdraw_acknowledgement
from storage.errors import StorageError

_CHOICE = {"type": "status-choice", "name": ALL}
_NOTE = {"type": "status-note", "run": ALL}
_ACKNOWLEDGE, _WITHDRAW = (
    {"type": f"status-{name}", "run": ALL} for name in ("acknowledge", "withdraw")
)


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the status page: controls, rows, acknowledgements and rules."""
    _register_controls(app)
    _register_shown(app, context)
    rules_dialog.register(app, context)
    app.clientside_callback(
        ClientsideFunction("tilescope", "pollMissing"),
        Output("status-left", "modified_timestamp"),
        Input("status-left", "data"),
    )


def _register_controls(app: Dash) -> None:
    @app.callback(
        Output(VIEW, "data"),
        Input(_CHOICE, "value"),
        State(_CHOICE, "id"),
        prevent_initial_call=True,
    )
    def remember(values: list[str | bool | None], ids: list[dict[str, str]]) -> str:
        pairs = zip(ids, values, strict=True)
        return make({key["name"]: _text(value) for key, value in pairs}).query()

    @app.callback(
        Output(_CHOICE, "value"), Input(f"{VIEW}-from-url", "data"), prevent_initial_call=True
    )
    def follow(query: str | None) -> list[Any]:
        state = parse(query or "")
        names = [output["id"]["name"] for output in ctx.outputs_list]
        empty: dict[str, Any] = {"verdict": ANY, "rule": no_update}
        return [
            state.week if name == "week" else getattr(state, name) or empty.get(name, "")
            for name in names
        ]


def _text(value: str | bool | None) -> str:
    """Write the value of a control as the address has it; "" if it does not filter."""
    # A checkbox has a bool where selectors and fields have texts.
    if isinstance(value, bool):
        return "1" if value else ""
    return "" if value in (None, ANY) else str(value)


def _register_shown(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("status-body", "children"),
        Output("status-export", "href"),
        Output("status-error", "children"),
        Output("status-left", "data"),
        Input(VIEW, "data"),
        Input("status-more", "data"),
        Input(_ACKNOWLEDGE, "n_clicks"),
        Input(_WITHDRAW, "n_clicks"),
        State(_NOTE, "value"),
        State(_NOTE, "id"),
        State("status-left", "data"),
        prevent_initial_call=True,
    )
    def show(query: str | None, _more: object, *pressed: list[Any]) -> tuple[Any, ...]:
        state = parse(query or "")
        trigger = ctx.triggered_id
        if isinstance(trigger, Mapping):
            if not ctx.triggered[0]["value"]:
                return no_update, no_update, "", no_update  # a button that came with the rows
            notes = {
                key["run"]: str(value or "")
                for key, value in zip(pressed[3], pressed[2], strict=True)
            }
            error = _change(context, trigger, shown_rule(context, state), notes)
            if error:
                return no_update, no_update, error, no_update
        shown, missing = body(context, state, WITHIN_S if trigger == "status-more" else None)
        _, turn = pressed[4] or [0, 0]
        # The counter makes the store's value change even when `missing` does not, so that the
        # browser polls again.
        return shown, export_address(state), "", [missing, turn + 1]


def _change(
    context: AppContext, trigger: Mapping[str, Any], rule: str, notes: Mapping[str, str]
) -> str:
    """Add or withdraw, as the button `trigger` requests, an acknowledgement by a rule; return the
    error as a sentence, "" if it succeeded.

    `notes` has notes by run id. Requires the role editor.
    """
    user = require(Role.EDITOR).name
    run_id = str(trigger["run"])
    try:
        if trigger["type"] == "status-withdraw":
            withdraw_acknowledgement(context.status, run_id, rule=rule, user=user)
        else:
            note = notes.get(run_id, "")
            acknowledge(context.status, run_id, rule=rule, note=note, user=user, within_s=WITHIN_S)
    except (BaselineError, StorageError) as error:
        return as_sentence(error)
    return ""
