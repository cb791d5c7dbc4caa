"""Views of the page of programs, with the types of what they show."""

from __future__ import annotations

from app.views.program.state import ProgramState
from app.views.view import Plot, Words
from services.program import CompilerData

ProgramPlot = Plot[CompilerData, ProgramState]
ProgramWords = Words[CompilerData, ProgramState]
