"""Views of the page of programs, with the types of what they show."""

from __future__ import annotations

from app.views.program.state import ProgramState
from app.views.view import ContentView, Plot
from services.program.data import CompilerData

ProgramPlot = Plot[CompilerData, ProgramState]
ProgramWords = ContentView[CompilerData, ProgramState]
