"""Layout of the list of runs: facets, the grid of runs, the scatter plot of GMAC/s over size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages import history
from app.pages.page import PageRequest
from app.pages.runs.against import with_cells
from app.pages.runs.baselines import baseline_dialog
from app.pages.runs.deletion import delete_dialog
from app.pages.runs.saved_views import views_menu
from app.pages.runs.state import CAPTURE, RunsState, parse
from app.pages.runs.tagging import tag_dialog
from app.request.user import may
from components.aria import aria
from components.graph import empty_figure, graph
from components.numbers import count_text, gmacs, integer, tame
from components.rounding import THIN
from components.runs.facets import capture_fields, facet, facet_label
from components.runs.groups_grid import groups_grid, groups_line
from components.runs.list_address import list_address
from components.runs.runs_grid import (
    choosable_columns,
    column_defs,
    runs_grid,
    runs_records,
    visible_columns,
)
from components.runs.runs_scatter import scatter_hint
from schema.roles import Role
from services.comparison.data import MAX_SIDE_BY_SIDE
from services.lab.matrix_page import MAX_RUNS
from services.store.runs_list import MAX_SELECTED_RUNS, RunQueries
from storage.annotations import Annotations
from storage.run_counts import Totals
from storage.run_list import GROUP
from storage.run_query import EVERY_RUN, FACETS, PagePosition, RunQuery
from storage.stored_run import StoredRun

VIEW = "runs-view"
EDITORS = ("runs-delete", "runs-tag")
"""Buttons for editors that need a selected run."""
_CAPTURE_WORDS = {"commit": "commit", "since": "captured from", "until": "captured to"}
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"))


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


def summary(every: int, totals: Totals) -> str:
    """Summarise the list in a line: listed runs of `every` (all), hwids, and the best rate (GMAC/s)
    of a run that stays below its peak, if there is any.
    """
    total = f" of {integer(every)}" if totals.runs < every else ""
    # A store of which no run has a hwid would have "0 hwids".
    hwids = [count_text(totals.hwids, "hwid")] if totals.hwids else []
    parts = [f"{integer(totals.runs)}{total} run{'s' if every != 1 else ''}", *hwids]
    return " · ".join(
        parts if totals.best is None else [*parts, f"best {gmacs(totals.best)} GMAC/s"]
    )


def listed_groups(listing: RunQueries, state: RunsState) -> list[dict[str, Any]]:
    """Return the groups of the listed runs, a dict each, with the address of the group's runs as
    `href`; empty unless the list is grouped.
    """
    if not state.grouped:
        return []
    return [group | {"href": _group_href(group, state)} for group in listing.groups(state.fits)[0]]


def _group_href(group: Mapping[str, object], state: RunsState) -> str:
    own = {key: (str(group[key]),) for key in GROUP}
    return list_address(replace(state, **own, grouped=False).query())  # type: ignore[arg-type]


def shown_line(listing: RunQueries, state: RunsState) -> str:
    """Summarise the list in a line: runs (see `summary`), or groups of runs if it is grouped."""
    totals = listing.counts(state.fits).totals
    if not state.grouped:
        return summary(listing.counts(EVERY_RUN).totals.runs, totals)
    groups, count = listing.groups(state.fits)
    return groups_line(count, totals.runs, totals.sized, len(groups))


def shown_columns(
    context: AppContext, listing: RunQueries, state: RunsState
) -> list[dict[str, Any]]:
    """Return the columns of the grid as definitions of AG Grid, those without values hidden."""
    totals = listing.counts(state.fits).totals
    valued = totals.valued if totals.runs else None
    return column_defs(
        state.sort, valued, state.columns, against=context.baseline_statuses.has_baselines(listing)
    )


def listed_records(
    context: AppContext, listing: RunQueries, query: RunQuery
) -> list[dict[str, Any]]:
    """Return the grid's records for a page of runs, in its order, with the verdicts that are
    stored.
    """
    page = listing.page(query)
    records = listing.once(("records", query), lambda: _records(context, page.runs))
    return with_cells(
        records, context.baseline_statuses.known(listing, [stored.run_id for stored in page.runs])
    )


def _records(context: AppContext, runs: Sequence[StoredRun]) -> list[dict[str, Any]]:
    """Return the grid's records of runs with their annotations, in their order."""
    added = Annotations(context.repository.catalogue).of(runs)
    return runs_records((run.record() for run in runs), [added[run.run_id] for run in runs])


def next_page(listing: RunQueries, query: RunQuery, state: RunsState) -> dict[str, Any] | None:
    """Return the request (`query`, `after`, `most`) that the browser sends for the next page, None
    after the last page.

    `most` is the number of runs that can be selected.
    """
    last = listing.page(query).last
    most = min(listing.counts(state.fits).totals.runs, MAX_SELECTED_RUNS)
    return {"query": state.query(), "after": list(astuple(last)), "most": most} if last else None


def select_all_words(listing: RunQueries, state: RunsState) -> str:
    """Return the label of the button that selects all listed runs, or the first MAX_SELECTED_RUNS
    (1,000) if there are more.
    """
    runs = listing.counts(state.fits).totals.runs
    if runs > MAX_SELECTED_RUNS:
        return f"Select the first {integer(MAX_SELECTED_RUNS)}"
    return f"Select all {integer(runs)}" if runs > 1 else f"Select {count_text(runs, 'run')}"


def page_after(asked: Mapping[str, Any]) -> tuple[RunsState, RunQuery] | None:
    """Parse a request made by `next_page` to (state, query), None if it is malformed."""
    match asked:
        # The value of the sorted column may be missing, a text or a number.
        case {
            "query": str(query),
            "after": [None | str() | int() | float() as value, str(date), str(run_id)],
        }:
            state = parse(query)
            return state, replace(state.first_page, after=PagePosition(value, date, run_id))
    return None


def chips(state: RunsState) -> list[Component]:
    """Lay out the active filters, each as a button that clears it; empty without filters."""
    texts = [
        (
            facet,
            tame(
                f"{facet_label(facet)} {' or '.join(v or 'not known' for v in state.chosen_values(facet))}"
            ),
        )
        for facet in FACETS
    ]
    named = [(name, text) for name, text in texts if state.chosen_values(name)]
    named += [
        (name, tame(f"{_CAPTURE_WORDS[name]} {text}"))
        for name in CAPTURE
        if (text := getattr(state, name))
    ]
    named += [("q", f"“{tame(state.q)}”")] if state.q else []
    named += [("box", _box_words(state))] if state.size or state.rate else []
    return [
        html.Button(
            [text, html.Span("×", **aria(hidden="true"))],
            id={"type": "runs-chip", "name": name},
            className="ts-chip",
            title="Clear this filter",
        )
        for name, text in named
    ]


def _box(state: RunsState) -> dict[str, object]:
    return {"size": state.size, "rate": state.rate}


def _box_words(state: RunsState) -> str:
    spans = (("M×K×N", state.size), ("GMAC/s", state.rate))
    return ", ".join(f"{label} {_span(*span)}" for label, span in spans if span)


def _span(low: float, high: float) -> str:
    return f"{_short(low)} – {_short(high)}"


def _short(value: float) -> str:
    """Format three significant digits and the SI prefix M, G or T, such as `33.6 M`; without a
    prefix below a million.
    """
    scale, prefix = next(((s, p) for s, p in _PREFIXES if abs(value) >= s), (1.0, ""))
    return f"{gmacs(value / scale)}{prefix and THIN + prefix}"


def _catalogue(context: AppContext, listing: RunQueries, state: RunsState) -> list[Component]:
    return [
        html.A(
            "Skip to the list",
            href="#runs-list",
            id="runs-skip",
            className="visually-hidden-focusable ts-skip",
        ),
        _facets(listing, state),
        html.Section(_listing(context, listing, state), className="ts-runs-main"),
    ]


def _facets(listing: RunQueries, state: RunsState) -> html.Aside:
    """Return the column of filters of the list of runs, cached until a run changes; the components
    are never modified.
    """
    captures = tuple(getattr(state, name) for name in CAPTURE)
    return listing.once(("facets", state.fits, captures), lambda: _lay_out_facets(listing, state))


def _lay_out_facets(listing: RunQueries, state: RunsState) -> html.Aside:
    facets = listing.facets(state.fits)
    shown = [
        facet(
            "runs",
            name,
            facet_label(name),
            values.values,
            state.chosen_values(name),
            searched=values.known if values.partial else None,
        )
        for name in used_facets(listing)
        for values in [facets[name]]
    ]
    fold = html.Button(
        "Filters",
        id="runs-facets-fold",
        className="ts-button ts-facets-fold",
        **aria(controls="runs-facets"),
    )
    captures = capture_fields("runs", {name: getattr(state, name) for name in CAPTURE})
    return html.Aside(
        [fold, html.Div([*shown, captures], id="runs-facets", className="ts-facets")],
        className="ts-filters",
        **aria(label="Filters"),
    )


def used_facets(listing: RunQueries) -> list[str]:
    """Return the names of the facets that have a value other than "" in any run."""
    return [
        name
        for name, values in listing.facets(EVERY_RUN).items()
        if any(value for value, _ in values.values)
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
                _view_controls(context, columns, state),
                _actions(select_all_words(listing, state), hidden=state.grouped),
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


def _view_controls(
    context: AppContext, columns: Sequence[Mapping[str, Any]], state: RunsState
) -> html.Div:
    """Lay out the controls of the list: groups, saved filters, columns."""
    boxes = dbc.Checklist(
        id="runs-columns",
        options=choosable_columns(columns),
        value=visible_columns(columns),
        className="ts-columns",
    )
    default = html.Button("Default columns", id="runs-columns-default", className="ts-button")
    group = dbc.Checklist(
        id="runs-group",
        options=[{"label": "Group by hwid and size", "value": "on"}],
        value=["on"] if state.grouped else [],
        switch=True,
    )
    chooser = html.Details(
        [
            html.Summary("Columns", className="ts-button"),
            html.Div([boxes, default], className="ts-popup"),
        ],
        className="ts-chooser",
        id="runs-chooser",
        hidden=state.grouped,
    )
    return html.Div([group, views_menu(context), chooser], className="ts-actions ts-view-controls")


def _actions(every: str, *, hidden: bool) -> html.Div:
    """Lay out the actions for selected runs, disabled; `assets/runs.js` enables them and counts the
    runs. `every` is the label of the button for all.
    """
    return html.Div(
        [
            html.Button(every, id="runs-select-all", className="ts-button", hidden=True),
            html.Button(
                "Clear",
                id="runs-select-none",
                className="ts-button",
                hidden=True,
                title="Select none",
            ),
            html.Span("none selected", id="runs-selected", className="ts-muted"),
            html.Button("Open", id="runs-open", className="ts-button", disabled=True),
            html.Button(
                "Compare",
                id="runs-compare",
                className="ts-button",
                disabled=True,
                title=f"Compare 2 to {MAX_SIDE_BY_SIDE} selected runs; the one selected first is the base",
                **_max_runs(MAX_SIDE_BY_SIDE),
            ),
            html.Button(
                "Allocators",
                id="runs-matrix",
                className="ts-button",
                disabled=True,
                title=f"Placements by every allocator of up to {MAX_RUNS} selected runs with a memory map",
                **_max_runs(MAX_RUNS),
            ),
            html.A("Snapshot", id="runs-snapshot", className="ts-button ts-disabled"),
            *(_changes() if may(Role.EDITOR) else []),
        ],
        className="ts-actions",
        id="runs-actions",
        hidden=hidden,
    )


def _max_runs(count: int) -> dict[str, Any]:
    """Return the attribute from which `assets/runs.js` reads the maximum number of selected runs
    for the action of a button.
    """
    return {"data-max-runs": str(count)}


def _changes() -> list[Component]:
    """Lay out the buttons of editors for the selected runs: tags, baseline, deletion."""
    return [
        html.Button(
            "Tag",
            id="runs-tag",
            className="ts-button",
            disabled=True,
            title="Add tags to the selected runs",
        ),
        html.Button(
            "Baseline",
            id="runs-baseline",
            className="ts-button",
            title="Set the runs that other runs are compared with",
        ),
        html.Button("Delete", id="runs-delete", className="ts-button ts-danger", disabled=True),
    ]


def _first_run() -> html.Section:
    """Lay out that there are no runs, with a link to the page that shows how to begin."""
    return html.Section(
        [html.H2("No runs yet"), html.P(dcc.Link("Load samples or your own files", href="/"))],
        className="ts-panel ts-empty",
    )
