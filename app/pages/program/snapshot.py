"""Write a state of the program page as a single HTML file that works offline."""

from __future__ import annotations

import pandas as pd

from app.pages.snapshot_file import DrawnGraph, write_run_page
from app.views.program.flow import BLOCKS, flow_followed, flow_key
from app.views.program.graph import GRAPH, state_json, wanted_part
from app.views.program.place import find_program, shown_graph, shown_place
from app.views.program.registry import PROGRAM
from app.views.program.state import ProgramState
from components.numbers import shorten
from components.program import graph_stage as stage
from services.program.columns import columns_text
from services.program.data import CompilerData
from services.program.flow import flow_text


def program_html(data: CompilerData, state: ProgramState) -> str:
    """Return the text of an HTML file with contexts, steps and graph for a view state; the file
    makes no network requests.
    """
    texts = {"selection": _place(data, state), "source": _source(data, state)}
    return write_run_page(
        PROGRAM, data, state, data.run, "Programs of", graphs=_graphs(data, state), **texts
    )


def _graphs(data: CompilerData, state: ProgramState) -> list[DrawnGraph]:
    """Return the displayed graph and the control flow of the displayed program, as far as they
    exist and are shown; maybe empty.
    """
    graphs = []
    place = shown_place(data, state)
    graph = shown_graph(data, state)
    if place is not None and graph is not None and not graph.error and graph.order:
        columns = columns_text(
            data.program, place.context, place.step, place.match, wanted_part(state)
        )
        graphs.append(DrawnGraph(stage.GRAPH, GRAPH.title, columns, state_json(state, graph)))
    program = find_program(data, state)
    if program is not None and flow_key(data, state) == stage.FLOW:
        columns = flow_text(data.program, int(program["program"]))
        graphs.append(DrawnGraph(stage.FLOW, BLOCKS.title, columns, flow_followed(state)))
    return graphs


def _place(data: CompilerData, state: ProgramState) -> list[str]:
    place = shown_place(data, state)
    if place is None:
        return []
    step = str(data.program.step(place.context, place.step)["name"])
    words = [
        f"context {place.context}: {data.program.context_name(place.context)}",
        f"step {place.step}: {step}",
    ]
    return [*map(shorten, words), f"match {place.match} of {place.matches}"]


def _source(data: CompilerData, state: ProgramState) -> str:
    program = find_program(data, state)
    return "" if program is None or pd.isna(program["source"]) else str(program["source"])
