"""Instructions of x86-64 and arm64, of sections and of images that hold constants as well."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.tinygrad.machine.cpu import ARCHITECTURES, detect_machine, follow_program, linear
from data_loaders.tinygrad.machine.elf import Relocation
from data_loaders.tinygrad.machine.instruction import BRANCH, END, JUMP, NEXT
from tests.support.machine_code import ARM_LOOP, LOOP, RET, words
from tests.support.numbers_in_text import numbers_in, without_numbers

MOST = 1000


def texts(decoded):
    return [found.text for found in decoded.instructions]


def test_a_section_is_read_one_instruction_after_the_other():
    found = linear(LOOP, "x86-64", [], MOST)
    assert texts(found) == ["xor eax, eax", "inc eax", "cmp eax, 0xa", "jne 2", "ret"]
    assert [each.pc for each in found.instructions] == [0, 2, 4, 7, 9]
    assert [each.flow for each in found.instructions] == [NEXT, NEXT, NEXT, BRANCH, END]
    assert found.instructions[3].target == 2
    assert found.why == ""


def test_arm64_has_its_own_jumps():
    found = linear(ARM_LOOP, "arm64", [], MOST).instructions
    assert [each.flow for each in found] == [NEXT, NEXT, BRANCH, END]
    assert found[2].target == 4


@pytest.mark.parametrize(
    ("code", "flow", "target"),
    [
        ("eb05", JUMP, 7),
        ("e9fbffffff", JUMP, 0),
        ("ffe0", JUMP, None),
        ("ff2500000000", JUMP, None),
        ("3effe0", JUMP, None),
        ("f2e900000000", JUMP, 6),
        ("e2fe", BRANCH, 0),
        ("e3fe", BRANCH, 0),
        ("0f8400010000", BRANCH, 262),
        ("f3c3", END, None),
        ("c20800", END, None),
        ("0f0b", END, None),
        ("48cf", END, None),
        ("e800000000", NEXT, 5),
        ("ffd0", NEXT, None),
        ("cc", NEXT, None),
    ],
)
def test_where_x86_goes_on(code, flow, target):
    (found,) = linear(bytes.fromhex(code), "x86-64", [], MOST).instructions
    assert (found.flow, found.target) == (flow, target)


@pytest.mark.parametrize(
    ("word", "flow", "target"),
    [
        (0x14000002, JUMP, 8),
        (0xD61F0000, JUMP, None),
        (0x54000040, BRANCH, 8),
        (0xB4000040, BRANCH, 8),
        (0x36000040, BRANCH, 8),
        (0x94000002, NEXT, 8),
        (0xD65F03C0, END, None),
        (0x00000000, END, None),
        (0xD4200000, END, None),
        (0xD503201F, NEXT, None),
    ],
)
def test_where_arm64_goes_on(word, flow, target):
    (found,) = linear(words(word), "arm64", [], MOST).instructions
    assert (found.flow, found.target) == (flow, target)


def test_bytes_that_are_no_instruction_are_said_to_be_bytes():
    assert texts(linear(b"\x06" + RET, "x86-64", [], MOST)) == [".byte 0x06", "ret"]


def test_a_section_is_read_up_to_a_limit():
    found = linear(b"\x90" * 500, "x86-64", [], 100)
    assert len(found.instructions) == 100
    assert numbers_in(found.why) == ["100"]
    assert linear(b"\x90" * 100, "x86-64", [], 100).why == ""


@pytest.mark.parametrize(
    ("code", "relocation", "text", "symbol"),
    [
        ("e800000000", Relocation(1, 4, "sinf", None, -4), "call sinf", "sinf"),
        ("e900000000", Relocation(1, 4, "sinf", None, -4), "jmp sinf", "sinf"),
        (
            "c5f81005 00000000",
            Relocation(4, 2, ".rodata", None, 60),
            "vmovups xmm0, xmmword ptr [rip + .rodata+0x40]",
            0,
        ),
        ("ff2500000000", Relocation(2, 9, "got", None, -4), "jmp qword ptr [rip + got]", "got"),
        ("660fefc0", Relocation(2, 2, "odd", None, 0), "pxor xmm0, xmm0  # odd+0x2", 0),
        (
            "48b80000000000000000",
            Relocation(2, 1, "table", None, 8),
            "movabs rax, 0  # table+0x8",
            0,
        ),
    ],
    ids=["call", "tail call", "constant", "jump through a table", "odd place", "address"],
)
def test_relocations_are_named(code, relocation, text, symbol):
    (found,) = linear(bytes.fromhex(code), "x86-64", [relocation], MOST).instructions
    assert found.text == text
    assert symbol in (0, found.symbol)
    assert found.target is None


def test_a_relocated_jump_within_the_section_has_a_target():
    found = linear(
        b"\xe9\0\0\0\0" + RET, "x86-64", [Relocation(1, 4, "own", 5, -4)], MOST
    ).instructions
    assert found[0].target == 5
    call = linear(
        words(0x94000000), "arm64", [Relocation(0, 283, "expf", None, 0)], MOST
    ).instructions
    assert (call[0].text, call[0].target) == ("bl expf", None)


def test_an_image_is_followed_around_its_constants():
    # a jump over four bytes that are no instruction, and more behind the end
    image = b"\xeb\x04" + b"\x06" * 4 + LOOP + b"\x06" * 8
    found = follow_program(image, "x86-64", MOST)
    assert [each.pc for each in found.instructions] == [0, 6, 8, 10, 13, 15]
    assert found.why == ""


def test_both_ways_of_a_branch_and_calls_are_followed():
    image = bytes.fromhex("7405 e801000000 c3 90 c3")
    assert [each.pc for each in follow_program(image, "x86-64", MOST).instructions] == [
        0,
        2,
        7,
        8,
        9,
    ]


def test_cycles_end():
    assert len(follow_program(b"\xeb\xfe", "x86-64", MOST).instructions) == 1
    assert len(follow_program(bytes.fromhex("7402 ebfc ebfa"), "x86-64", MOST).instructions) == 3


def test_a_way_into_the_middle_of_an_instruction_is_not_taken():
    # the branch leads into the number of the `mov` that it skips
    found = follow_program(bytes.fromhex("7401 b890909090 c3"), "x86-64", MOST)
    assert [each.pc for each in found.instructions] == [0, 2, 7]
    assert "not instructions" in found.why


@pytest.mark.parametrize(
    "code", [b"", b"\x06", b"\x90", b"\xeb"], ids=["empty", "none", "no end", "cut"]
)
def test_what_runs_out_of_the_image_is_said(code):
    assert without_numbers(follow_program(code, "x86-64", MOST).why)


def test_following_stops_at_a_limit():
    found = follow_program(b"\x90" * 1000 + RET, "x86-64", 70)
    assert len(found.instructions) == 70
    assert "only 70" in found.why


def test_the_machine_of_an_image_is_found_by_trying():
    assert detect_machine(LOOP, MOST)[0] == "x86-64"
    assert detect_machine(ARM_LOOP, MOST)[0] == "arm64"
    machine, found = detect_machine(b"\xff" * 64, MOST)
    assert (machine, found.instructions) == ("", [])
    assert "neither" in found.why
    assert detect_machine(LOOP[:7] + b"\x90" * 500, 20)[0] == "x86-64"


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@given(code=st.binary(max_size=200), offsets=st.lists(st.integers(-(2**40), 2**40), max_size=3))
def test_instructions_of_any_bytes_lie_within_them_and_do_not_overlap(architecture, code, offsets):
    relocations = [Relocation(offset, 4, "symbol", None, offset) for offset in offsets]
    for found in (
        linear(code, architecture, relocations, 50),
        follow_program(code, architecture, 50),
        detect_machine(code, 50)[1],
    ):
        assert len(found.instructions) <= 50
        assert all(0 <= each.pc < each.end <= len(code) for each in found.instructions)
        assert all(
            one.end <= two.pc
            for one, two in zip(found.instructions, found.instructions[1:], strict=False)
        )
        assert all(each.text.isprintable() for each in found.instructions)
