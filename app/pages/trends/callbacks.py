"""Callbacks of the trends page: controls -> view state -> plots and tables."""

from __future__ import annotations

from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, no_update

from app.context import AppContext
from app.pages.trends.comparing import attempt_comparison
from app.pages.trends.page import PLOT, VIEW, body, control_options, export_address
from app.pages.trends.shown_trends import load_trends, load_undated, load_verdicts
from app.pages.trends.state import ANY, make, parse
from components.comparison.trend import MAX_SERIES

_CHOICE = {"type": "trends-choice", "name": ALL}
_COMPARES_S = 1.0
"""Seconds during which a request starts comparisons."""


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the trends page: controls and content."""
    _register_controls(app, context)
    _register_shown(app, context)
    app.clientside_callback(
        ClientsideFunction("tilescope", "trendsOpen"),
        Output(PLOT, "clickData"),
        Input(PLOT, "clickData"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("tilescope", "trendsMore"),
        Output("trends-left", "modified_timestamp"),
        Input("trends-left", "data"),
    )


def _register_controls(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output(VIEW, "data"),
        Input(_CHOICE, "value"),
        Input("trends-search", "value"),
        Input("trends-rule", "value"),
        State(_CHOICE, "id"),
        prevent_initial_call=True,
    )
    def remember(
        values: list[str | None], q: str | None, rule: str | None, ids: list[dict[str, str]]
    ) -> str:
        chosen = {key["name"]: value for key, value in zip(ids, values, strict=True)}
        return make(chosen | {"q": q, "rule": rule}).query()

    @app.callback(
        Output(_CHOICE, "value"),
        Output("trends-search", "value"),
        Output("trends-rule", "value"),
        Input(f"{VIEW}-from-url", "data"),
        prevent_initial_call=True,
    )
    def follow(query: str) -> tuple[list[str], str, str]:
        state = parse(query or "")
        metric = load_trends(context, state).metric
        shown = {"metric": metric.name if metric else "", "by": state.by, **state.filters}
        values = [shown[output["id"]["name"]] or ANY for output in ctx.outputs_list[0]]
        return values, state.q, state.rule or ANY

    @app.callback(
        Output(_CHOICE, "options"),
        Input(VIEW, "data"),
        State(_CHOICE, "id"),
        prevent_initial_call=True,
    )
    def offer(query: str, controls: list[dict[str, str]]) -> list[list[dict[str, str]]]:
        state = parse(query or "")
        trends = load_trends(context, state)
        return [control_options(trends, state, control["name"]) for control in controls]


def _register_shown(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("trends-body", "children"),
        Output("trends-drawn", "data"),
        Output("trends-export", "href"),
        Output("trends-left", "data"),
        Input(VIEW, "data"),
        Input("theme", "data"),
        Input("trends-more", "data"),
        State("trends-drawn", "data"),
        State("trends-left", "data"),
        prevent_initial_call=True,
    )
    def show(
        query: str, theme: str, _more: object, drawn: list[str] | None, left: list[int] | None
    ) -> tuple[Any, ...]:
        request = [query or "", theme or "light"]
        count, turn = left or [0, 0]
        # The layout has already drawn this state in this theme.
        if request == drawn and not count:
            return no_update, no_update, no_update, no_update
        state = parse(request[0])
        trends = load_trends(context, state, _COMPARES_S, attempt_comparison)
        verdicts = load_verdicts(context, state, trends.series[:MAX_SERIES], _COMPARES_S)
        # The counter makes the store's value change even when the number does not, so that the
        # browser polls again.
        left = [trends.left + verdicts.missing, turn + 1]
        undated = load_undated(context, trends.series[:MAX_SERIES])
        content = body(trends, verdicts, state, request[1], undated)
        return content, request, export_address(state), left
