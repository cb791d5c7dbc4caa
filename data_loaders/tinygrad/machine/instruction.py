"""An instruction of any machine, and where a program goes on after it."""

from __future__ import annotations

from typing import NamedTuple

NEXT, JUMP, BRANCH, END = "next", "jump", "branch", "end"
"""Where it goes on: with what follows, at its target, at either of them, or nowhere."""


class Instruction(NamedTuple):
    """An instruction at `pc`, bytes from the first one. `target` is where it jumps to, None where that is not known."""

    pc: int
    size: int
    text: str
    flow: str = NEXT
    target: int | None = None
    symbol: str = ""
    """What a relocation puts into it."""
    padding: bool = False
    """It fills the room behind a program and is never reached."""

    @property
    def end(self) -> int:
        """Return the pc of what follows."""
        return self.pc + self.size


class DecodedInstructions(NamedTuple):
    """Instructions by pc, none of which overlap, and why they are not all; empty where they are."""

    instructions: list[Instruction]
    why: str = ""
