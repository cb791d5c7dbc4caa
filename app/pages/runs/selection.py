"""The selected runs of the list, and the actions on them: open, compare, export."""

from __future__ import annotations

from dash import ClientsideFunction, Dash, Input, Output, State

from app.context import AppContext
from app.pages.runs.actions import EDITORS
from app.pages.runs.page import VIEW
from app.pages.runs.state import parse


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the selection.

    The selection is a mapping of run id to name, which also has runs of pages that are not loaded.
    """

    @app.callback(
        Output("runs-listed", "data"),
        Input("runs-select-all", "n_clicks"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def select(_clicks: int | None, query: str) -> dict[str, str]:
        return context.runs.now().names(parse(query or "").first_page)

    # In the browser, because the response comes late, and runs selected after the click must stay.
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsSelectAll"),
        Output("runs-picked", "data"),
        Input("runs-listed", "data"),
        State("runs-picked", "data"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsSelectNone"),
        Output("runs-picked", "data", allow_duplicate=True),
        Input("runs-select-none", "n_clicks"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsSelected"),
        Output(
            "runs-actions", "title"
        ),  # never changes: the script sets the properties of each action by its id
        Input("runs-picked", "data"),
        Input("runs-next", "data"),
    )
    for button in EDITORS:
        app.clientside_callback(
            ClientsideFunction("tilescope", "runsNoneSelected"),
            Output(button, "disabled"),
            Input("runs-picked", "data"),
        )
    _register_links(app)


def _register_links(app: Dash) -> None:
    """Register the buttons that open the selected runs: a run's page, a matrix, a comparison."""
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsOpen"),
        Output("runs-open", "title"),
        Input("runs-open", "n_clicks"),
        Input("runs-scatter", "clickData"),
        State("runs-picked", "data"),
        prevent_initial_call=True,
    )
    for function, button in (("runsMatrix", "runs-matrix"), ("runsCompare", "runs-compare")):
        app.clientside_callback(
            ClientsideFunction("tilescope", function),
            Output(button, "value"),
            Input(button, "n_clicks"),
            State("runs-picked", "data"),
            prevent_initial_call=True,
        )
