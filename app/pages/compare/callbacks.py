"""The callbacks of the page of a comparison beside those of its views: fields, chips."""

from __future__ import annotations

from collections.abc import Mapping

from dash import ALL, Dash, Input, ctx
from dash.exceptions import PreventUpdate

from app.context import AppContext
from app.pages.compare.binding import compare_binding
from app.pages.compare.head import CLEAR, HEAD
from app.views.binding import Binding
from app.views.comparison.memory import ATTEMPT, shown_attempt
from app.views.comparison.registry import CHOICES, COMPARE
from app.views.comparison.state import CompareState, cleared
from app.views.comparison.timelines import shown_marker
from app.views.page_callbacks import PageCallbacks, choice_shown, with_fields
from services.comparisons import CompareData

_CLEAR = {"type": CLEAR, "part": ALL}
_Binding = Binding[CompareData, CompareState]


def register(app: Dash, context: AppContext) -> None:
    """Add the page's callbacks."""
    binding = compare_binding(app, context)
    PageCallbacks(binding, HEAD, lambda state: cleared(state, "all"), shown, filled).register()
    _register_chips(binding)


def shown(data: CompareData, state: CompareState, name: str) -> str:
    """Return what a field shows: what is chosen, else what is shown without a choice."""
    if name in CHOICES:
        return choice_shown(state, CHOICES, name)
    return shown_attempt(data, state) if name == ATTEMPT else str(shown_marker(data, state))


def filled(state: CompareState, given: Mapping[str, str]) -> CompareState:
    """Return the state after fields changed; blocks of another attempt are others."""
    return with_fields(COMPARE, state, given, {"block"} if ATTEMPT in given else set())


def _register_chips(binding: _Binding) -> None:
    @binding.steps(Input(_CLEAR, "n_clicks"))
    def clear(state: CompareState, _data: CompareData, clicks: list[int | None]) -> CompareState:
        if not any(clicks) or not isinstance(ctx.triggered_id, dict):
            raise PreventUpdate
        return cleared(state, str(ctx.triggered_id["part"]))
