"""Frames of machine code, and what a decoder that fails costs."""

import base64

import pytest

from data_loaders.reading.limits import Limits
from data_loaders.reading.result_folder import Reading
from data_loaders.tinygrad.disassembly import add_disassembly
from schema.frames import FRAMES, complete, conform
from tests.support.decoders import replace_decoder
from tests.support.machine_code import ARM_LOOP, LOOP, X86_64, elf
from tests.support.numbers_in_text import numbers_in, without_numbers

NAMES = ("machine_code", "disassembly", "basic_blocks", "block_edges")


def reading(*codes, kind="raw"):
    contents = [base64.b64encode(code).decode() for code in codes]
    columns = {
        "program": range(1, len(codes) + 1),
        "kind": [kind] * len(codes),
        "contents": contents,
    }
    columns |= {"architecture": [""] * len(codes)}
    return Reading(frames={"machine_code": complete("machine_code", columns)})


def answer_to(program, **changes):
    """Return an answer of one instruction, and the columns of frames that are changed in it."""
    binary = {"program": [program], "architecture": ["x86-64"], "instructions": [1], "why": [""]}
    binary |= {
        name: [None]
        for name in ("vector_registers", "scalar_registers", "lds_bytes", "scratch_bytes")
    }
    row = {
        "program": [program],
        "pc": [0],
        "size": [1],
        "text": ["ret"],
        "target": [None],
        "symbol": [""],
    }
    block = {"program": [program], "block": [0], "start": [0], "end": [1]}
    edges = {"program": [], "source": [], "target": [], "kind": []}
    found = {
        "machine_code": binary,
        "disassembly": row,
        "basic_blocks": block,
        "block_edges": edges,
    }
    return {name: columns | changes.get(name, {}) for name, columns in found.items()}


def test_a_real_process_answers():
    found = reading(LOOP, ARM_LOOP, b"\xff" * 32)
    add_disassembly(found)
    for name in NAMES:
        assert list(found.frames[name].columns) == FRAMES[name].names
        conform(name, found.frames[name])
    code = found.frames["machine_code"]
    assert code["architecture"].tolist() == ["x86-64", "arm64", ""]
    assert code["instructions"].tolist() == [5, 4, 0]
    assert found.frames["disassembly"]["program"].tolist() == [1] * 5 + [2] * 4
    assert found.frames["disassembly"]["target"].dropna().tolist() == [2, 4]
    assert found.frames["block_edges"]["kind"].tolist() == ["always", "taken", "not taken"] * 2
    assert [(finding.code, finding.count) for finding in found.findings] == [
        ("disassembly_partial", 1)
    ]


def test_without_machine_code_no_process_is_started(monkeypatch):
    replace_decoder(monkeypatch, None, "would fail")
    for found in (Reading(), reading()):
        add_disassembly(found)
        assert found.findings == []
        assert "disassembly" not in found.frames


def test_a_crash_costs_the_programs_that_were_not_reached(monkeypatch):
    replace_decoder(monkeypatch, [answer_to(1)], "was stopped by SIGSEGV")
    found = reading(LOOP, LOOP, LOOP)
    add_disassembly(found)
    (said,) = found.findings
    assert (said.severity, said.code, said.count) == ("warning", "disassembly_failed", 2)
    assert numbers_in(said.message) == ["2"]
    assert "SIGSEGV" in said.message
    assert found.frames["machine_code"]["instructions"].tolist() == [1, 0, 0]
    assert found.frames["machine_code"]["contents"].str.len().gt(0).all()
    assert len(found.frames["disassembly"]) == 1


def test_a_process_out_of_time_is_said():
    found = reading(LOOP)
    add_disassembly(found, Limits(clock_s=0.01, clock_s_per_mb=0))
    assert "took more than 0.01 s" in found.findings[0].message


@pytest.mark.parametrize(
    "answers",
    [
        [{}],
        [answer_to(99)],
        [answer_to(1), answer_to(1)],
        [answer_to(1, disassembly={"pc": ["x"]})],
        [answer_to(1, disassembly={"pc": [2**70]})],
        [answer_to(1, disassembly={"pc": [0, 1]})],
        [answer_to(1, disassembly={"program": [7]})],
        [answer_to(1, basic_blocks={"start": None})],
        [answer_to(1, machine_code={"instructions": [[]]})],
        [answer_to(1, machine_code={"lds_bytes": ["many"]})],
    ],
    ids=[
        "empty",
        "other",
        "twice",
        "text",
        "large",
        "lengths",
        "program",
        "null",
        "list",
        "resources",
    ],
)
def test_what_is_no_answer_is_refused(monkeypatch, answers):
    replace_decoder(monkeypatch, answers)
    found = reading(LOOP)
    add_disassembly(found)
    assert "returned an invalid disassembly" in found.findings[0].message
    assert len(found.frames["disassembly"]) == 0
    assert found.frames["machine_code"]["instructions"].tolist() == [0]


def test_answers_beyond_what_is_read_are_said(monkeypatch):
    replace_decoder(monkeypatch, [])
    found = reading(LOOP)
    add_disassembly(found)
    assert found.findings[0].code == "disassembly_failed"


def test_why_programs_lack_instructions_is_said_once_per_reason():
    found = reading(elf(X86_64, b""), elf(X86_64, b""), elf(190, LOOP), kind="elf")
    add_disassembly(found)
    one, two = sorted(finding.message for finding in found.findings)
    assert numbers_in(one) == ["1", "190"]
    assert numbers_in(two) == ["2"]
    assert ".text" in two


def test_text_is_no_finding():
    found = reading(b".version 8", kind="ptx")
    add_disassembly(found)
    assert found.findings == []
    assert without_numbers(*found.frames["machine_code"]["why"])
