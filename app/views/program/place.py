"""Determine the displayed context, step, match, graph, program and thread trace."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.program.state import State
from app.views.program.state import ProgramState
from services.program.data import CompilerData


@dataclass(frozen=True)
class Place:
    """A step of a context with its number of matches, and the displayed match (0 to `matches`)."""

    context: int
    step: int
    match: int
    matches: int


def shown_context(data: CompilerData, state: ProgramState) -> int | None:
    """Return the number of the displayed context: the chosen context, or the first that has matches
    (else the first).

    The result is None if there is no such context.
    """
    contexts = data.program.frame("contexts")
    if state.context is not None:
        return state.context if state.context < len(contexts) else None
    if contexts.empty:
        return None
    # argmax of booleans is the position of the first True, or 0 when all are False.
    return int(contexts["matches"].gt(0).to_numpy().argmax())


def shown_place(data: CompilerData, state: ProgramState) -> Place | None:
    """Return the displayed step and match; None if there is no such step.

    Without a chosen step it is the first step of the context that has matches, else the first; the
    match is at most the step's last.
    """
    context = shown_context(data, state)
    if context is None:
        return None
    rows = context_steps(data, context)
    if rows.empty:
        return None
    wanted = (
        state.step if state.step is not None else int(rows["matches"].gt(0).to_numpy().argmax())
    )
    if wanted >= len(rows):
        return None
    matches = int(rows["matches"].iloc[wanted])
    return Place(context, wanted, min(state.match, matches), matches)


def context_steps(data: CompilerData, context: int) -> pd.DataFrame:
    """Return the rows of frame `rewrite_steps` of a context, in order."""
    steps = data.program.frame("rewrite_steps")
    return steps[steps["context"] == context]


def shown_graph(data: CompilerData, state: ProgramState) -> State | None:
    """Return the graph after the displayed match; None if no step is displayed or the capture does
    not have the graph.
    """
    place = shown_place(data, state)
    if place is None or pd.isna(data.program.step(place.context, place.step)["root"]):
        return None
    return data.program.state(place.context, place.step, place.match)


def selected_node(graph: State, state: ProgramState) -> int | None:
    """Return the index of the selected node in a graph; None if no node is selected or the graph
    does not contain it.
    """
    if state.node is None:
        return None
    return next((node for node, name in graph.names.items() if name == state.node), None)


def default_node(graph: State) -> int:
    """Return the index of the node to show if no node is selected: the last node that the match
    made, or the root.
    """
    added = [
        node
        for node in graph.shown_nodes
        if node in graph.change.added and node in graph.change.changed
    ]
    return added[-1] if added else graph.root


def find_program(data: CompilerData, state: ProgramState) -> pd.Series | None:
    """Return the displayed row of frame `programs`: the chosen program, or that of the displayed
    context.

    The first program if there is no context; None if there is no such program.
    """
    programs = data.program.frame("programs")
    if state.program is not None:
        rows = programs[programs["program"] == state.program]
    else:
        context = shown_context(data, state)
        if context is None:
            return programs.iloc[0] if len(programs) else None
        rows = programs[(programs["context"] == context).fillna(False).astype(bool)]
    return rows.iloc[0] if len(rows) else None


def program_key(data: CompilerData, state: ProgramState) -> str:
    """Return the number of the displayed program as text, "" without a program. Lists and source
    texts of the program change with it.
    """
    program = find_program(data, state)
    return "" if program is None else str(program["program"])


def program_rows(data: CompilerData, name: str, state: ProgramState) -> pd.DataFrame:
    """Select the rows of frame `name` that belong to the displayed program; empty without a
    program.
    """
    program = find_program(data, state)
    frame = data.program.frame(name)
    return (
        frame.head(0)
        if program is None
        else frame[(frame["program"] == program["program"]).fillna(False)]
    )


def shown_trace(data: CompilerData, state: ProgramState) -> pd.Series | None:
    """Return the displayed row of frame `thread_traces`; None if there is no such trace.

    That is the chosen trace, or the trace with most instructions and waves among the program's
    traces (among all traces if the program has no traces).
    """
    every = data.program.frame("thread_traces")
    own = program_rows(data, "thread_traces", state)
    if state.trace is not None:
        rows = every[every["trace"] == state.trace]
    else:
        rows = own if len(own) else every
        rows = rows.sort_values(
            ["executed", "waves"], ascending=False, kind="stable", na_position="last"
        )
    return rows.iloc[0] if len(rows) else None


def shown_wave(data: CompilerData, state: ProgramState) -> pd.Series | None:
    """Return the displayed row of frame `waves`: the chosen wave, or the wave of the displayed
    trace with most instructions.

    None if there is no such wave or no trace is displayed.
    """
    trace = shown_trace(data, state)
    if trace is None:
        return None
    waves = trace_rows(data, "waves", trace)
    if state.wave is not None:
        rows = waves[waves["wave"] == state.wave]
    else:
        issued = trace_rows(data, "wave_instructions", trace)["wave"].value_counts()
        rows = waves[waves["wave"] == issued.idxmax()] if len(issued) else waves
    return rows.iloc[0] if len(rows) else None


def trace_rows(data: CompilerData, name: str, trace: pd.Series) -> pd.DataFrame:
    """Select the rows of frame `name` that belong to a thread trace (a row of frame
    `thread_traces`).
    """
    frame = data.program.frame(name)
    return frame[frame["trace"] == trace["trace"]]
