"""Which instruction of a program each issue of a wave is."""

import pytest

from data_loaders.tinygrad.machine.follower import InstructionMap
from data_loaders.tinygrad.machine.instruction import BRANCH, END, JUMP, Instruction

PROGRAM = InstructionMap(
    [
        Instruction(0, 4, "s_delay_alu 0x1"),
        Instruction(4, 8, "v_mov_b32 v0, 0"),
        Instruction(12, 4, "s_cbranch_scc1 0x4", BRANCH, 4),
        Instruction(16, 4, "s_setpc_b64 s[0:1]", JUMP),
        Instruction(20, 4, "s_endpgm", END),
    ]
)


@pytest.mark.parametrize(
    ("pc", "kind", "issued"),
    [
        (0, "VALU", (4, 12)),
        (4, "VALU", (4, 12)),
        (4, "CALL", (4, None)),
        (12, "JUMP", (12, 4)),
        (12, "JUMP_NO", (12, 16)),
        (16, "JUMP", (16, None)),
        (20, "END", (20, 24)),
    ],
)
def test_a_wave_goes_on_as_the_program_says(pc, kind, issued):
    assert PROGRAM.follow_issue(pc, kind) == issued


@pytest.mark.parametrize(
    ("pc", "kind"),
    [
        (4, "JUMP"),
        (4, "END"),
        (4, "UNKNOWN"),
        (12, "SALU"),
        (20, "SALU"),
        (24, "SALU"),
        (None, "SALU"),
    ],
)
def test_what_does_not_fit_has_no_place(pc, kind):
    assert PROGRAM.follow_issue(pc, kind) == (None, None)


def test_a_program_that_is_not_known_has_no_first_instruction():
    assert InstructionMap().first is None
    assert InstructionMap().follow_issue(None, "SALU") == (None, None)
    assert PROGRAM.first == 0


def test_a_program_of_untraced_instructions_alone_issues_none():
    assert InstructionMap([Instruction(0, 4, "s_delay_alu 0x1")]).follow_issue(0, "SALU") == (
        None,
        None,
    )
