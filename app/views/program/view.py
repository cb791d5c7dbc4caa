"""View records of the program page, with its page data and view state."""

from __future__ import annotations

from app.views.program.state import ProgramState
from app.views.view import ContentView, Plot
from services.program.data import CompilerData

ProgramPlot = Plot[CompilerData, ProgramState]
ProgramWords = ContentView[CompilerData, ProgramState]
