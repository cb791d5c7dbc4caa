"""The views of thread traces: what is on display, what a click does, and what is left out."""

import json
from dataclasses import replace

import pytest

from app.pages.program.snapshot import program_html
from app.views.program import flow
from app.views.program.code import ASSEMBLY
from app.views.program.costs import COSTS
from app.views.program.flow import BLOCKS
from app.views.program.registry import PROGRAM, parse
from app.views.program.state import ProgramState
from app.views.program.traces import TRACES, WAVE_CODE, WAVES, trace_listed, wave_clicked
from components.program import disassembly, wave_bars, wave_code
from samples.tinygrad_writer import Maker
from services.program.flow import flow_text
from services.run.capabilities import Capability
from tests.support import thread_trace as tt
from tests.support.components import words
from tests.support.machine_code import AMD, S_ENDPGM, elf
from tests.support.machine_code import words as code_words
from tests.support.numbers_in_text import has_numbers, numbers_in
from tests.support.programs import open_programs

LONG = (tt.SALU, *(tt.SALU, tt.JUMP) * 5, tt.SALU, tt.JUMP_NO)
TRACED = tt.trace(
    tt.header(), *tt.counting(0), *tt.counting(1, LONG), tt.start(3, simd=2), tt.pause(40)
)
TIMES = tt.trace(tt.header(), tt.start(1, unit=2), tt.pause(9), tt.end(1, unit=2))


def maker():
    made = Maker("0.14").device("AMD", properties={"gfx_target_version": 110000})
    made.program("AMD", "E_2", elf(AMD, code_words(S_ENDPGM)), 8).program(
        "AMD", "r_4", tt.COUNTING, 7
    )
    return made.range("AMD", "r_4", 0, 1).range("AMD", "E_2", 2, 3)


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """A run with traces of two programs: without waves, with instructions, with times alone, empty, and unknown."""
    made = maker()
    for engine, (kernel, blob) in enumerate(
        [(8, TIMES[:8]), (7, TRACED), (8, TIMES), (7, b""), (None, TRACED)]
    ):
        made.thread_trace("AMD", kernel, 0, engine=engine, tag=1, blob=blob)
    return open_programs(tmp_path_factory.mktemp("traced"), made)


def said(view, data, state):
    part = view.make(data, state)
    return part.caption, "" if part.body is None else words(part.body)


@pytest.mark.slow
def test_a_run_with_traces_has_their_views_and_another_has_not(traced, tmp_path):
    assert traced.can(Capability.THREAD_TRACES)
    assert {TRACES, WAVES, WAVE_CODE} <= set(PROGRAM.available_views(traced))
    other = open_programs(tmp_path, maker())
    assert not {TRACES, WAVES, WAVE_CODE} & set(PROGRAM.available_views(other))


def test_the_trace_that_tells_most_is_on_display(traced):
    answer, _ = said(TRACES, traced, ProgramState(program=1))
    numbers = numbers_in(answer)
    assert (numbers[:2], numbers[-1]) == (["5", "4"], "2")
    caption = WAVES.draw(traced, ProgramState(program=1), "light").caption
    assert caption.startswith("r_4, ")
    assert numbers_in(caption)[:4] == ["1", "1", "3", "3"]  # run, engine, waves, slots
    caption = WAVES.draw(traced, ProgramState(), "light").caption
    assert caption.startswith("E_2, ")
    assert numbers_in(caption)[:4] == ["1", "2", "1", "1"]


def test_a_listed_trace_is_shown_with_its_program(traced):
    assert trace_listed(ProgramState(wave=3), traced, 1) == ProgramState(trace=1, program=1)
    assert trace_listed(ProgramState(), traced, 0) == ProgramState(trace=0)
    assert trace_listed(ProgramState(program=1), traced, 4) == ProgramState(trace=4, program=1)
    assert trace_listed(ProgramState(program=1), traced, 99) == ProgramState(program=1)


def test_waves_lie_on_lanes_by_slot(traced):
    panel = WAVES.draw(traced, ProgramState(trace=1), "dark")
    with_instructions, times = panel.figure.data
    assert [list(point) for point in with_instructions.customdata] == [[0], [1]]
    assert [list(point) for point in times.customdata] == [[2]]
    lanes = ["simd 0 · slot 0", "simd 0 · slot 1", "simd 2 · slot 3"]
    assert list(panel.figure.layout.yaxis.ticktext) == [f"unit 0 · {lane}" for lane in lanes]
    assert "6 instructions" in with_instructions.hovertext[0]
    assert "not in the trace" in times.hovertext[0]
    (outline,) = panel.figure.layout.shapes
    assert (outline.y0 + outline.y1) / 2 == 1
    assert panel.line == ""


def test_a_clicked_wave_lists_its_instructions(traced):
    state = wave_clicked(ProgramState(trace=1), traced, {"points": [{"customdata": [0]}]})
    assert state.wave == 0
    assert wave_clicked(state, traced, {"points": [{"customdata": ["x"]}]}) == state
    answer, listed = said(WAVE_CODE, traced, state)
    assert "6 instructions" in answer
    assert "pause" not in answer  # each is a clock
    assert listed.count("s_nop") == 3
    assert "s_endpgm" in listed


def test_what_is_not_known_of_a_wave_or_trace_is_said(traced):
    assert "start and end" in said(WAVE_CODE, traced, ProgramState(trace=2))[1]
    assert "it is empty" in WAVES.draw(traced, ProgramState(trace=3), "light").caption.lower()
    assert "no waves" in WAVES.draw(traced, ProgramState(trace=0), "light").caption
    unknown = WAVES.draw(traced, ProgramState(trace=4), "light").caption
    assert unknown.startswith("unknown kernel")
    assert "have no address" in unknown
    assert "salu" in said(WAVE_CODE, traced, ProgramState(trace=4))[1]


@pytest.mark.parametrize(
    "state", [ProgramState(trace=10**9), ProgramState(wave=10**9), ProgramState(program=10**9)]
)
def test_places_that_are_not_there_are_said(traced, state):
    said(TRACES, traced, state)
    said(WAVE_CODE, traced, state)
    WAVES.draw(traced, state, "light").figure.to_plotly_json()


def test_many_waves_lanes_and_instructions_are_bounded(traced, monkeypatch):
    state = ProgramState(trace=1)
    monkeypatch.setattr(wave_bars, "MAX_BARS", 2)
    assert numbers_in(WAVES.draw(traced, state, "light").line) == ["1"]
    monkeypatch.setattr(wave_bars, "MAX_TRACE_LANES", 2)
    merged = WAVES.draw(traced, state, "light")
    assert merged.line
    assert list(merged.figure.layout.yaxis.ticktext) == ["unit 0 · simd 0", "unit 0 · simd 2"]
    monkeypatch.setattr(wave_bars, "MAX_TRACE_LANES", 1)
    assert len(WAVES.draw(traced, state, "light").figure.layout.yaxis.ticktext) == 1
    monkeypatch.setattr(wave_code, "MAX_LINES", 4)
    listed = said(WAVE_CODE, traced, replace(state, wave=0))[1]
    assert "2 more instructions" in listed and "frames RUN wave_instructions" in listed


def test_what_is_left_out_of_the_machine_code_is_said(traced, monkeypatch):
    state = ProgramState(program=1)
    whole = said(BLOCKS, traced, state)[0]
    monkeypatch.setattr(flow, "MAX_BLOCKS", 2)
    monkeypatch.setattr(disassembly, "MAX_LINES", 2)
    assert numbers_in(said(BLOCKS, traced, state)[0]) == [*numbers_in(whole), "1"]
    listed = said(ASSEMBLY, traced, state)[1]
    assert "more instruction" in listed and "frames RUN disassembly" in listed


@pytest.mark.slow
def test_the_longest_pause_of_a_wave_is_told(tmp_path):
    late = [
        tt.instruction(0, kind, delta)
        for kind, delta in zip(tt.TWICE, (1, 5, 1, 1, 1), strict=True)
    ]
    blob = tt.trace(tt.header(), tt.start(0), *late, tt.end(0, delta=1))
    data = open_programs(tmp_path, maker().thread_trace("AMD", 7, 0, engine=0, tag=1, blob=blob))
    assert has_numbers(said(WAVE_CODE, data, ProgramState(program=1))[0], "5", "0x4")


@pytest.mark.slow
def test_a_wave_with_one_instruction_is_listed_without_a_pause(tmp_path):
    blob = tt.trace(tt.header(), tt.start(0), tt.instruction(0, tt.SALU, 1), tt.pause(40))
    data = open_programs(tmp_path, maker().thread_trace("AMD", 7, 0, engine=0, tag=1, blob=blob))
    answer, listed = said(WAVE_CODE, data, ProgramState(program=1))
    assert "1 instruction." in answer and "pause" not in answer
    assert listed


def test_the_loop_that_issued_most_is_the_hottest(traced):
    answer, listed = said(ASSEMBLY, traced, ProgramState(program=1))
    assert has_numbers(answer, "16", "20")
    assert "block 1 · hottest loop" in listed
    columns = json.loads(flow_text(traced.program, 1))
    hottest = [
        name
        for name, label in zip(columns["names"], columns["label"], strict=True)
        if "hottest loop" in label
    ]
    assert hottest == [1]


@pytest.mark.slow
def test_without_traces_loops_are_innermost_ones(tmp_path):
    data = open_programs(tmp_path, maker())
    answer, listed = said(ASSEMBLY, data, ProgramState(program=1))
    assert "hottest" not in answer
    assert "block 1 · innermost loop" in listed


def test_a_query_holds_trace_and_wave():
    state = ProgramState(trace=4, wave=7)
    assert parse(state.query()) == state


@pytest.mark.slow
def test_a_snapshot_has_the_waves(traced):
    text = program_html(traced, ProgramState(program=1))
    assert has_numbers(text, "3", "3")


def test_costs_are_listed_by_what_is_lost_and_exported(traced):
    state = trace_listed(ProgramState(), traced, 1)
    (table,) = COSTS.tables(traced, state)
    rows = {row[0]: row[2:] for row in table.rows}
    # Waves 0 and 1 go through the loop twice and six times, a clock for each instruction.
    assert rows["0x4"][:3] == ["8", "0", "0"] and rows["0x0"][0] == "2"
    part = COSTS.make(traced, state)
    assert f"{6 + 14} issues of 4 instructions" in part.caption
    assert "0x4s_nop" in words(part.body)


def test_a_program_without_instructions_has_no_costs(traced):
    state = trace_listed(ProgramState(), traced, 0)
    assert COSTS.make(traced, state).body is None and COSTS.tables(traced, state) == []
