"""Views of thread traces: the list, the waves of a trace over its clock, the instructions of a
wave.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from dash import html

from app.views.program.place import (
    find_program,
    program_key,
    program_rows,
    shown_trace,
    shown_wave,
    trace_rows,
)
from app.views.program.state import ProgramState, at_trace, at_wave
from app.views.program.view import ProgramPlot, ProgramWords
from app.views.view import Grid, Panel, Part, Width, custom, whole
from components.graph import nothing
from components.numbers import count_text, integer, missing, rate_text, shorten, size
from components.program.trace_table import GRID, left_out, mark_options, trace_table
from components.program.wave_bars import place_text, wave_bars
from components.program.wave_code import wave_code
from services.program.data import CompilerData
from services.run.capabilities import Capability

_NEEDS = frozenset({Capability.THREAD_TRACES})


def traces_part(data: CompilerData, state: ProgramState) -> Part:
    """List the thread traces of the run; the displayed trace is marked."""
    traces = data.program.frame("thread_traces")
    own = program_rows(data, "thread_traces", state)
    with_bytes = int((traces["bytes"] > 0).sum())
    caption = f"{count_text(len(traces), 'thread trace')}, {integer(with_bytes)} with data"
    caption += f", {size(int(traces['bytes'].sum()))}"
    caption += "" if find_program(data, state) is None else f"; {integer(len(own))} of this program"
    selected = _selected_trace(data, state)
    return Part(html.Div(trace_table(traces, selected)), f"{caption}.{left_out(len(traces))}")


def _selected_trace(data: CompilerData, state: ProgramState) -> int | None:
    trace = shown_trace(data, state)
    return None if trace is None else int(trace["trace"])


def trace_listed(
    state: ProgramState, data: CompilerData, row: int, _column: str = ""
) -> ProgramState:
    """Return the state that shows thread trace number `row` and its program, if the program is
    known; unchanged if there is no such trace.
    """
    traces = data.program.frame("thread_traces")
    rows = traces[traces["trace"] == row]
    if rows.empty:
        return state
    program = rows.iloc[0]["program"]
    shown = find_program(data, state)
    same = pd.isna(program) or (shown is not None and shown["program"] == program)
    return at_trace(state, row, state.program if same else int(program))


def waves_panel(data: CompilerData, state: ProgramState, theme: str) -> Panel:
    """Draw the waves of the displayed thread trace over its clock; an empty figure and a sentence
    without trace or waves.
    """
    trace = shown_trace(data, state)
    if trace is None:
        return Panel(nothing(theme), "There is no such thread trace.")
    waves = trace_rows(data, "waves", trace)
    name = _name(trace)
    if waves.empty:
        return Panel(nothing(theme), f"{name}: no waves.{_why(trace)}")
    issued = trace_rows(data, "wave_instructions", trace)["wave"].value_counts().to_dict()
    wave = shown_wave(data, state)
    drawn = wave_bars(waves, issued, None if wave is None else int(wave["wave"]), theme)
    slots = len(waves[["array", "unit", "simd", "slot"]].drop_duplicates())
    longest = int((waves["end"] - waves["start"]).max())
    count = f"{count_text(len(waves), 'wave')} in {count_text(slots, 'slot')}"
    of = "the longest " if len(waves) > 1 else ""
    caption = f"{name}: {count}, {of}{count_text(longest, 'clock')}{_shader_clock(trace)}"
    return Panel(drawn.figure, f"{caption}.{_why(trace)}", drawn.line)


def _shader_clock(trace: pd.Series) -> str:
    """Describe the shader clock of a trace; "" if it is unknown."""
    if missing(trace["clock_hz"]):
        return ""
    low, high = (rate_text(trace[f"clock_{end}_hz"], "Hz") for end in ("min", "max"))
    return f"; shader clock {rate_text(trace['clock_hz'], 'Hz')} ({low} to {high})"


def _name(trace: pd.Series) -> str:
    kernel = shorten(str(trace["kernel"])) or "unknown kernel"
    return f"{kernel}, run {integer(trace['run'])}, engine {integer(trace['engine'])}"


def _why(trace: pd.Series) -> str:
    why = "" if pd.isna(trace["why"]) else str(trace["why"])
    return f" {why[:1].upper()}{why[1:]}." if why else ""


def wave_clicked(state: ProgramState, _data: CompilerData, click: Any) -> ProgramState:  # noqa: ANN401
    """Return the state that lists the instructions of the clicked wave; unchanged if the click has
    no wave.
    """
    wave = whole(next(iter(custom(click)), None))
    return state if wave is None or wave < 0 else at_wave(state, wave)


def wave_part(data: CompilerData, state: ProgramState) -> Part:
    """List the instructions of the displayed wave; a hint if the trace has no instructions of it;
    empty without a wave.
    """
    trace = shown_trace(data, state)
    wave = shown_wave(data, state)
    if trace is None or wave is None:
        return Part(None, "")
    every = trace_rows(data, "wave_instructions", trace)
    own = every[every["wave"] == wave["wave"]]
    place = place_text([int(wave[name]) for name in ("array", "unit", "simd", "slot")])
    caption = f"Wave {integer(wave['wave'])}, {place}: {count_text(len(own), 'instruction')}."
    if own.empty:
        return Part(html.P(_NO_INSTRUCTIONS, className="ts-panel-hint"), caption)
    code = data.program.frame("disassembly")
    code = (
        code[(code["program"] == trace["program"]).fillna(False)]
        if not missing(trace["program"])
        else code.head(0)
    )
    texts = dict(zip(code["pc"].tolist(), code["text"].tolist(), strict=True))
    return Part(wave_code(own, texts), f"{caption} {_longest(own, texts)}".strip())


_NO_INSTRUCTIONS = "The trace has instructions of only one SIMD unit of an engine: of this wave it has only start and end."


def _longest(own: pd.DataFrame, texts: dict[int, str]) -> str:
    """Compose a sentence about the longest pause of a wave, named by the instruction that follows
    it; "" if all pauses are equal.

    An instruction that has to wait is issued when its wait is over, so the pause precedes it.
    """
    # A duration lasts until the next instruction, so the pause before a row is in the row above.
    pauses = own["duration"].shift().dropna()
    if pauses.empty or not pauses.max() > pauses.min():  # all pauses are equal
        return ""
    row = own.loc[pauses.idxmax()]
    has_text = not pd.isna(row["pc"]) and row["pc"] in texts
    name = texts[row["pc"]].partition(" ")[0] if has_text else str(row["kind"]).lower()
    place = f" at {int(row['pc']):#x}" if has_text else ""
    return f"Its longest pause is {count_text(int(pauses.max()), 'clock')}, before {name}{place}."


TRACES = ProgramWords(
    id="traces",
    title="Thread traces",
    help="Recordings of kernel runs by each shader engine (SQTT). Click shows a trace with its program.",
    needs=_NEEDS,
    group="traces",
    width=Width.FULL,
    make=traces_part,
    key=program_key,
    grid=Grid(
        GRID,
        on_cell=trace_listed,
        marked=("dashGridOptions",),
        marks=lambda data, state: [mark_options(_selected_trace(data, state))],
    ),
)
WAVES = ProgramPlot(
    id="waves",
    title="Waves",
    help="A lane per slot of a SIMD unit, a bar per wave over the clock of the trace. Pale: its start or its end is "
    "not in the trace. Click lists the instructions of a wave.",
    needs=_NEEDS,
    group="traces",
    width=Width.FULL,
    draw=waves_panel,
    on_click=wave_clicked,
)
WAVE_CODE = ProgramWords(
    id="wave-code",
    title="Instructions of a wave",
    help="In the order in which the wave issued them: clock of the trace, clocks until its next one, clocks until its "
    "execution, address, text.",
    needs=_NEEDS,
    group="traces",
    width=Width.FULL,
    make=wave_part,
)
