"""The callbacks of the runs page: controls -> view state -> what is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dash import ALL, MATCH, ClientsideFunction, Dash, Input, Output, State, ctx, no_update

from app.context import AppContext
from app.pages.runs import against, baselines, deletion, saved_views, tagging
from app.pages.runs.page import (
    EDITORS,
    VIEW,
    body,
    chips,
    listed_groups,
    listed_records,
    next_page,
    page_after,
    select_all_words,
    shown_columns,
    shown_line,
    used_facets,
)
from app.pages.runs.state import make, parse
from components.graph import summary_id
from components.runs.facets import facet_id, facet_options, fold_id, more_id
from components.runs.groups_grid import groups_records
from components.runs.runs_grid import choosable_columns, visible_columns
from components.runs.runs_scatter import hwid_looks, runs_scatter, scatter_hint, scatter_summary
from services.runs_list import MOST_POINTS, RunsAnswers
from storage.run_query import EVERY_RUN, Range, RunFilter

_FACET = {"type": "runs-facet", "name": ALL}
_FIND = {"type": "runs-facet-find", "name": ALL}
_LONGEST = 200
"""Characters of a search that are looked for."""


def register(app: Dash, context: AppContext) -> None:
    """Add the page's callbacks."""
    _register_controls(app)
    _register_first_run(app, context)
    _register_listing(app, context)
    _register_facet_search(app, context)
    _register_next_page(app, context)
    _register_scatter(app, context)
    _register_selection(app, context)
    deletion.register(app, context)
    tagging.register(app, context)
    saved_views.register(app, context, VIEW)
    against.register(app, context)
    baselines.register(app, context)
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
        State(_FACET, "id"),
        prevent_initial_call=True,
    )
    def switch(_changed: object, was_empty: bool, query: str, ids: list[dict[str, str]]) -> tuple[Any, Any]:
        """Lay out the page anew where the first run came, or the first tag."""
        answers = context.runs.now()
        empty = not answers.counts(EVERY_RUN).totals.runs
        facets = {key["name"] for key in ids}
        if empty == was_empty and (empty or facets == {*used_facets(answers)}):
            return no_update, no_update
        return body(context, answers, parse(query or "")), empty


def _register_listing(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("runs-grid", "rowData"),
        Output(_FACET, "options"),
        Output("runs-summary", "children"),
        Output("runs-chips", "children"),
        Output("runs-next", "data"),
        Output("runs-select-all", "children"),
        Input(VIEW, "data"),
        Input("runs-changed", "data"),
        State(_FACET, "id"),
        State(_FIND, "id"),
        State(_FIND, "value"),
        prevent_initial_call=True,
    )
    def show(query: str, _changed: object, ids: list[Any], find_ids: list[Any], texts: list[Any]) -> tuple[Any, ...]:
        state = parse(query or "")
        answers = context.runs.now()
        facets = answers.facets(state.fits, _searched(find_ids, texts))
        first = state.first_page
        options = [facet_options(facets[key["name"]].values) for key in ids]
        words = shown_line(answers, state), chips(state)
        rows, following = listed_records(context, answers, first), next_page(answers, first, state)
        return rows, options, *words, following, select_all_words(answers, state)

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
        answers = context.runs.now()
        columns = shown_columns(context, answers, state)
        groups = groups_records(listed_groups(answers, state)) if state.grouped else no_update
        same = visible_columns(columns) == visible_columns(now)
        hidden = state.grouped, not state.grouped, state.grouped, state.grouped
        return no_update if same else columns, choosable_columns(columns), visible_columns(columns), groups, *hidden


def _searched(ids: list[dict[str, str]], texts: list[str | None]) -> dict[str, str]:
    """Return facet -> the text that its values are searched for."""
    return {key["name"]: str(text)[:_LONGEST] for key, text in zip(ids, texts, strict=True) if text}


def _register_facet_search(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output(_FACET, "options", allow_duplicate=True),
        Input(_FIND, "value"),
        State(_FIND, "id"),
        State(_FACET, "id"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def find(texts: list[str | None], find_ids: list[Any], ids: list[dict[str, str]], query: str) -> list[Any]:
        facets = context.runs.now().facets(parse(query or "").fits, _searched(find_ids, texts))
        asked = {key["name"] for key in find_ids}
        return [facet_options(facets[key["name"]].values) if key["name"] in asked else no_update for key in ids]


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
        answers = context.runs.now()
        following = next_page(answers, query, state)
        return {"query": state.query(), "rows": listed_records(context, answers, query), "next": following}

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
        answers = context.runs.now()
        totals = answers.counts(fits).totals
        drawn = min(totals.drawable, MOST_POINTS)
        figure = answers.once(("scatter", fits, theme), lambda: _scatter(answers, fits, theme or "light"))
        words = scatter_summary(drawn, totals.drawable, totals.runs, totals.fastest)
        return figure, words, scatter_hint(drawn, totals.drawable), not totals.drawable


def _scatter(answers: RunsAnswers, fits: RunFilter, theme: str) -> dict[str, Any]:
    """Return the figure as it is sent, so that it is made once."""
    figure = runs_scatter(answers.points(fits), hwid_looks(answers.hwids()), theme)
    made: dict[str, Any] = figure.to_plotly_json()
    return made


def _register_selection(app: Dash, context: AppContext) -> None:
    """Wire what is selected: run id -> name of each, whether or not its page of the list is there."""

    @app.callback(
        Output("runs-picked", "data"),
        Input("runs-select-all", "n_clicks"),
        Input("runs-select-none", "n_clicks"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def select(_all: int | None, _none: int | None, query: str) -> dict[str, str]:
        if ctx.triggered_id == "runs-select-none":
            return {}
        return context.runs.now().names(parse(query or "").first_page)

    app.clientside_callback(
        ClientsideFunction("tilescope", "runsSelected"),
        Output("runs-selected", "children"),
        Output("runs-open", "disabled"),
        Output("runs-compare", "disabled"),
        Output("runs-snapshot", "href"),
        Output("runs-snapshot", "className"),
        Output("runs-select-none", "hidden"),
        Output("runs-select-all", "hidden"),
        Input("runs-picked", "data"),
        Input("runs-next", "data"),
    )
    for button in EDITORS:
        app.clientside_callback(
            ClientsideFunction("tilescope", "runsNoneSelected"),
            Output(button, "disabled"),
            Input("runs-picked", "data"),
        )


def _register_browser(app: Dash) -> None:
    """Wire what needs no server: opening, box and click of the scatter, chips, the search field."""
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsOpen"),
        Output("runs-open", "title"),
        Input("runs-open", "n_clicks"),
        Input("runs-scatter", "clickData"),
        State("runs-picked", "data"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsCompare"),
        Output("runs-compare", "value"),
        Input("runs-compare", "n_clicks"),
        State("runs-picked", "data"),
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
