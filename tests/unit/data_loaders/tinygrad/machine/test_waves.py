"""Waves and instructions of thread traces that are built bit by bit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.tinygrad.machine.follower import InstructionMap
from data_loaders.tinygrad.machine.program import disassemble
from data_loaders.tinygrad.machine.waves import decode_waves
from tests.support import thread_trace as tt
from tests.support.decoders import hide_decoder
from tests.support.machine_code import AMD, S_ENDPGM, S_NOP, elf, words
from tests.support.numbers_in_text import numbers_in, without_numbers

COUNTING = InstructionMap(disassemble("elf", "gfx1100", tt.COUNTING).instructions)


def issued(found):
    return [(issue.wave, issue.at, issue.pc, issue.kind, issue.duration) for issue in found.issues]


def times(found):
    return [(wave.slot, wave.start, wave.end, wave.closed) for wave in found.waves]


def test_a_wave_has_its_instructions_and_when_it_issued_them():
    found = decode_waves(tt.trace(tt.header(), *tt.counting(5)), COUNTING)
    assert times(found) == [(5, 0, 6, True)]
    assert issued(found) == [
        (0, 1, 0, "SALU", 1),
        (0, 2, 4, "SALU", 1),
        (0, 3, 8, "JUMP", 1),
        (0, 4, 4, "SALU", 1),
        (0, 5, 8, "JUMP_NO", 1),
        (0, 6, 12, "END", None),
    ]
    assert found.why == ""
    assert found.packets["INST"] == 5


def test_waves_of_a_slot_follow_each_other():
    found = decode_waves(tt.trace(tt.header(), *tt.counting(2), *tt.counting(2)), COUNTING)
    assert times(found) == [(2, 0, 6, True), (2, 6, 12, True)]
    assert {issue.wave for issue in found.issues} == {0, 1}


def test_a_mask_lets_several_waves_issue_one_each():
    packets = [tt.start(0), tt.start(15), tt.immediates(0x8001, delta=3), tt.immediate(15, delta=1)]
    found = decode_waves(tt.trace(tt.header(), *packets), COUNTING)
    assert issued(found) == [
        (0, 3, 0, "IMMEDIATE", None),
        (1, 3, 0, "IMMEDIATE", 1),
        (1, 4, 4, "IMMEDIATE", None),
    ]


def test_instructions_are_of_the_unit_that_the_trace_names():
    packets = [
        tt.start(1, simd=2),
        tt.start(1, simd=0),
        tt.start(1, simd=2, unit=3),
        tt.vector(1, delta=1),
    ]
    ends = [tt.end(1, simd=0), tt.end(1, simd=2, unit=3), tt.end(1, simd=2)]
    found = decode_waves(tt.trace(tt.header(simd=2), *packets, *ends), InstructionMap())
    assert [(wave.unit, wave.simd) for wave in found.waves] == [(0, 2), (0, 0), (3, 2)]
    assert issued(found) == [(0, 1, None, "VALU", 0), (0, 1, None, "END", None)]


def test_instructions_of_other_units_have_no_wave():
    found = decode_waves(
        tt.trace(tt.header(), tt.start(0), tt.instruction(0, tt.OTHER_LDS)), COUNTING
    )
    assert found.issues == []


def test_arrays_and_units_are_told_apart():
    found = decode_waves(
        tt.trace(
            tt.header(), tt.start(3, unit=7, simd=1, array=1), tt.end(3, unit=7, simd=1, array=1)
        ),
        COUNTING,
    )
    (wave,) = found.waves
    assert (wave.array, wave.unit, wave.simd, wave.slot, wave.closed) == (1, 7, 1, 3, True)


def test_waves_without_a_start_or_an_end_are_open():
    packets = [tt.pause(100), tt.end(1), tt.start(2), tt.pause(50), tt.start(2), tt.pause(7)]
    found = decode_waves(tt.trace(tt.header(), *packets), COUNTING)
    assert times(found) == [(1, 0, 100, False), (2, 100, 150, False), (2, 150, 157, False)]


def test_a_wave_that_was_there_before_has_no_addresses():
    found = decode_waves(tt.trace(tt.header(), tt.vector(4), tt.vector(4)), COUNTING)
    assert [issue.pc for issue in found.issues] == [None, None]
    assert numbers_in(found.why) == ["1"]


@pytest.mark.parametrize("kinds", [(tt.SALU, tt.JUMP), (tt.SALU, tt.SALU, tt.SALU), (tt.NO_KIND,)])
def test_a_wave_that_leaves_the_program_is_not_followed(kinds):
    found = decode_waves(tt.trace(tt.header(), *tt.counting(0, kinds)), COUNTING)
    assert [issue.pc for issue in found.issues][-2:] == [None, None]
    assert "did not follow" in found.why


def test_a_call_is_the_last_that_has_an_address():
    found = decode_waves(tt.trace(tt.header(), *tt.counting(0, (tt.CALL, tt.SALU))), COUNTING)
    assert [issue.pc for issue in found.issues] == [0, None, None]


def test_a_program_that_is_not_known_is_said():
    found = decode_waves(tt.trace(tt.header(), *tt.counting(0)), InstructionMap())
    assert without_numbers(found.why)


def test_rdna4_has_other_fields():
    packets = [tt.start_rdna4(9), tt.instruction_rdna4(9, delta=2), tt.end_rdna4(9)]
    program = InstructionMap(
        disassemble("elf", "gfx1200", elf(AMD, words(S_NOP, S_ENDPGM))).instructions
    )
    found = decode_waves(
        tt.trace(tt.header(layout=4), tt.start_rdna4(1, unit=8), *packets), program
    )
    assert [(wave.unit, wave.slot, wave.closed) for wave in found.waves] == [
        (8, 1, False),
        (0, 9, True),
    ]
    assert issued(found) == [(1, 2, 0, "SALU", 0), (1, 2, 4, "END", None)]
    assert set(found.packets) == {"LAYOUT_HEADER", "WAVESTART", "INST", "WAVEEND", "NOP"}


def test_cdna_has_waves_and_no_instructions():
    packets = [tt.start_cdna(2, unit=5, simd=3), tt.pause_cdna(400), tt.instruction_cdna(2)]
    found = decode_waves(
        tt.trace(tt.begin_cdna(), *packets, tt.end_cdna(2, unit=5, simd=3)), COUNTING
    )
    (wave,) = found.waves
    assert (wave.unit, wave.simd, wave.slot, wave.start, wave.end, wave.closed) == (
        5,
        3,
        2,
        0,
        400,
        True,
    )
    assert found.issues == []
    assert "CDNA" in found.why


def test_packets_and_rows_have_limits():
    blob = tt.trace(tt.header(), *tt.counting(0))
    few = decode_waves(blob, COUNTING, most_packets=4)
    assert sum(few.packets.values()) == 4
    assert numbers_in(few.why) == ["4"]
    assert times(few) == [(0, 0, 2, False)]
    rows = decode_waves(blob, COUNTING, most_rows=3)
    assert len(rows.waves) + len(rows.issues) == 3
    assert len(numbers_in(rows.why)) == 1


def test_a_trace_that_is_as_long_as_the_limit_is_whole():
    blob = tt.trace(tt.header(), *tt.counting(0))
    count = sum(decode_waves(blob, COUNTING).packets.values())
    assert decode_waves(blob, COUNTING, most_packets=count).why == ""


def test_a_clock_beyond_all_traces_ends_it():
    found = decode_waves(tt.trace(tt.header(layout=4), *[tt.long_pause_rdna4()] * 2000), COUNTING)
    assert without_numbers(found.why)


def test_a_missing_decoder_is_said_with_what_to_install(monkeypatch):
    hide_decoder(monkeypatch)
    assert "requirements-full.txt" in decode_waves(tt.trace(tt.header()), COUNTING).why


@given(
    st.binary(max_size=400),
    st.sampled_from([b"", tt.trace(tt.header())[:8], tt.trace(tt.header(layout=4))[:8]]),
)
def test_any_bytes_have_an_answer_within_limits(content, begin):
    found = decode_waves(begin + content, COUNTING, most_packets=200, most_rows=100)
    assert sum(found.packets.values()) <= 200
    assert len(found.waves) + len(found.issues) < 100 + 16
    assert all(0 <= wave.start <= wave.end < 2**63 for wave in found.waves)
    assert all(0 <= issue.wave < len(found.waves) for issue in found.issues)
    assert all(issue.pc in (None, 0, 4, 8, 12) for issue in found.issues)
    assert all(issue.duration is None or issue.duration >= 0 for issue in found.issues)
