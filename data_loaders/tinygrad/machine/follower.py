"""Which instruction of a program each issue of a wave is: traces name waves and kinds, but no address."""

from __future__ import annotations

from collections.abc import Iterable

from data_loaders.tinygrad.machine.instruction import BRANCH, END, JUMP, Instruction

TAKEN, NOT_TAKEN, CALL = "JUMP", "JUMP_NO", "CALL"
"""What traces call jumps and calls."""
LAST, UNKNOWN = "END", "UNKNOWN"
"""What the end of a wave is called here, and an instruction whose kind has a number that is not known."""
_UNTRACED = frozenset({"s_delay_alu", "s_wait_alu", "s_barrier_wait"})
"""Operations that traces pass over."""


class InstructionMap:
    """The instructions of a program by pc; none where they are not known."""

    def __init__(self, instructions: Iterable[Instruction] = ()) -> None:
        self._at = {each.pc: each for each in instructions}
        self.first = next(iter(self._at), None)

    def follow_issue(self, pc: int | None, kind: str) -> tuple[int | None, int | None]:
        """Return the pc of what a wave issues as `kind` when it has come to `pc`, and where it goes on.

        None where that is not known: a trace that does not fit the program is not followed any further.
        """
        found = self._traced_instruction(pc)
        if found is None or not _fits(found.flow, kind):
            return None, None
        if kind == CALL:
            return found.pc, None
        return found.pc, found.target if kind == TAKEN else found.end

    def _traced_instruction(self, pc: int | None) -> Instruction | None:
        found = None if pc is None else self._at.get(pc)
        while found is not None and found.text.partition(" ")[0] in _UNTRACED:
            found = self._at.get(found.end)
        return found


def _fits(flow: str, kind: str) -> bool:
    """Return whether an instruction may be of a kind, by where a wave goes on after it."""
    if flow == END or kind in (LAST, UNKNOWN):
        return flow == END and kind == LAST
    return (flow in (JUMP, BRANCH)) == (kind in (TAKEN, NOT_TAKEN))
