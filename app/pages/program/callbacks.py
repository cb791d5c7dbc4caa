"""The callbacks of the page of programs beside those of its views: fields, the slider."""

from __future__ import annotations

from functools import partial

from dash import Dash, Input
from dash.exceptions import PreventUpdate

from app.context import AppContext
from app.pages.program.binding import program_binding
from app.pages.program.head import HEAD
from app.views.binding import Binding
from app.views.page_callbacks import PageCallbacks, choice_shown, with_fields
from app.views.program.lists import SLIDER
from app.views.program.registry import CHOICES, PROGRAM
from app.views.program.state import ProgramState, at_match, cleared
from services.program import CompilerData

_FIND = "find"
_LONGEST_NUMBER = 9
_Binding = Binding[CompilerData, ProgramState]


def register(app: Dash, context: AppContext) -> None:
    """Add the page's callbacks."""
    binding = program_binding(app, context)
    PageCallbacks(binding, HEAD, cleared, shown, partial(with_fields, PROGRAM)).register()
    _register_slider(binding)


def shown(_data: CompilerData, state: ProgramState, name: str) -> str:
    """Return what a field shows."""
    return state.find if name == _FIND else choice_shown(state, CHOICES, name)


def _register_slider(binding: _Binding) -> None:
    @binding.steps(Input(SLIDER, "value"))
    def moved(state: ProgramState, _data: CompilerData, value: object) -> ProgramState:
        # the field sends what it shows, as text
        if not str(value).isdecimal() or len(str(value)) > _LONGEST_NUMBER:
            raise PreventUpdate
        return at_match(state, int(str(value)))
