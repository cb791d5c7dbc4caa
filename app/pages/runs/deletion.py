"""The dialog that deletes the selected runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_bootstrap_components as dbc
from dash import Dash, Input, Output, State, ctx, html, no_update, set_props

from app.context import AppContext
from app.pages.dialogs import dialog
from app.request.user import require
from components.numbers import count_text, tame
from schema.roles import Role
from services.store.deletion import delete_runs

_NAMED = 10
"""Maximum runs that are listed by name; further runs are counted."""


def delete_dialog() -> dbc.Modal:
    """Lay out the dialog that confirms the deletion of the selected runs, closed and empty."""
    buttons = [
        html.Button("Cancel", id="runs-delete-cancel", className="ts-button"),
        html.Button("Delete", id="runs-delete-confirm", className="ts-button ts-danger"),
    ]
    parts = [dbc.ModalBody(id="runs-delete-question"), dbc.ModalFooter(buttons)]
    return dialog("runs-delete-dialog", "Delete runs", parts)


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the dialog that deletes the selected runs."""

    @app.callback(
        Output("runs-delete-dialog", "is_open"),
        Output("runs-delete-question", "children"),
        Input("runs-delete", "n_clicks"),
        State("runs-picked", "data"),
        prevent_initial_call=True,
    )
    def ask(clicks: int | None, picked: dict[str, str] | None) -> tuple[Any, Any]:
        if not clicks or not picked:
            return no_update, no_update
        it = "it" if len(picked) == 1 else "them"
        question = f"Delete {count_text(len(picked), 'run')} and everything derived from {it}?"
        return True, [
            html.P(question),
            *_names(list(picked.values())),
            html.P("The source files are kept."),
        ]

    @app.callback(
        Output("runs-delete-dialog", "is_open", allow_duplicate=True),
        Output("runs-changed", "data"),
        Output("runs-picked", "data", allow_duplicate=True),
        Input("runs-delete-confirm", "n_clicks"),
        Input("runs-delete-cancel", "n_clicks"),
        State("runs-picked", "data"),
        prevent_initial_call=True,
    )
    def delete(
        confirmed: int | None, _cancelled: int | None, picked: dict[str, str] | None
    ) -> tuple[Any, ...]:
        if ctx.triggered_id != "runs-delete-confirm" or not confirmed:
            return False, no_update, no_update
        chosen = picked or {}
        pinned = delete_runs(context.repository, chosen, require(Role.EDITOR).name)
        stay = {run_id: chosen[run_id] for run_id in pinned}
        if stay:
            set_props("toast", {"is_open": True, "children": _list_pinned(stay, len(chosen))})
        # Pinned runs were not deleted, so that they stay selected.
        return False, confirmed, stay


def _names(runs: Sequence[str]) -> list[html.Ul | html.P]:
    """Lay out a list with the names of the first _NAMED (10) runs, and count the rest, if there are
    more.
    """
    listed = html.Ul([html.Li(tame(name), className="ts-mono") for name in runs[:_NAMED]])
    return [listed, *([html.P(f"and {len(runs) - _NAMED} more")] if len(runs) > _NAMED else [])]


def _list_pinned(pinned: Mapping[str, str], chosen: int) -> list[html.Ul | html.P]:
    """Lay out a sentence with the number of deleted runs, and the names of runs that were not
    deleted because they are pinned; `chosen` counts all.
    """
    deleted = f"{count_text(chosen - len(pinned), 'run')} deleted. " if chosen > len(pinned) else ""
    this, it = ("This run is", "it") if len(pinned) == 1 else ("These runs are", "them")
    sentence = f"{deleted}{this} pinned; unpin {it} to delete {it}."
    return [html.P(sentence), *_names([*pinned.values()])]
