"""Views of the compiler's time: by rewrite step, by rule, and by the ranges that it traced."""

from __future__ import annotations

from typing import Any

from dash import html

from app.views.program.state import ProgramState, at_match, at_step
from app.views.program.view import ProgramPlot, ProgramWords
from app.views.view import Link, Panel, Part, Width, custom, whole
from components.graph import nothing
from components.numbers import count_text
from components.program.compile_bars import (
    MAX_RULES,
    MAX_STEPS,
    RULE,
    range_flame,
    rules_table,
    step_time_bars,
)
from components.program.compile_words import compile_sentence, ranges_sentence
from services.program.data import CompilerData
from services.run.capabilities import Capability

_NEEDS = frozenset({Capability.REWRITES})


def steps_panel(data: CompilerData, _state: ProgramState, theme: str) -> Panel:
    """Draw the time of the matches of each rewrite step, over all contexts; at most the MAX_STEPS
    slowest.
    """
    times = data.program.compile_time
    left = len(times.steps) - MAX_STEPS
    line = f"{count_text(left, 'quicker step')} left out." if left > 0 else ""
    return Panel(step_time_bars(times.steps, theme), compile_sentence(times), line)


def step_clicked(state: ProgramState, data: CompilerData, click: Any) -> ProgramState:  # noqa: ANN401
    """Return the state that shows the clicked step in the context in which it took longest;
    unchanged if the click has no step.
    """
    row = whole(next(iter(custom(click)), None))
    names = data.program.compile_time.steps["name"]
    if row is None or not 0 <= row < len(names):
        return state
    steps = data.program.frame("rewrite_steps")
    longest = steps.loc[
        steps.loc[steps["name"].astype("str") == names.iloc[row], "duration"].idxmax()
    ]
    return at_step(state, int(longest["context"]), int(longest["step"]))


def rules_part(data: CompilerData, _state: ProgramState) -> Part:
    """List the rules with most time in matches (at most MAX_RULES), each with its slowest match; a
    caption only if no pattern matched.
    """
    times = data.program.compile_time
    if times.rules.empty:
        return Part(html.Div(), "No pattern matched.")
    left = len(times.rules) - MAX_RULES
    rest = f"; {count_text(left, 'quicker one')} left out" if left > 0 else ""
    if times.total > times.elapsed:
        rest += "; times include the matches of the steps that a match starts"
    return Part(
        rules_table(times.rules, times.total),
        f"{count_text(len(times.rules), 'rule')} matched{rest}.",
    )


def flame_panel(data: CompilerData, _state: ProgramState, theme: str) -> Panel:
    """Draw the nested ranges that the compiler traced; an empty figure and a sentence if it traced
    no ranges.
    """
    ranges = data.program.compile_time.ranges
    if ranges.tree.empty:
        return Panel(
            nothing(theme), "The capture has no profile.pkl, or the compiler did not run in it."
        )
    return Panel(range_flame(ranges, theme), ranges_sentence(ranges))


STEP_TIMES = ProgramPlot(
    id="compile-steps",
    title="Compile time",
    help=(
        "Time of the matches of each rewrite step, over all contexts; the sentence also has the time of "
        "the compiler itself. Click shows the step in the context in which it took longest."
    ),
    needs=_NEEDS,
    group="compile time",
    width=Width.HALF,
    draw=steps_panel,
    on_click=step_clicked,
)
RULES = ProgramWords(
    id="compile-rules",
    title="Rules",
    help=(
        "Patterns of the compiler by the time of their matches, with their place "
        "in the source. The slowest match links to its graph."
    ),
    needs=_NEEDS,
    group="compile time",
    width=Width.HALF,
    make=rules_part,
    # The rules do not depend on the view state.
    key=lambda _data, _state: "",
    links=(
        Link(
            RULE,
            ("context", "step", "match"),
            lambda state, _data, named: at_match(
                at_step(state, int(named["context"]), int(named["step"])), int(named["match"])
            ),
        ),
    ),
)
FLAME = ProgramPlot(
    id="compile-ranges",
    title="Ranges of the compiler",
    help=(
        "Ranges that the compiler traced of itself, each below the range that contains it, ranges "
        "of equal name merged; the uncovered part of a range is its own time."
    ),
    needs=_NEEDS,
    group="compile ranges",
    width=Width.FULL,
    draw=flame_panel,
)
