"""Views of the compiler's work: contexts, steps of a context, matches of a step."""

from __future__ import annotations

from typing import Any

import pandas as pd
from dash import html
from dash.development.base_component import Component

from app.views.program.place import Place, context_steps, shown_context, shown_graph, shown_place
from app.views.program.state import ProgramState, at_context, at_match, at_step
from app.views.program.view import ProgramPlot, ProgramWords
from app.views.view import Grid, Link, Panel, Part, Width, custom, whole
from components.graph import nothing
from components.grid import row_target
from components.numbers import count_text, duration_text, integer, shorten
from components.program.contexts_grid import (
    GRIDS,
    contexts_grid,
    left_out,
    mark_options,
    steps_grid,
)
from components.program.match_bars import match_bars
from components.program.match_line import LineIds, line_properties, match_facts, match_line
from services.program.data import CompilerData
from services.run.capabilities import Capability

NEEDS = frozenset({Capability.REWRITES})
SLIDER = "program-slider"
MATCH = "program-match"
"""Type in the ids of the links to another match."""
_LINE = LineIds(SLIDER, "program-match-said", "program-move")
_FACTS = "program-match-facts"


def contexts_part(data: CompilerData, state: ProgramState) -> Part:
    """List the contexts that the compiler worked on in a grid; the displayed context is marked."""
    contexts = data.program.frame("contexts")
    caption = f"{count_text(len(contexts), 'context')}, {count_text(int(contexts['matches'].sum()), 'match')}. "
    grid = contexts_grid(contexts, shown_context(data, state))
    return Part(html.Div(grid), f"{caption}{left_out(len(contexts))}".strip())


def context_listed(
    state: ProgramState, data: CompilerData, row: int, _column: str = ""
) -> ProgramState:
    """Return the state that shows context number `row`; unchanged if there is no such context."""
    return at_context(state, row) if row < len(data.program.frame("contexts")) else state


def steps_part(data: CompilerData, state: ProgramState) -> Part:
    """List the rewrite steps of the displayed context in a grid; the displayed step is marked. A
    sentence if there is no such context.
    """
    context = shown_context(data, state)
    place = shown_place(data, state)
    if context is None:
        return Part(html.P("There is no such context.", className="ts-panel-hint"), "")
    steps = context_steps(data, context)
    caption = f"{shorten(data.program.context_name(context))}: {count_text(len(steps), 'step')}. {left_out(len(steps))}"
    grid = steps_grid(steps, None if place is None else place.step)
    return Part(html.Div(grid), caption.strip())


def steps_key(data: CompilerData, state: ProgramState) -> str:
    """Return the number of the displayed context as text, which changes with the list of steps."""
    return str(shown_context(data, state))


def step_listed(
    state: ProgramState, data: CompilerData, row: int, _column: str = ""
) -> ProgramState:
    """Return the state that shows step number `row` of the displayed context; unchanged if there is
    no such step.
    """
    context = shown_context(data, state)
    return (
        state
        if context is None or row >= len(context_steps(data, context))
        else at_step(state, context, row)
    )


def context_marked(data: CompilerData, state: ProgramState) -> list[object]:
    """Return a list of the options that mark the displayed context in its grid, and the row to
    scroll to.
    """
    context = shown_context(data, state)
    return [mark_options(context, "context"), row_target(context)]


def step_marked(data: CompilerData, state: ProgramState) -> list[object]:
    """Return a list of the options that mark the displayed step in its grid, and the row to scroll
    to.
    """
    place = shown_place(data, state)
    step = None if place is None else place.step
    return [mark_options(step, "step"), row_target(step)]


def match_part(data: CompilerData, state: ProgramState) -> Part:
    """Lay out the slider of matches, the displayed match and the nodes that it changed; a sentence
    if there is no such step.
    """
    place = shown_place(data, state)
    if place is None:
        return Part(html.P("There is no such step.", className="ts-panel-hint"), "")
    line = match_line(_LINE, place.match, place.matches)
    facts = html.Div(_facts(data, state, place), id=_FACTS, className="ts-match-facts")
    graph = shown_graph(data, state)
    none = "No pattern matched: the graph stayed as it was." if place.matches == 0 else ""
    return Part(html.Div([line, facts]), none if graph is None else graph.error or none)


def _facts(data: CompilerData, state: ProgramState, place: Place) -> list[Component]:
    graph = shown_graph(data, state)
    if graph is None or place.match == 0:
        return []
    return match_facts(
        data.program.matches(place.context, place.step).iloc[place.match - 1], graph.change
    )


def match_key(data: CompilerData, state: ProgramState) -> str:
    """Return context and step numbers as text, "" without a displayed step; the slider is created
    again when it changes.
    """
    place = shown_place(data, state)
    return "" if place is None else f"{place.context} {place.step}"


def match_moved(data: CompilerData, state: ProgramState) -> dict[str, dict[str, Any]]:
    """Return the properties that change with the match while the slider stays; empty without a
    displayed step.
    """
    place = shown_place(data, state)
    if place is None:
        return {}
    line = line_properties(_LINE, place.match, place.matches)
    return line | {_FACTS: {"children": _facts(data, state, place)}}


def move_match(state: ProgramState, data: CompilerData, place: str) -> ProgramState:
    """Return the state that shows another match of the step: `place` is "first", "previous", "next"
    or "last".

    Match 0 is the state before the first match. Unchanged without a displayed step.
    """
    at = shown_place(data, state)
    if at is None:
        return state
    matches = {
        "first": 0,
        "previous": max(at.match - 1, 0),
        "next": min(at.match + 1, at.matches),
        "last": at.matches,
    }
    return at_match(state, matches.get(place, at.match))


def matches_panel(data: CompilerData, state: ProgramState, theme: str) -> Panel:
    """Draw the time of each match of the displayed step; an empty figure if it has fewer than 2
    matches.
    """
    place = shown_place(data, state)
    if place is None or not place.matches:
        return Panel(nothing(theme), "No match in this step.")
    matches = data.program.matches(place.context, place.step)
    figure = match_bars(matches, place.match, theme) if len(matches) > 1 else nothing(theme)
    return Panel(figure, _matches_words(matches))


def _matches_words(matches: pd.DataFrame) -> str:
    """Count the matches of a step with their time, and name the slowest if it is slower."""
    durations = matches["duration"]
    total = duration_text(int(durations.sum()))
    counted = f"{count_text(len(matches), 'match')}, {total}"
    if len(matches) == 1:
        return f"{counted}."
    longest = duration_text(int(durations.max()))
    if durations.min() == durations.max():
        return f"{counted}; each took {longest}."
    slowest = integer(int(matches["match"].loc[durations.idxmax()]))
    return f"{counted}; the slowest is match {slowest}, {longest}."


def match_clicked(state: ProgramState, _data: CompilerData, click: Any) -> ProgramState:  # noqa: ANN401
    """Return the state that shows the graph after the clicked match; unchanged if the click has no
    match.
    """
    match = whole(next(iter(custom(click)), None))
    return state if match is None or match < 0 else at_match(state, match)


CONTEXTS = ProgramWords(
    id="contexts",
    title="Contexts",
    help=(
        "Contexts of the compiler (schedules and kernels) with the time of their matches. "
        "Click shows a context; the field below the heading searches."
    ),
    needs=NEEDS,
    group="graph",
    width=Width.NARROW,
    stack="lists",
    make=contexts_part,
    # The rows do not depend on the view state.
    key=lambda _data, _state: "",
    grid=Grid(
        GRIDS["context"],
        on_cell=context_listed,
        marked=("dashGridOptions", "scrollTo"),
        marks=context_marked,
    ),
)
STEPS = ProgramWords(
    id="steps",
    title="Steps",
    help="Rewrites of the context's graph in the order in which they began; a step that another step started is indented.",
    needs=NEEDS,
    group="graph",
    width=Width.NARROW,
    stack="lists",
    make=steps_part,
    key=steps_key,
    grid=Grid(
        GRIDS["step"],
        on_cell=step_listed,
        marked=("dashGridOptions", "scrollTo"),
        marks=step_marked,
    ),
)
MATCHED = ProgramWords(
    id="match",
    title="Match",
    help=(
        "The state of the graph: at the start of the step, or after one of its "
        "matches. Keys: , and . go to the previous and next state."
    ),
    needs=NEEDS,
    group="graph",
    width=Width.WIDE,
    stack="picture",
    make=match_part,
    key=match_key,
    moved=match_moved,
    links=(
        Link(
            MATCH,
            ("place", "match"),
            lambda state, _data, named: at_match(state, int(named["match"])),
        ),
        Link(
            _LINE.button,
            ("place",),
            lambda state, data, named: move_match(state, data, str(named["place"])),
        ),
    ),
)
MATCHES = ProgramPlot(
    id="matches",
    title="Time of matches",
    help="Time of each match of the step, coloured by the place of its pattern. Click shows the graph after it.",
    needs=NEEDS,
    group="matches",
    width=Width.FULL,
    draw=matches_panel,
    on_click=match_clicked,
)
