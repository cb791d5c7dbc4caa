"""Callbacks of the fields and the slider of the program page."""

from __future__ import annotations

from collections.abc import Mapping

from dash import Dash, Input
from dash.exceptions import PreventUpdate

from app.context import AppContext
from app.pages.program.head import HEAD
from app.views.binding import Binding
from app.views.page_callbacks import PageCallbacks, choice_shown, with_fields
from app.views.program.lists import SLIDER
from app.views.program.registry import CHOICES, PROGRAM
from app.views.program.state import ProgramState, at_match, clear_part
from schema.digits import is_whole
from services.program.data import CompilerData

_FIND = "find"
_MAX_DIGITS = 9
_Binding = Binding[CompilerData, ProgramState]


def program_binding(app: Dash, context: AppContext) -> _Binding:
    """Make the binding that connects the callbacks of the program page to its data and versions."""
    return Binding(
        app,
        PROGRAM,
        lambda run_id, _state: context.compilers.get(run_id),
        lambda run_id, _state: context.compilers.version(run_id),
    )


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the program page: views, fields and slider."""
    binding = program_binding(app, context)
    PageCallbacks(binding, HEAD, clear_part, field_text, fill_fields).register()
    _register_slider(binding)


def field_text(_data: CompilerData, state: ProgramState, name: str) -> str:
    """Return the text that the field `name` shows: the searched text, or the chosen or default
    option.
    """
    return state.find if name == _FIND else choice_shown(state, CHOICES, name)


def fill_fields(state: ProgramState, _data: CompilerData, given: Mapping[str, str]) -> ProgramState:
    """Return the state after fields changed (`given`: name -> value); invalid values leave it as it
    is.
    """
    return with_fields(PROGRAM, state, given)


def _register_slider(binding: _Binding) -> None:
    @binding.steps(Input(SLIDER, "value"))
    def move_slider(state: ProgramState, _data: CompilerData, value: object) -> ProgramState:
        # A range input sends its value as text.
        if not is_whole(str(value), _MAX_DIGITS):
            raise PreventUpdate
        return at_match(state, int(str(value)))
