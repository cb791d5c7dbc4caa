"""Match issues of waves with instructions: traces contain waves and kinds, no addresses."""

from __future__ import annotations

from collections.abc import Iterable

from data_loaders.tinygrad.machine.instruction import BRANCH, END, JUMP, Instruction

TAKEN, NOT_TAKEN, CALL = "JUMP", "JUMP_NO", "CALL"
"""Kinds of issues in traces: a jump that is taken, a jump that is not taken, a call."""
LAST, UNKNOWN = "END", "UNKNOWN"
"""Kinds that this package adds: the end of a wave, and an instruction of an unknown kind."""
_UNTRACED = frozenset({"s_delay_alu", "s_wait_alu", "s_barrier_wait"})
"""Mnemonics of instructions that do not appear in traces."""


class InstructionMap:
    """Instructions of a program by pc; empty if they are unknown."""

    def __init__(self, instructions: Iterable[Instruction] = ()) -> None:
        self._at = {each.pc: each for each in instructions}
        self.first = next(iter(self._at), None)

    def text(self, pc: int | None) -> str:
        """Return the text of the instruction at `pc`, "" if it is unknown."""
        instruction = None if pc is None else self._at.get(pc)
        return "" if instruction is None else instruction.text

    def follow_issue(self, pc: int | None, kind: str) -> tuple[int | None, int | None]:
        """Return the pc of the instruction that a wave at `pc` issues as `kind`, and the next pc.

        The next pc is `None` after a call. Both are `None` if unknown: after a mismatch between
        trace and program the wave is no longer followed.
        """
        instruction = self._traced_instruction(pc)
        if instruction is None or not _fits(instruction.flow, kind):
            return None, None
        if kind == CALL:
            return instruction.pc, None
        return instruction.pc, instruction.target if kind == TAKEN else instruction.end

    def _traced_instruction(self, pc: int | None) -> Instruction | None:
        instruction = None if pc is None else self._at.get(pc)
        while instruction is not None and instruction.text.partition(" ")[0] in _UNTRACED:
            instruction = self._at.get(instruction.end)
        return instruction


def _fits(flow: str, kind: str) -> bool:
    """Whether an instruction with this control flow can be issued as `kind`: jumps and branches as
    taken or not taken, an end as `END`, all others as any other kind.

    Kind `UNKNOWN` fits no instruction.
    """
    if flow == END or kind in (LAST, UNKNOWN):
        return flow == END and kind == LAST
    return (flow in (JUMP, BRANCH)) == (kind in (TAKEN, NOT_TAKEN))
