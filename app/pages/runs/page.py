"""Layout of the list of runs: facets, the grid of runs, the scatter plot of GMAC/s over size."""

from __future__ import annotations

from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages import history
from app.pages.page import PageRequest
from app.pages.runs.actions import selection_actions, view_controls
from app.pages.runs.baselines import baseline_dialog
from app.pages.runs.deletion import delete_dialog
from app.pages.runs.filters import chips, filter_column
from app.pages.runs.listed import (
    listed_groups,
    listed_records,
    next_page,
    select_all_words,
    shown_columns,
    shown_line,
)
from app.pages.runs.state import RunsState, parse
from app.pages.runs.tagging import tag_dialog
from app.request.user import may
from components.aria import aria
from components.graph import empty_figure, graph
from components.runs.groups_grid import groups_grid
from components.runs.runs_grid import runs_grid
from components.runs.runs_scatter import scatter_hint
from schema.roles import Role
from services.store.runs_list import RunQueries
from storage.run_query import EVERY_RUN

VIEW = "runs-view"


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out the page with the list of runs for a request; the plot follows when the theme is
    known.
    """
    state = parse(request.query)
    listing = context.runs.now()
    empty = not listing.counts(EVERY_RUN).totals.runs
    return html.Div(
        [
            *history.stores(VIEW, state.query()),
            dcc.Store(id="runs-q", data=state.q),
            dcc.Store(id="runs-sort", data=state.sort),
            dcc.Store(id="runs-box", data=_box(state)),
            dcc.Store(id="runs-chosen-columns", data=list(state.columns)),
            dcc.Store(id="runs-changed"),
            dcc.Store(id="runs-more"),
            dcc.Store(id="runs-added"),
            html.H1("Runs", className="visually-hidden"),
            dcc.Store(id="runs-empty", data=empty),
            html.Div(body(context, listing, state), id="runs-body", className="ts-runs"),
            # The callbacks check the role again, because a browser can send any request.
            *([delete_dialog(), baseline_dialog(), tag_dialog()] if may(Role.EDITOR) else []),
        ]
    )


def body(context: AppContext, listing: RunQueries, state: RunsState) -> list[Component]:
    """Lay out facets, grid and scatter plot; if the store has no runs, a link to the page that
    shows how to begin.
    """
    return (
        _catalogue(context, listing, state)
        if listing.counts(EVERY_RUN).totals.runs
        else [_first_run()]
    )


def _box(state: RunsState) -> dict[str, object]:
    return {"size": state.size, "rate": state.rate}


def _catalogue(context: AppContext, listing: RunQueries, state: RunsState) -> list[Component]:
    return [
        html.A(
            "Skip to the list",
            href="#runs-list",
            id="runs-skip",
            className="visually-hidden-focusable ts-skip",
        ),
        filter_column(listing, state),
        html.Section(_listing(context, listing, state), className="ts-runs-main"),
    ]


def _listing(context: AppContext, listing: RunQueries, state: RunsState) -> list[Component]:
    columns = shown_columns(context, listing, state)
    first = state.first_page
    grid = runs_grid("runs-grid", listed_records(context, listing, first), columns)
    return [
        dcc.Store(id="runs-picked", data={}),
        dcc.Store(id="runs-listed"),
        dcc.Store(id="runs-against-asked"),
        dcc.Store(id="runs-against-told"),
        dcc.Store(id="runs-next", data=next_page(listing, first, state)),
        html.Div(
            [
                html.Div(
                    shown_line(listing, state),
                    id="runs-summary",
                    className="ts-summary",
                    **aria(live="polite"),
                ),
                html.Div(chips(state), id="runs-chips", className="ts-chips"),
                view_controls(context, columns, state),
                selection_actions(select_all_words(listing, state), hidden=state.grouped),
            ],
            className="ts-panel-bar",
        ),
        html.Div(
            grid, id="runs-list", className="ts-panel ts-runs-grid-panel", hidden=state.grouped
        ),
        html.Div(
            groups_grid("runs-groups-grid", listed_groups(listing, state)),
            id="runs-groups",
            className="ts-panel ts-runs-grid-panel",
            hidden=not state.grouped,
        ),
        html.Div(
            [
                html.H2("GMAC/s over GEMM size", className="ts-panel-title"),
                html.P(scatter_hint(0, 0), id="runs-scatter-hint", className="ts-panel-hint"),
                graph("runs-scatter", empty_figure("", "light"), ""),
            ],
            id="runs-scatter-panel",
            className="ts-panel ts-runs-scatter-panel",
            hidden=not listing.counts(state.fits).totals.drawable,
        ),
    ]


def _first_run() -> html.Section:
    """Lay out that there are no runs, with a link to the page that shows how to begin."""
    return html.Section(
        [html.H2("No runs yet"), html.P(dcc.Link("Load samples or your own files", href="/"))],
        className="ts-panel ts-empty",
    )
