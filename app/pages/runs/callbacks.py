"""Callbacks of the list of runs: view state -> list, groups and scatter plot."""

from __future__ import annotations

from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, no_update

from app.context import AppContext
from app.pages.runs import against, baselines, controls, deletion, saved_views, selection, tagging
from app.pages.runs.controls import FACET, FACET_FOLD, FIND, searched_texts
from app.pages.runs.filters import chips, used_facets, useful_facets
from app.pages.runs.listed import (
    listed_groups,
    listed_records,
    next_page,
    page_after,
    select_all_words,
    shown_columns,
    shown_line,
)
from app.pages.runs.page import VIEW, body
from app.pages.runs.state import parse
from components.graph import summary_id
from components.runs.facets import facet_options
from components.runs.groups_grid import groups_records
from components.runs.runs_grid import choosable_columns, visible_columns
from components.runs.runs_scatter import hwid_looks, runs_scatter, scatter_hint, scatter_summary
from services.store.runs_list import MAX_POINTS, RunQueries
from storage.run_query import EVERY_RUN, RunFilter


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the list of runs and of its dialogs."""
    controls.register(app, context)
    _register_first_run(app, context)
    _register_listing(app, context)
    _register_next_page(app, context)
    _register_scatter(app, context)
    selection.register(app, context)
    deletion.register(app, context)
    tagging.register(app, context)
    saved_views.register(app, context, VIEW)
    against.register(app, context)
    baselines.register(app, context)


def _register_first_run(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("runs-body", "children"),
        Output("runs-empty", "data"),
        Input("runs-changed", "data"),
        State("runs-empty", "data"),
        State(VIEW, "data"),
        State(FACET, "id"),
        prevent_initial_call=True,
    )
    def switch(
        _changed: object, was_empty: bool, query: str, ids: list[dict[str, str]]
    ) -> tuple[Any, Any]:
        """Lay out the page again after the first run, or after the first value of a facet."""
        listing = context.runs.now()
        empty = not listing.counts(EVERY_RUN).totals.runs
        facets = {key["name"] for key in ids}
        if empty == was_empty and (empty or facets == {*used_facets(listing)}):
            return no_update, no_update
        return body(context, listing, parse(query or "")), empty


def _register_listing(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("runs-grid", "rowData"),
        Output(FACET, "options"),
        Output("runs-summary", "children"),
        Output("runs-chips", "children"),
        Output("runs-next", "data"),
        Output("runs-select-all", "children"),
        Output(FACET_FOLD, "hidden"),
        Input(VIEW, "data"),
        Input("runs-changed", "data"),
        State(FACET, "id"),
        State(FIND, "id"),
        State(FIND, "value"),
        prevent_initial_call=True,
    )
    def show(
        query: str, _changed: object, ids: list[Any], find_ids: list[Any], texts: list[Any]
    ) -> tuple[Any, ...]:
        state = parse(query or "")
        listing = context.runs.now()
        facets = listing.facets(state.fits, searched_texts(find_ids, texts))
        first = state.first_page
        options = [facet_options(facets[key["name"]].values) for key in ids]
        words = shown_line(listing, state), chips(state)
        rows = listed_records(context, listing, first)
        following = next_page(listing, first, state)
        useful = useful_facets(listing, state)
        hidden = [key["name"] not in useful for key in ids]
        return rows, options, *words, following, select_all_words(listing, state), hidden

    @app.callback(
        Output("runs-grid", "columnDefs"),
        Output("runs-columns", "options"),
        Output("runs-columns", "value"),
        Output("runs-groups-grid", "rowData"),
        Output("runs-list", "hidden"),
        Output("runs-groups", "hidden"),
        Output("runs-chooser", "hidden"),
        Output("runs-actions", "hidden"),
        Input(VIEW, "data"),
        Input("runs-changed", "data"),
        State("runs-grid", "columnDefs"),
        prevent_initial_call=True,
    )
    def arrange(query: str, _changed: object, now: list[dict[str, Any]]) -> tuple[Any, ...]:
        state = parse(query or "")
        listing = context.runs.now()
        columns = shown_columns(context, listing, state)
        groups = groups_records(listed_groups(listing, state)) if state.grouped else no_update
        same = visible_columns(columns) == visible_columns(now)
        hidden = state.grouped, not state.grouped, state.grouped, state.grouped
        return (
            no_update if same else columns,
            choosable_columns(columns),
            visible_columns(columns),
            groups,
            *hidden,
        )


def _register_next_page(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("runs-added", "data"),
        Input("runs-more", "data"),
        prevent_initial_call=True,
    )
    def more(asked: dict[str, Any] | None) -> Any:
        page = page_after(asked or {})
        if page is None:
            return no_update
        state, query = page
        listing = context.runs.now()
        following = next_page(listing, query, state)
        return {
            "query": state.query(),
            "rows": listed_records(context, listing, query),
            "next": following,
        }

    app.clientside_callback(
        ClientsideFunction("tilescope", "runsAdd"),
        Output("runs-grid", "rowTransaction"),
        Output("runs-next", "data", allow_duplicate=True),
        Input("runs-added", "data"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )


def _register_scatter(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("runs-scatter", "figure"),
        Output(summary_id("runs-scatter"), "children"),
        Output("runs-scatter-hint", "children"),
        Output("runs-scatter-panel", "hidden"),
        Input(VIEW, "data"),
        Input("theme", "data"),
        Input("runs-changed", "data"),
    )
    def draw(query: str, theme: str, _changed: object) -> tuple[Any, str, str, bool]:
        fits = parse(query or "").fits
        listing = context.runs.now()
        totals = listing.counts(fits).totals
        drawn = min(totals.drawable, MAX_POINTS)
        figure = _scatter(listing, fits, theme or "light")
        words = scatter_summary(drawn, totals.drawable, totals.runs, totals.fastest)
        return figure, words, scatter_hint(drawn, totals.drawable), not totals.drawable

    app.clientside_callback(
        ClientsideFunction("tilescope", "runsBox"),
        Output("runs-box", "data", allow_duplicate=True),
        Input("runs-scatter", "selectedData"),
        prevent_initial_call=True,
    )


def _scatter(listing: RunQueries, fits: RunFilter, theme: str) -> dict[str, Any]:
    """Draw the figure of the scatter plot as plain JSON types; it is drawn again only if its points
    or colours change.
    """
    points = listing.points(fits)
    hwids = tuple(listing.hwids())

    def draw() -> dict[str, Any]:
        return runs_scatter(points, hwid_looks(hwids), theme).to_plotly_json()

    return listing.find_drawing((points, hwids, theme), draw)
