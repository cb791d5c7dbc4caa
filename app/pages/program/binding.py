"""Connect the callbacks of the program page to its data and versions."""

from __future__ import annotations

from dash import Dash

from app.context import AppContext
from app.views.binding import Binding
from app.views.program.registry import PROGRAM
from app.views.program.state import ProgramState
from services.program.data import CompilerData


def program_binding(app: Dash, context: AppContext) -> Binding[CompilerData, ProgramState]:
    """Make the binding of the program page."""
    return Binding(
        app,
        PROGRAM,
        lambda run_id, _state: context.compilers.get(run_id),
        lambda run_id, _state: context.compilers.version(run_id),
    )
