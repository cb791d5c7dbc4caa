"""Delays of executions and the shader clock, beside those of tinygrad's viewer."""

import itertools
import json

import pytest
from tinygrad.helpers import ProfilePointEvent, ProfileRangeEvent
from tinygrad.viz.serve import sqtt_timeline

from data_loaders.tinygrad.machine.executions import UnitQueues
from data_loaders.tinygrad.machine.follower import InstructionMap
from data_loaders.tinygrad.machine.program import disassemble
from data_loaders.tinygrad.machine.shader_clock import ShaderClock
from data_loaders.tinygrad.machine.waves import Issue, decode_waves
from tests.support import thread_trace as tt
from tests.support.machine_code import AMD, S_ENDPGM, S_NOP, elf, words

NOPS = elf(AMD, words(*[S_NOP] * 12, S_ENDPGM))
CODE = InstructionMap(disassemble("elf", "gfx1100", NOPS).instructions)
SALU_UNIT, VALU_UNIT, BOTH = 1, 2, 3
LDS_UNIT, VMEM_UNIT, VMEM_OTHER = 0, 2, 3
TRANSCENDENTAL, LDS_READ, GLOBAL_READ, BARRIER = 0xB, 0x29, 0x21, 0x13


def delays(found):
    return [(issue.pc, issue.at, issue.delay) for issue in found.issues if issue.delay is not None]


def viewed_delays(blob):
    """Return (pc, clock of the issue, delay) of every execution, as tinygrad's viewer prints them."""
    count, issued, found = {}, {}, []
    for event in sqtt_timeline(blob, NOPS, "gfx1100"):
        if not isinstance(event, ProfileRangeEvent):
            continue
        rest = json.loads(event.name.ret[4:]) if event.name.ret else {}
        rank = next(count.setdefault(event.device, itertools.count()))
        if event.device.startswith("WAVE"):
            issued[f"{event.device}-{rank}"] = (rest.get("pc"), int(event.st))
        if "link" in rest:
            pc, at = issued[rest["link"]]
            found.append((pc, at, int(event.st) - at))
    return sorted(found)


def test_delays_are_those_of_tinygrads_viewer():
    packets = [
        tt.header(),
        tt.start(2),
        tt.vector(2, delta=1),
        tt.instruction(2, tt.SALU, delta=2),
        tt.vector(2, delta=1),
        tt.alu_execution(VALU_UNIT, delta=3),
        tt.instruction(2, TRANSCENDENTAL, delta=1),
        tt.instruction(2, LDS_READ, delta=1),
        tt.instruction(2, GLOBAL_READ, delta=1),
        tt.alu_execution(BOTH, delta=2),
        tt.memory_execution(LDS_UNIT, delta=1),
        tt.alu_execution(VALU_UNIT, delta=2),
        tt.memory_execution(VMEM_UNIT, delta=3),
        tt.end(2, delta=1),
    ]
    blob = tt.trace(*packets)
    found = delays(decode_waves(blob, CODE))
    assert found == viewed_delays(blob)
    assert [delay for _, _, delay in found] == [5, 9, 7, 7, 4, 8]


def test_an_execution_whose_issue_is_not_in_the_trace_is_ignored():
    blob = tt.trace(
        tt.header(),
        tt.start(0),
        tt.alu_execution(SALU_UNIT),
        tt.memory_execution(VMEM_OTHER),
        tt.instruction(0, tt.SALU, delta=1),
    )
    found = decode_waves(blob, CODE)
    assert delays(found) == [] and found.why == ""


@pytest.mark.parametrize(
    ("text", "begin"), [("v_wmma_f32", 68), ("v_wmma_i32_iu4", 84), ("v_a", 99)]
)
def test_matrix_instructions_begin_earlier_than_their_packet(text, begin):
    executions, issue = UnitQueues(), Issue(0, 10, 4, "VALU")
    executions.add_issue(issue, text)
    executions.execute("VALU", 100)
    assert issue.delay == begin - 10


def test_a_barrier_ends_when_the_wave_is_ready():
    blob = tt.trace(
        tt.header(),
        tt.start(1),
        tt.instruction(1, BARRIER, delta=1),
        tt.pause(20),
        tt.ready(0b10, delta=2),
        tt.ready(0b10, delta=2),
        tt.instruction(1, tt.SALU, delta=1),
        tt.ready(0b11, delta=1),
    )
    barrier, after = decode_waves(blob, CODE).issues
    assert (barrier.at, barrier.released, barrier.duration) == (1, 23, 25)
    assert after.released is None


def test_the_shader_clock_is_that_of_tinygrads_viewer():
    marks = [tt.mark(1000), tt.pause(300), tt.mark(1010), tt.pause(100), tt.mark(1015)]
    blob = tt.trace(tt.header(), *marks)
    clock = decode_waves(blob, CODE).clock
    seen = [
        event.key
        for event in sqtt_timeline(blob, NOPS, "gfx1100")
        if isinstance(event, ProfilePointEvent) and event.name == "freq_hz"
    ]
    assert seen == [3_000_000_000, 2_000_000_000] == [clock.max_hz, clock.min_hz]
    assert clock.mean_hz == pytest.approx(400 / 150e-9)


def test_a_real_time_clock_that_is_reset_begins_anew():
    clock = ShaderClock()
    for mark in [(0, 100), (10, 100), (20, 5), (40, 15)]:
        clock.add_mark(*mark)
    assert (clock.mean_hz, clock.min_hz, clock.max_hz) == (2e8, 2e8, 2e8)
    assert ShaderClock().mean_hz is None
