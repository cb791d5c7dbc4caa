"""How callbacks of the page come by the graphs of a run."""

from __future__ import annotations

from dash import Dash

from app.context import AppContext
from app.views.binding import Binding
from app.views.program.registry import PROGRAM
from app.views.program.state import ProgramState
from services.program.data import CompilerData


def program_binding(app: Dash, context: AppContext) -> Binding[CompilerData, ProgramState]:
    """Return the binding of the page of a run's programs."""
    return Binding(
        app,
        PROGRAM,
        lambda run_id, _state: context.compilers.get(run_id),
        lambda run_id, _state: context.compilers.version(run_id),
    )
