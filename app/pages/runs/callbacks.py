"""The callbacks of the runs page: controls -> view state -> what is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dash import ALL, MATCH, ClientsideFunction, Dash, Input, Output, State, ctx, html, no_update

from app.context import AppContext
from app.pages.runs.filter import facet_counts, gemm_size, matching
from app.pages.runs.page import VIEW, body, chips, listed_groups, shown_line
from app.pages.runs.state import Range, make, parse
from components.graph import summary_id
from components.numbers import counted
from components.runs.facets import facet_id, facet_options, fold_id, more_id
from components.runs.groups_grid import groups_records
from components.runs.runs_grid import column_defs, runs_records, visible_columns
from components.runs.runs_scatter import drawable, hwid_looks, runs_scatter, scatter_summary
from storage.errors import RunNotFound

_FACET = {"type": "runs-facet", "name": ALL}


def register(app: Dash, context: AppContext) -> None:
    """Add the page's callbacks."""
    _register_controls(app)
    _register_first_run(app, context)
    _register_listing(app, context)
    _register_scatter(app, context)
    _register_delete(app, context)
    _register_browser(app)


def _register_controls(app: Dash) -> None:
    @app.callback(
        Output(VIEW, "data"),
        Input(_FACET, "value"),
        Input("runs-q", "data"),
        Input("runs-sort", "data"),
        Input("runs-box", "data"),
        Input("runs-chosen-columns", "data"),
        Input("runs-group", "value"),
        State(_FACET, "id"),
        prevent_initial_call=True,
    )
    def remember(chosen: list[list[str]], q: str, sort: str, box: dict[str, Any], *view: Any) -> str:
        columns, group, ids = view
        facets = {key["name"]: values or [] for key, values in zip(ids, chosen, strict=True)}
        state = make(facets, q or "", sort or "", **_spans(box), columns=columns or (), grouped=bool(group))
        return state.query()

    @app.callback(
        Output(_FACET, "value"),
        Output("runs-q", "data"),
        Output("runs-sort", "data"),
        Output("runs-box", "data"),
        Output("runs-chosen-columns", "data"),
        Output("runs-group", "value"),
        Input(f"{VIEW}-from-url", "data"),
        prevent_initial_call=True,
    )
    def follow(query: str) -> tuple[Any, ...]:
        state = parse(query or "")
        chosen = [list(state.chosen(output["id"]["name"])) for output in ctx.outputs_list[0]]
        box = {"size": state.size, "rate": state.rate}
        return chosen, state.q, state.sort, box, list(state.columns), ["on"] if state.grouped else []

    @app.callback(
        Output("runs-chosen-columns", "data", allow_duplicate=True),
        Input("runs-columns", "value"),
        Input("runs-columns-default", "n_clicks"),
        State("runs-grid", "columnDefs"),
        prevent_initial_call=True,
    )
    def choose(chosen: list[str], _clicks: int | None, columns: list[dict[str, Any]]) -> Any:
        if ctx.triggered_id == "runs-columns-default":
            return []
        # What the boxes were set to for the columns that are shown is nobody's choice.
        return no_update if set(chosen) == set(visible_columns(columns)) else chosen


def _spans(box: dict[str, Any] | None) -> dict[str, Range | None]:
    """Return the ranges of a box, as JSON brought them."""
    spans = {name: (box or {}).get(name) for name in ("size", "rate")}
    return {name: (float(span[0]), float(span[1])) if span else None for name, span in spans.items()}


def _register_first_run(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("runs-body", "children"),
        Output("runs-empty", "data"),
        Input("runs-changed", "data"),
        State("runs-empty", "data"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def switch(_changed: object, was_empty: bool, query: str) -> tuple[Any, Any]:
        runs = context.repository.runs()
        if runs.empty == was_empty:
            return no_update, no_update
        return body(runs, parse(query or "")), runs.empty


def _register_listing(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("runs-grid", "rowData"),
        Output(_FACET, "options"),
        Output("runs-summary", "children"),
        Output("runs-chips", "children"),
        Input(VIEW, "data"),
        Input("runs-changed", "data"),
        State(_FACET, "id"),
        prevent_initial_call=True,
    )
    def show(query: str, _changed: object, ids: list[dict[str, str]]) -> tuple[Any, ...]:
        state = parse(query or "")
        runs = context.repository.runs()
        counts = facet_counts(runs, state)
        shown = matching(runs, state)
        options = [facet_options(counts[key["name"]]) for key in ids]
        return runs_records(shown), options, shown_line(runs, shown, state), chips(state)

    @app.callback(
        Output("runs-grid", "columnDefs"),
        Output("runs-columns", "value"),
        Output("runs-groups-grid", "rowData"),
        Output("runs-list", "hidden"),
        Output("runs-groups", "hidden"),
        Output("runs-chooser", "hidden"),
        Input(VIEW, "data"),
        Input("runs-changed", "data"),
        State("runs-grid", "columnDefs"),
        prevent_initial_call=True,
    )
    def arrange(query: str, _changed: object, now: list[dict[str, Any]]) -> tuple[Any, ...]:
        state = parse(query or "")
        shown = matching(context.repository.runs(), state)
        columns = column_defs(state.sort, shown, state.columns)
        groups = groups_records(listed_groups(shown, state)) if state.grouped else no_update
        same = visible_columns(columns) == visible_columns(now)
        hidden = state.grouped, not state.grouped, state.grouped
        return no_update if same else columns, visible_columns(columns), groups, *hidden


def _register_scatter(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("runs-scatter", "figure"),
        Output(summary_id("runs-scatter"), "children"),
        Output("runs-scatter-panel", "hidden"),
        Input(VIEW, "data"),
        Input("theme", "data"),
        Input("runs-changed", "data"),
    )
    def draw(query: str, theme: str, _changed: object) -> tuple[Any, str, bool]:
        runs = context.repository.runs()
        shown = matching(runs, parse(query or ""))
        size = gemm_size(shown)
        looks = hwid_looks(runs.sort_values("created_at", kind="stable")["hwid"].fillna(""))
        figure = runs_scatter(shown, size, looks, theme or "light")
        return figure, scatter_summary(shown, size), not drawable(shown, size)


def _register_delete(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("runs-delete-dialog", "is_open"),
        Output("runs-delete-question", "children"),
        Input("runs-delete", "n_clicks"),
        State("runs-grid", "selectedRows"),
        prevent_initial_call=True,
    )
    def ask(clicks: int | None, rows: list[dict[str, Any]] | None) -> tuple[Any, Any]:
        if not clicks or not rows:
            return no_update, no_update
        names = html.Ul([html.Li(row["name"], className="ts-mono") for row in rows[:10]])
        more = [html.P(f"and {len(rows) - 10} more")] if len(rows) > 10 else []
        it = "it" if len(rows) == 1 else "them"
        question = f"Delete {counted(len(rows), 'run')} and all that was derived from {it}?"
        return True, [html.P(question), names, *more, html.P("The source files are kept.")]

    @app.callback(
        Output("runs-delete-dialog", "is_open", allow_duplicate=True),
        Output("runs-changed", "data"),
        Output("runs-grid", "selectedRows"),
        Input("runs-delete-confirm", "n_clicks"),
        Input("runs-delete-cancel", "n_clicks"),
        State("runs-grid", "selectedRows"),
        prevent_initial_call=True,
    )
    def delete(confirmed: int | None, _cancelled: int | None, rows: list[dict[str, Any]] | None) -> tuple[Any, ...]:
        if ctx.triggered_id != "runs-delete-confirm" or not confirmed:
            return False, no_update, no_update
        for row in rows or []:
            _delete(context, str(row["run_id"]))
        return False, confirmed, []


def _delete(context: AppContext, run_id: str) -> None:
    try:
        context.repository.delete(run_id)
    except RunNotFound:
        return  # somebody else was quicker


def _register_browser(app: Dash) -> None:
    """Wire what needs no server: the selection's buttons, box and click of the scatter, chips, the search field."""
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsSelected"),
        Output("runs-selected", "children"),
        Output("runs-open", "disabled"),
        Output("runs-delete", "disabled"),
        Output("runs-snapshot", "href"),
        Output("runs-snapshot", "className"),
        Input("runs-grid", "selectedRows"),
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsOpen"),
        Output("runs-open", "title"),
        Input("runs-open", "n_clicks"),
        Input("runs-scatter", "clickData"),
        State("runs-grid", "selectedRows"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsBox"),
        Output("runs-box", "data", allow_duplicate=True),
        Input("runs-scatter", "selectedData"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsClear"),
        Output(_FACET, "value", allow_duplicate=True),
        Output("runs-q", "data", allow_duplicate=True),
        Output("runs-box", "data", allow_duplicate=True),
        Input({"type": "runs-chip", "name": ALL}, "n_clicks"),
        State(_FACET, "id"),
        State(_FACET, "value"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsShowControls"),
        Output("search", "value"),
        Input("runs-q", "data"),
        Input("runs-sort", "data"),
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsFold"),
        Output(_of_each(more_id), "children"),
        Output(_of_each(more_id), "hidden"),
        Output(_of_each(fold_id), "className"),
        Input(_of_each(facet_id), "options"),
        Input(_of_each(facet_id), "value"),
        Input(_of_each(more_id), "n_clicks"),
    )


def _of_each(id_of: Callable[[str, str], dict[str, str]]) -> dict[str, Any]:
    """Return the pattern that the id of one facet's part matches."""
    return id_of("runs", "") | {"name": MATCH}
