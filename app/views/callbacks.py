"""The callbacks of all views, made from the registry: drawing, clicks, zoom, grids, links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import ALL, ClientsideFunction, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from app.views import steps
from app.views.binding import RUN_ID, Binding
from app.views.jumps import answer_parts
from app.views.registry import VIEWS, links, plot_of, words_of
from app.views.state import VIEW, RunState
from app.views.view import Grid, Plot, Words, drawn
from components.graph import summary_id
from components.tables import rows_response
from services.runs import RunData

ZOOM = "run-zoom"
"""Id of the store that holds the ranges a plot was zoomed to, by what they set."""


def register(binding: Binding) -> None:
    """Add the callbacks of every view."""
    plots = {view.id: view for view in VIEWS if isinstance(view, Plot)}
    for view_id in plots:
        _register_plot(binding, view_id)
        if any(isinstance(view, Plot) and view.id == view_id and view.on_click for view in VIEWS):
            _register_click(binding, view_id)
    for strip in {view.strip.id: view.strip for view in plots.values() if view.strip}.values():
        _register_strip(binding, strip)
    _register_zoom(binding, plots)
    words = {view.id: view for view in VIEWS if isinstance(view, Words)}
    for view_id in words:
        _register_words(binding, view_id)
    for grid_id, view_id in {view.grid.id: view.id for view in words.values() if view.grid}.items():
        _register_grid(binding, view_id, grid_id)
    _register_links(binding)


def _register_plot(binding: Binding, view_id: str) -> None:
    graph_id = f"run-{view_id}"

    @binding.shows(
        Output(graph_id, "figure"),
        Output(f"{graph_id}-answer", "children"),
        Output(summary_id(graph_id), "children"),
        Output(f"{graph_id}-line", "children"),
        inputs=[Input("theme", "data")],
    )
    def draw(data: RunData, state: RunState, theme: str | None) -> tuple[Any, ...]:
        view = plot_of(data, view_id)
        if view is None:
            raise PreventUpdate
        panel = drawn(view, data, state, theme or "light")
        return panel.figure, answer_parts(view_id, panel.answer), panel.answer, panel.line


def _register_strip(binding: Binding, strip: Plot) -> None:
    @binding.shows(
        Output(strip.graph_id, "figure"),
        Output(summary_id(strip.graph_id), "children"),
        inputs=[Input("theme", "data")],
    )
    def draw(data: RunData, state: RunState, theme: str | None) -> tuple[Any, str]:
        panel = drawn(strip, data, state, theme or "light")
        return panel.figure, panel.answer


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


def _register_words(binding: Binding, view_id: str) -> None:
    @binding.shows(
        Output(f"run-{view_id}-body", "children"),
        Output(f"run-{view_id}-answer", "children"),
        Output(f"run-{view_id}-section", "hidden"),
        Output(f"run-{view_id}-key", "data"),
        states=[State(f"run-{view_id}-key", "data")],
    )
    def show(data: RunData, state: RunState, shown: str) -> tuple[Any, ...]:
        view = words_of(data, view_id)
        if view is None:
            raise PreventUpdate
        key = view.key(data, state)
        in_place = view.grid is not None and view.grid.marks is not None
        if key == shown and not in_place:
            raise PreventUpdate
        made = view.make(data, state)
        said = answer_parts(view_id, made.answer)
        return no_update if key == shown else made.body, said, made.body is None, key


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
    if any(grid.marks for grid in grids):
        _register_marks(binding, view_id, grids[0])
    if any(grid.rows for grid in grids):
        _register_rows(binding, view_id, grid_id)


def _register_marks(binding: Binding, view_id: str, grid: Grid) -> None:
    """Mark what is selected in the grid as it stands: made anew, it would lose its place and send every row."""

    @binding.shows(*(Output(grid.id, prop) for prop in grid.marked))
    def marked(data: RunData, state: RunState) -> Any:
        view = words_of(data, view_id)
        if view is None or view.grid is None or view.grid.marks is None:
            raise PreventUpdate
        marks: Sequence[object] = view.grid.marks(data, state)
        return marks[0] if len(grid.marked) == 1 else tuple(marks)


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
