"""The callbacks of the page of trends: controls -> view state -> what is shown."""

from __future__ import annotations

from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, no_update

from app.context import AppContext
from app.pages.trends.page import PLOT, VIEW, body, export_address
from app.pages.trends.state import ANY, make, parse

_CHOICE = {"type": "trends-choice", "name": ALL}


def register(app: Dash, context: AppContext) -> None:
    """Add the page's callbacks."""
    _register_controls(app, context)
    _register_shown(app, context)
    app.clientside_callback(
        ClientsideFunction("tilescope", "trendsOpen"),
        Output(PLOT, "clickData"),
        Input(PLOT, "clickData"),
        prevent_initial_call=True,
    )


def _register_controls(app: Dash, context: AppContext) -> None:
    @app.callback(Output(VIEW, "data"), Input(_CHOICE, "value"), State(_CHOICE, "id"), prevent_initial_call=True)
    def remember(values: list[str | None], ids: list[dict[str, str]]) -> str:
        return make({key["name"]: value for key, value in zip(ids, values, strict=True)}).query()

    @app.callback(Output(_CHOICE, "value"), Input(f"{VIEW}-from-url", "data"), prevent_initial_call=True)
    def follow(query: str) -> list[str]:
        state = parse(query or "")
        metric = context.trends.get(state.metric, state.filters).metric
        shown = {"metric": metric.name if metric else "", "by": state.by, **state.filters}
        return [shown[output["id"]["name"]] or ANY for output in ctx.outputs_list]


def _register_shown(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("trends-body", "children"),
        Output("trends-drawn", "data"),
        Output("trends-export", "href"),
        Input(VIEW, "data"),
        Input("theme", "data"),
        State("trends-drawn", "data"),
        prevent_initial_call=True,
    )
    def show(query: str, theme: str, drawn: list[str] | None) -> tuple[Any, ...]:
        asked = [query or "", theme or "light"]
        if asked == drawn:
            return no_update, no_update, no_update
        state = parse(asked[0])
        trends = context.trends.get(state.metric, state.filters)
        return body(trends, state, asked[1]), asked, export_address(state)
