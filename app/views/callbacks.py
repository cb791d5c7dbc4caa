"""The callbacks of all views, made from the registry: drawing, clicks, zoom, grids, links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dash import ALL, ClientsideFunction, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from app.views import steps
from app.views.binding import CHANGES, PROGRESS, RUN_ID, SHOWN, Binding, content_of
from app.views.drawing import Piece, Shown, changes
from app.views.registry import VIEWS, links, plot_of, words_of
from app.views.state import VIEW, RunState
from app.views.view import Grid, Plot, Words
from components.tables import rows_response
from services.runs import RunData

ZOOM = "run-zoom"
"""Id of the store that holds the ranges a plot was zoomed to, by what they set."""


Pieces = Callable[[RunData], Iterator[Piece]]
"""What of a run's page is drawn."""


def register(binding: Binding, pieces: Pieces) -> None:
    """Add the callbacks of every view, and the one that draws all pieces of the page."""
    _register_drawing(binding, pieces)
    plots = {view.id: view for view in VIEWS if isinstance(view, Plot)}
    for view_id in plots:
        if any(isinstance(view, Plot) and view.id == view_id and view.on_click for view in VIEWS):
            _register_click(binding, view_id)
    _register_zoom(binding, plots)
    words = {view.id: view for view in VIEWS if isinstance(view, Words)}
    for grid_id, view_id in {view.grid.id: view.id for view in words.values() if view.grid}.items():
        _register_grid(binding, view_id, grid_id)
    _register_links(binding)


def _register_drawing(binding: Binding, pieces: Pieces) -> None:
    """Draw what changed in one answer.

    The browser sets the properties: Dash drops an answer that a later request overtook, which it would not do for
    properties that the server sets itself.
    """

    @binding.app.callback(
        Output(CHANGES, "data"),
        Output(SHOWN, "data"),
        Input(VIEW, "data"),
        Input("theme", "data"),
        State(SHOWN, "data"),
        State(RUN_ID, "data"),
        running=[(Output(PROGRESS, "hidden"), False, True)],
    )
    def draw(query: str | None, theme: str | None, shown: object, run_id: str) -> tuple[Any, Any]:
        state, data = binding.opened(query, run_id)
        before = Shown.of(shown, content_of(binding.cache, run_id, state), theme)
        changed, after = changes(pieces(data), data, state, before)
        return changed or no_update, no_update if after.stored() == shown else after.stored()

    binding.app.clientside_callback(
        ClientsideFunction("tilescope", "change"),
        Output(CHANGES, "modified_timestamp"),
        Input(CHANGES, "data"),
        prevent_initial_call=True,
    )


def _register_click(binding: Binding, view_id: str) -> None:
    graph_id = f"run-{view_id}"

    # A click on the same point again is news only after the last one was taken away.
    @binding.steps(Input(graph_id, "clickData"), outputs=[Output(graph_id, "clickData")])
    def clicked(state: RunState, data: RunData, click: dict[str, Any] | None) -> tuple[RunState, None]:
        view = plot_of(data, view_id)
        if not click or view is None or view.on_click is None:
            raise PreventUpdate
        return view.on_click(state, data, click), None


def _register_zoom(binding: Binding, plots: Mapping[str, Plot]) -> None:
    """Let the browser gather what is zoomed to, and the server follow it."""
    zoomed = [(view.graph_id, "relayoutData") for view in plots.values() if view.zooms]
    zoomed += [(view.strip.graph_id, "selectedData") for view in plots.values() if view.strip]
    for graph_id, prop in zoomed:
        binding.app.clientside_callback(
            ClientsideFunction("tilescope", "zoom"),
            Output(ZOOM, "data", allow_duplicate=True),
            Input(graph_id, prop),
            prevent_initial_call=True,
        )

    @binding.steps(Input(ZOOM, "data"))
    def follow(state: RunState, _data: RunData, zoom: dict[str, Any] | None) -> RunState:
        return steps.zoomed(state, zoom or {})


def _register_grid(binding: Binding, view_id: str, grid_id: str) -> None:
    def grid_of(data: RunData) -> Grid:
        view = words_of(data, view_id)
        if view is None or view.grid is None:
            raise PreventUpdate
        return view.grid

    @binding.steps(Input(grid_id, "cellClicked"))
    def chosen(state: RunState, data: RunData, cell: dict[str, Any] | None) -> RunState:
        on_cell = grid_of(data).on_cell
        if not cell or on_cell is None or not str(cell.get("rowId", "")).isdecimal():
            raise PreventUpdate
        return on_cell(state, data, int(cell["rowId"]), str(cell.get("colId", "")))

    grids = [view.grid for view in VIEWS if isinstance(view, Words) and view.grid and view.grid.id == grid_id]
    if any(grid.rows for grid in grids):
        _register_rows(binding, view_id, grid_id)


def _register_rows(binding: Binding, view_id: str, grid_id: str) -> None:
    @binding.app.callback(
        Output(grid_id, "getRowsResponse"),
        Input(grid_id, "getRowsRequest"),
        State(VIEW, "data"),
        State(RUN_ID, "data"),
        prevent_initial_call=True,
    )
    def block(request: dict[str, Any] | None, query: str, run_id: str) -> Any:
        state, data = binding.opened(query, run_id)
        view = words_of(data, view_id)
        if not request or view is None or view.grid is None or view.grid.rows is None:
            return no_update
        return rows_response(view.grid.rows(data, state), request)


def _register_links(binding: Binding) -> None:
    """Let links inside of views lead from one view state to the next."""
    known = {link.type: link for link in links()}

    @binding.steps(
        *(Input({"type": link.type, **dict.fromkeys(link.keys, ALL)}, "n_clicks") for link in known.values())
    )
    def followed(state: RunState, data: RunData, *_clicks: list[int | None]) -> RunState:
        named = ctx.triggered_id
        # Links that are drawn anew call this as well, while the one that was clicked may still stand.
        if not isinstance(named, dict) or not ctx.triggered[0]["value"]:
            raise PreventUpdate
        return known[named["type"]].step(state, data, named)
