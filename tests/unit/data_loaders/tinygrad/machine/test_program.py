"""What is known of one binary of any kind."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.tinygrad.machine.amd import Resources
from data_loaders.tinygrad.machine.program import disassemble
from tests.support.machine_code import (
    AMD,
    ARM64,
    ARM_LOOP,
    LOOP,
    RET,
    S_CBRANCH_SCC1,
    S_CODE_END,
    S_ENDPGM,
    S_NOP,
    X86_64,
    Wanted,
    bare,
    descriptor,
    elf,
    words,
)


def test_an_elf_file_of_the_cpu():
    found = disassemble("elf", "", elf(X86_64, LOOP))
    assert found.architecture == "x86-64"
    assert len(found.instructions) == 5
    assert [(block.start, block.end) for block in found.blocks] == [(0, 2), (2, 9), (9, 10)]
    assert [edge.kind for edge in found.edges] == ["always", "taken", "not taken"]
    assert disassemble("elf", "", elf(ARM64, ARM_LOOP)).architecture == "arm64"


def test_an_elf_file_of_a_gpu():
    text = words(S_NOP, S_NOP, S_CBRANCH_SCC1 | 0xFFFE, S_ENDPGM, *[S_CODE_END] * 8)
    found = disassemble("elf", "gfx1100", elf(AMD, text, rodata=descriptor(64, 0, 1)))
    assert found.resources == Resources(9, None, 64, 0)
    assert [tuple(edge) for edge in found.edges] == [
        (0, 1, "always"),
        (1, 1, "taken"),
        (1, 2, "not taken"),
    ]
    assert found.blocks[-1].end == 16


@pytest.mark.parametrize("architecture", ["x86-64", ""])
def test_an_image(architecture):
    found = disassemble("raw", architecture, LOOP + b"constants")
    assert found.architecture == "x86-64"
    assert len(found.blocks) == 3


@pytest.mark.parametrize(
    ("kind", "architecture", "code", "name"),
    [
        ("raw", "riscv64", RET, "riscv64"),
        ("raw", "", b"\xff" * 9, "x86-64 nor arm64"),
        ("ptx", "sm_89", b".version 8", "text"),
        ("operations", "", b"\x80\x04\x95.", "Python"),
        ("other", "", b"MTLB", "decode"),
        ("elf", "", b"\x7fELF\x02\x01", "ELF64"),
        ("elf", "", elf(X86_64, RET, name=".code"), ".text"),
        ("elf", "", elf(X86_64, b""), ".text"),
        ("elf", "", elf(190, RET), "machine 190"),
        ("elf", "", elf(AMD, words(S_ENDPGM)), "architecture"),
        ("elf", "gfx906", elf(AMD, words(S_ENDPGM)), "gfx906"),
    ],
)
def test_what_has_no_instructions_says_why(kind, architecture, code, name):
    found = disassemble(kind, architecture, code)
    assert (found.instructions, found.blocks, found.edges) == ([], [], [])
    assert name in found.why


def test_where_no_more_are_decoded_none_are():
    assert disassemble("elf", "", elf(X86_64, RET), 0).instructions == []


def test_targets_that_are_no_instruction_are_not_known():
    found = disassemble("elf", "", elf(X86_64, bytes.fromhex("7501 b800000000 e800010000 c3")))
    assert [each.target for each in found.instructions] == [None] * 4


def test_a_file_of_lying_headers_has_what_lies_within_it():
    whole = elf(X86_64, LOOP, [Wanted(2**62, 4, "far"), Wanted(3, 4, "near", 2**62)])
    table = struct.unpack_from("<Q", whole, 40)[0]
    sizes = whole[: table + 64 + 32] + struct.pack("<Q", 2**63) + whole[table + 64 + 40 :]
    found = disassemble("elf", "", sizes)
    assert found.instructions[0].text == "xor eax, eax"
    for place in range(table, len(whole), 8):
        disassemble("elf", "", whole[:place] + b"\xff" * 8 + whole[place + 8 :])


@given(
    st.sampled_from([X86_64, ARM64, AMD, 9]),
    st.binary(max_size=120),
    st.binary(max_size=60),
    st.integers(0, 500),
)
def test_any_binary_has_blocks_of_its_instructions(machine, text, rodata, cut):
    whole = elf(machine, text, [Wanted(cut, 2, "symbol", cut)], rodata)
    for kind, code in (
        ("elf", whole),
        ("elf", whole[:cut] + rodata + whole[cut + len(rodata) :]),
        ("raw", text),
    ):
        found = disassemble(kind, "gfx1100" if kind == "elf" else "", code, 40)
        starts = {each.pc for each in found.instructions}
        assert len(starts) == len(found.instructions) <= 40
        assert all(
            sum(block.start <= pc < block.end for block in found.blocks) == 1 for pc in starts
        )
        assert {block.start for block in found.blocks} <= starts
        assert all(max(edge.source, edge.target) < len(found.blocks) for edge in found.edges)


def test_a_file_that_names_no_machine_is_that_of_its_device():
    text = words(S_NOP, S_ENDPGM, *[S_CODE_END] * 8)
    content = bare(elf(AMD, text))
    assert len(disassemble("elf", "gfx1200", content).instructions) == 2
    for architecture in ("", "x86-64"):
        found = disassemble("elf", architecture, content)
        assert found.instructions == []
        assert "ELF64" in found.why
