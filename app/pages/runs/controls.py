"""Controls of the list of runs: facets, search, order, columns and groups -> view state, and back
from an address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dash import ALL, MATCH, ClientsideFunction, Dash, Input, Output, State, ctx, no_update

from app.context import AppContext
from app.pages.runs.page import VIEW
from app.pages.runs.state import make, parse
from components.runs.facets import facet_id, facet_options, fold_id, more_id
from components.runs.runs_grid import visible_columns
from storage.run_query import Range

FACET = {"type": "runs-facet", "name": ALL}
FACET_FOLD = {"type": "runs-facet-fold", "name": ALL}
CAPTURE_FIELD = {"type": "runs-capture", "name": ALL}
FIND = {"type": "runs-facet-find", "name": ALL}
_MAX_LENGTH = 200
"""Maximum characters of a search."""


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the controls of the list of runs: state, search in facets, browser."""
    _register_state(app)
    _register_address(app)
    _register_columns(app)
    _register_facet_search(app, context)
    _register_browser(app)


def _register_state(app: Dash) -> None:
    """Write the values of all controls to the view state."""

    @app.callback(
        Output(VIEW, "data"),
        Input(FACET, "value"),
        Input("runs-q", "data"),
        Input("runs-sort", "data"),
        Input("runs-box", "data"),
        Input("runs-chosen-columns", "data"),
        Input("runs-group", "value"),
        Input(CAPTURE_FIELD, "value"),
        State(FACET, "id"),
        State(CAPTURE_FIELD, "id"),
        prevent_initial_call=True,
    )
    def remember(
        chosen: list[list[str]], q: str, sort: str, box: dict[str, Any], *view: Any
    ) -> str:
        columns, group, captured, ids, capture_ids = view
        capture = {
            key["name"]: value or "" for key, value in zip(capture_ids, captured, strict=True)
        }
        facets = {key["name"]: values or [] for key, values in zip(ids, chosen, strict=True)}
        size, rate = _spans(box)
        own = make(
            facets,
            q or "",
            sort or "",
            size,
            rate,
            capture=capture,
            columns=columns or (),
            grouped=bool(group),
        )
        return own.query()


def _register_address(app: Dash) -> None:
    """Set all controls from an address."""

    @app.callback(
        Output(FACET, "value"),
        Output("runs-q", "data"),
        Output("runs-sort", "data"),
        Output("runs-box", "data"),
        Output("runs-chosen-columns", "data"),
        Output("runs-group", "value"),
        Output(CAPTURE_FIELD, "value"),
        Input(f"{VIEW}-from-url", "data"),
        prevent_initial_call=True,
    )
    def follow(query: str) -> tuple[Any, ...]:
        state = parse(query or "")
        chosen = [list(state.chosen_values(output["id"]["name"])) for output in ctx.outputs_list[0]]
        box = {"size": state.size, "rate": state.rate}
        captured = [getattr(state, output["id"]["name"]) for output in ctx.outputs_list[-1]]
        return (
            chosen,
            state.q,
            state.sort,
            box,
            list(state.columns),
            ["on"] if state.grouped else [],
            captured,
        )


def _register_columns(app: Dash) -> None:
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
        # The boxes also change when they follow the displayed columns. That is not a choice and
        # must not be stored.
        return no_update if set(chosen) == set(visible_columns(columns)) else chosen


def _spans(box: dict[str, Any] | None) -> tuple[Range | None, Range | None]:
    """Return the ranges (size, rate), each (low, high), of a box in JSON form; None for a range
    that it does not have.
    """
    size, rate = ((box or {}).get(name) for name in ("size", "rate"))
    return _span(size), _span(rate)


def _span(ends: list[float] | None) -> Range | None:
    return (float(ends[0]), float(ends[1])) if ends else None


def _register_facet_search(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output(FACET, "options", allow_duplicate=True),
        Input(FIND, "value"),
        State(FIND, "id"),
        State(FACET, "id"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def find(
        texts: list[str | None], find_ids: list[Any], ids: list[dict[str, str]], query: str
    ) -> list[Any]:
        facets = context.runs.now().facets(parse(query or "").fits, searched_texts(find_ids, texts))
        searched = {key["name"] for key in find_ids}
        return [
            facet_options(facets[key["name"]].values) if key["name"] in searched else no_update
            for key in ids
        ]


def searched_texts(ids: list[dict[str, str]], texts: list[str | None]) -> dict[str, str]:
    """Map each facet whose values are searched to its text, cut to 200 characters; facets without a
    text are left out.
    """
    return {
        key["name"]: str(text)[:_MAX_LENGTH] for key, text in zip(ids, texts, strict=True) if text
    }


def _register_browser(app: Dash) -> None:
    """Register callbacks that run in the browser: chips, the search field, folding of facets."""
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsClear"),
        Output(FACET, "value", allow_duplicate=True),
        Output("runs-q", "data", allow_duplicate=True),
        Output("runs-box", "data", allow_duplicate=True),
        Output(CAPTURE_FIELD, "value", allow_duplicate=True),
        Input({"type": "runs-chip", "name": ALL}, "n_clicks"),
        State(FACET, "id"),
        State(CAPTURE_FIELD, "id"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsShowControls"),
        Output("search", "value"),
        Input("runs-q", "data"),
        Input("runs-sort", "data"),
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsFilters"),
        Output("runs-facets-fold", "children"),
        Output("runs-facets", "className"),
        Input("runs-facets-fold", "n_clicks"),
        Input(FACET, "value"),
        Input(CAPTURE_FIELD, "value"),
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "runsFold"),
        Output(_facet_pattern(more_id), "children"),
        Output(_facet_pattern(more_id), "hidden"),
        Output(_facet_pattern(fold_id), "className"),
        Input(_facet_pattern(facet_id), "options"),
        Input(_facet_pattern(facet_id), "value"),
        Input(_facet_pattern(more_id), "n_clicks"),
    )


def _facet_pattern(id_of: Callable[[str, str], dict[str, str]]) -> dict[str, Any]:
    """Return the id pattern of Dash that matches a part of every facet, of which `id_of` makes the
    id.
    """
    return id_of("runs", "") | {"name": MATCH}
