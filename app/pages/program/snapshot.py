"""A state of a run's programs as one HTML file that works offline."""

from __future__ import annotations

import pandas as pd

from app.pages.snapshot_file import write_run_page
from app.views.program.place import place_of, program_of
from app.views.program.registry import PROGRAM
from app.views.program.state import ProgramState
from components.numbers import shorten
from services.program.data import CompilerData


def program_html(data: CompilerData, state: ProgramState) -> str:
    """Return a file that shows contexts, steps and the graph as a view state has them, without any network."""
    said = {"selection": _place(data, state), "source": _source(data, state)}
    return write_run_page(PROGRAM, data, state, data.run, "Programs of", **said)


def _place(data: CompilerData, state: ProgramState) -> list[str]:
    place = place_of(data, state)
    if place is None:
        return []
    step = str(data.program.step(place.context, place.step)["name"])
    words = [f"context {place.context}: {data.program.context_name(place.context)}", f"step {place.step}: {step}"]
    return [*map(shorten, words), f"match {place.match} of {place.matches}"]


def _source(data: CompilerData, state: ProgramState) -> str:
    program = program_of(data, state)
    return "" if program is None or pd.isna(program["source"]) else str(program["source"])
