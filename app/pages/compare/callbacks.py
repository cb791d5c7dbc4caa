"""The callbacks of the page of a comparison beside those of its views: keys, choices, chips, history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode

from dash import ALL, Dash, Input, Output, State, ctx
from dash.exceptions import PreventUpdate

from app.context import AppContext
from app.pages.compare.binding import compare_binding
from app.pages.compare.head import CLEAR, HEAD
from app.views.binding import Binding
from app.views.callbacks import ViewCallbacks
from app.views.comparison.memory import ATTEMPT, shown_attempt
from app.views.comparison.registry import CHOICES, COMPARE, parse
from app.views.comparison.state import CompareState, cleared
from app.views.comparison.timelines import shown_marker
from app.views.drawing import Piece, view_pieces
from services.comparisons import CompareData

_CHOICE = {"type": COMPARE.choice, "name": ALL}
_CLEAR = {"type": CLEAR, "part": ALL}
_Binding = Binding[CompareData, CompareState]


def register(app: Dash, context: AppContext) -> None:
    """Add the page's callbacks."""
    binding = compare_binding(app, context)
    ViewCallbacks(binding, _pieces).register()
    _register_keys(binding)
    _register_choices(binding)


def _pieces(data: CompareData) -> Iterator[Piece[CompareData, CompareState]]:
    yield from HEAD
    yield from view_pieces(COMPARE, data)


def _register_keys(binding: _Binding) -> None:
    @binding.steps(Input(COMPARE.key, "data"))
    def press(state: CompareState, data: CompareData, key: dict[str, Any] | None) -> CompareState:
        pressed = key.get("key") if isinstance(key, dict) else None
        if pressed is None:
            raise PreventUpdate
        return cleared(state, "all") if pressed == "Escape" else COMPARE.pressed(state, data, str(pressed))

    @binding.steps(Input(_CLEAR, "n_clicks"))
    def clear(state: CompareState, _data: CompareData, clicks: list[int | None]) -> CompareState:
        if not any(clicks) or not isinstance(ctx.triggered_id, dict):
            raise PreventUpdate
        return cleared(state, str(ctx.triggered_id["part"]))


def _register_choices(binding: _Binding) -> None:
    @binding.steps(Input(_CHOICE, "value"), states=[State(_CHOICE, "id")])
    def chosen(
        state: CompareState, data: CompareData, values: list[str | None], names: list[dict[str, str]]
    ) -> CompareState:
        given = {name["name"]: value or "" for name, value in zip(names, values, strict=True)}
        # What a control shows where nothing is chosen is nobody's choice.
        made = {name: value for name, value in given.items() if value != _shown(state, data, name)}
        if not made:
            raise PreventUpdate
        left = {"block"} if "attempt" in made else set()
        kept = [(key, value) for key, value in parse_qsl(state.query()) if key not in made.keys() | left]
        return parse(urlencode([*kept, *made.items()]))

    @binding.app.callback(
        Output(COMPARE.view, "data", allow_duplicate=True),
        Output(_CHOICE, "value"),
        Input(f"{COMPARE.view}-from-url", "data"),
        State(_CHOICE, "id"),
        prevent_initial_call=True,
    )
    def follow(query: str | None, names: list[dict[str, str]]) -> tuple[str, list[str]]:
        """Bring the view and its controls in line with the address after back or forward."""
        state, data = binding.opened(query, "")
        return state.query(), [_shown(state, data, name["name"]) for name in names]


def _shown(state: CompareState, data: CompareData, name: str) -> str:
    """Return what a choice of the page shows: what is chosen, else what is shown without a choice."""
    if name in CHOICES:
        return state.chosen.get(name, CHOICES[name][0])
    return shown_attempt(data, state) if name == ATTEMPT else str(shown_marker(data, state))
