"""An instruction of any machine, and the control flow after it."""

from __future__ import annotations

from typing import NamedTuple

NEXT, JUMP, BRANCH, END = "next", "jump", "branch", "end"
"""Control flow after an instruction: to the next instruction, to the target, to either of them, or
to no instruction.
"""


class Instruction(NamedTuple):
    """An instruction at `pc`, in bytes from the first instruction.

    `target` is the pc it jumps to, `None` if unknown.
    """

    pc: int
    size: int
    text: str
    flow: str = NEXT
    target: int | None = None
    symbol: str = ""
    """Name that a relocation inserts into the instruction."""
    padding: bool = False
    """Whether it is filler after the end of a program, which is never executed."""

    @property
    def end(self) -> int:
        """Pc of the byte after this instruction."""
        return self.pc + self.size


class DecodedInstructions(NamedTuple):
    """Instructions by pc, without overlaps; `why` is the reason if some are missing, else ""."""

    instructions: list[Instruction]
    why: str = ""
