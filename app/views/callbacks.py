"""Register the callbacks of all views of a page: drawing, clicks, zoom, keys, grids, links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic

from dash import ALL, ClientsideFunction, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from app.request.asked_pieces import find_known
from app.views import page_data
from app.views.binding import Binding
from app.views.drawing import Piece
from app.views.drawn_pieces import changes, draw_pieces
from app.views.shown import Shown
from app.views.state_drawing import StateDrawing
from app.views.view import ContentView, Grid, Plot
from components.tables import rows_response
from schema.digits import is_whole

_MAX_DIGITS = 15
"""Maximum digits of a row number; 15 digits are exact in JavaScript."""


@dataclass(frozen=True)
class ViewCallbacks(Generic[page_data.Data, page_data.State]):
    """The callbacks of every view of a page; `pieces` yields the pieces that are drawn."""

    binding: Binding[page_data.Data, page_data.State]
    pieces: Callable[[page_data.Data], Iterator[Piece[page_data.Data, page_data.State]]]

    def register(self) -> None:
        """Register the callbacks of the views, and the callback that draws all pieces of the page."""
        screen = self.binding.screen
        self._register_drawing()
        plots = {view.id: view for view in screen.views if isinstance(view, Plot)}
        # Several records may share an id, but an id can only have one callback.
        for view_id in plots:
            if any(
                isinstance(view, Plot) and view.id == view_id and view.on_click
                for view in screen.views
            ):
                self._register_click(view_id)
        self._register_zoom([*plots.values()])
        grids = {
            view.grid.id: view.id
            for view in screen.views
            if isinstance(view, ContentView) and view.grid
        }
        for grid_id, view_id in grids.items():
            self._register_grid(view_id, grid_id)
        self._register_links()
        self._register_fields()

    def _register_drawing(self) -> None:
        """Register the callback that draws all changed pieces in a single response.

        The browser sets the properties itself, because Dash drops the response of a callback if a
        later request overtook it, and does not do so for properties that the server sets. The
        browser also stores the state of the displayed page, because Dash may send the next request
        before it has handled this response. If the server asks for pieces, the response is their
        text (see `StateDrawing.to_text`), and the server puts the drawing together.
        """
        binding = self.binding
        screen = self.binding.screen

        @binding.app.callback(
            Output(screen.changes, "data"),
            Input(screen.view, "data"),
            Input("theme", "data"),
            State(screen.shown_store, "data"),
            State(screen.subject, "data"),
            running=[(Output(screen.progress, "hidden"), False, True)],
        )
        def draw(query: str | None, theme: str | None, shown: object, data_id: str) -> Any:
            state, version, data = binding.open_drawn(query, data_id)
            before = Shown.of(shown, version, theme)
            known = find_known()
            if known is not None:
                drawn = draw_pieces(self.pieces(data), data, state, before, known)
                return StateDrawing.of(version, drawn).to_text()
            changed, after = changes(self.pieces(data), data, state, before)
            same = not changed and after.to_store() == shown
            return no_update if same else {"changes": changed, "shown": after.to_store()}

        binding.app.clientside_callback(
            ClientsideFunction("tilescope", "change"),
            Output(screen.shown_store, "data"),
            Input(screen.changes, "data"),
            prevent_initial_call=True,
        )

    def _register_click(self, view_id: str) -> None:
        screen = self.binding.screen
        graph_id = screen.id(view_id)

        # `clickData` is reset after each click: without that, a second click on the same point is
        # not a change and does not reach the server.
        @self.binding.steps(Input(graph_id, "clickData"), outputs=[Output(graph_id, "clickData")])
        def click(
            state: page_data.State, data: page_data.Data, click: dict[str, Any] | None
        ) -> tuple[page_data.State, None]:
            # The record depends on the page data when several records share this id.
            view = screen.find_plot(data, view_id)
            if not click or view is None or view.on_click is None:
                raise PreventUpdate
            return view.on_click(state, data, click), None

    def _register_zoom(self, plots: list[Plot[page_data.Data, page_data.State]]) -> None:
        """Let the browser collect the zoomed ranges of all plots.

        The server then updates the view state.
        """
        screen = self.binding.screen
        zoomed = [(view.id, "relayoutData") for view in plots if view.zooms]
        zoomed += [(view.strip.id, "selectedData") for view in plots if view.strip]
        for view_id, prop in zoomed:
            self.binding.app.clientside_callback(
                ClientsideFunction("tilescope", "zoom"),
                Output(screen.zoom, "data", allow_duplicate=True),
                Input(screen.id(view_id), prop),
                prevent_initial_call=True,
            )

        @self.binding.steps(Input(screen.zoom, "data"))
        def follow(
            state: page_data.State, _data: page_data.Data, zoom: dict[str, Any] | None
        ) -> page_data.State:
            return screen.zoomed(state, zoom or {})

    def _register_grid(self, view_id: str, grid_id: str) -> None:
        screen = self.binding.screen

        def find_grid(data: page_data.Data) -> Grid[page_data.Data, page_data.State]:
            view = screen.find_content_view(data, view_id)
            if view is None or view.grid is None:
                raise PreventUpdate
            return view.grid

        @self.binding.steps(Input(grid_id, "cellClicked"))
        def choose(
            state: page_data.State, data: page_data.Data, cell: dict[str, Any] | None
        ) -> page_data.State:
            on_cell = find_grid(data).on_cell
            fields = cell if isinstance(cell, dict) else {}
            # The browser sends the id, so it may be any text.
            row = str(fields.get("rowId", ""))
            if on_cell is None or not is_whole(row, _MAX_DIGITS):
                raise PreventUpdate
            return on_cell(state, data, int(row), str(fields.get("colId", "")))

        grids = [view.grid for view in screen.views if isinstance(view, ContentView) and view.grid]
        if any(grid.rows for grid in grids if grid.id == grid_id):
            self._register_rows(view_id, grid_id)

    def _register_rows(self, view_id: str, grid_id: str) -> None:
        binding = self.binding
        screen = self.binding.screen

        @binding.app.callback(
            Output(grid_id, "getRowsResponse"),
            Input(grid_id, "getRowsRequest"),
            State(screen.view, "data"),
            State(screen.subject, "data"),
            prevent_initial_call=True,
        )
        def block(request: dict[str, Any] | None, query: str, data_id: str) -> Any:
            state, data = binding.open_page(query, data_id)
            view = screen.find_content_view(data, view_id)
            if not request or view is None or view.grid is None or view.grid.rows is None:
                return no_update
            return rows_response(view.grid.rows(data, state), request)

    def _register_links(self) -> None:
        """Register a callback for all links inside views, which change the view state."""
        links = {link.type: link for link in self.binding.screen.links()}
        if not links:
            return

        @self.binding.steps(
            *(
                Input({"type": link.type, **dict.fromkeys(link.keys, ALL)}, "n_clicks")
                for link in links.values()
            )
        )
        def follow_link(
            state: page_data.State, data: page_data.Data, *_clicks: list[int | None]
        ) -> page_data.State:
            named = ctx.triggered_id
            # Dash also calls this when links are created by a drawing. Their `n_clicks` is empty,
            # so an event without a value is not a click.
            if not isinstance(named, dict) or not ctx.triggered[0]["value"]:
                raise PreventUpdate
            return links[named["type"]].step(state, data, named)

    def _register_fields(self) -> None:
        """Let the browser set fields and selectors to the values of the view state, without a
        request.
        """
        self.binding.app.clientside_callback(
            ClientsideFunction("tilescope", "findings"),
            Output(self.binding.screen.key, "modified_timestamp"),
            Input(self.binding.screen.view, "data"),
            prevent_initial_call=True,
        )
