"""Basic blocks: sequences of instructions, entered only at the first and left only at the last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from data_loaders.tinygrad.machine.instruction import BRANCH, END, JUMP, Instruction

TAKEN, NOT_TAKEN, ALWAYS = "taken", "not taken", "always"


class BasicBlock(NamedTuple):
    """Instructions with `start` <= pc < `end`."""

    start: int
    end: int


class Edge(NamedTuple):
    """A control-flow edge between two blocks, given by their ranks."""

    source: int
    target: int
    kind: str


def basic_blocks(instructions: Sequence[Instruction]) -> tuple[list[BasicBlock], list[Edge]]:
    """Compute the basic blocks, by pc, and their edges, of instructions that are sorted by pc and
    do not overlap.

    A block begins at the first instruction, at each jump target, and after a jump, an end or a gap.
    Padding after an end belongs to the block that ends. Jumps to addresses without a block have no
    edge.
    """
    runs = list(_runs(instructions))
    rank = {run[0].pc: place for place, run in enumerate(runs)}
    edges = []
    for place, run in enumerate(runs):
        edges += [Edge(place, rank[pc], kind) for pc, kind in _successors(run) if pc in rank]
    return [BasicBlock(run[0].pc, run[-1].end) for run in runs], edges


def _runs(instructions: Sequence[Instruction]) -> Iterator[Sequence[Instruction]]:
    """Yield the instructions of each block, in order of pc."""
    jumps = [instruction for instruction in instructions if instruction.flow in (JUMP, BRANCH)]
    targets = {jump.target for jump in jumps}
    starts = [
        place
        for place, (previous, instruction) in enumerate(pairwise(instructions), start=1)
        if instruction.pc in targets
        or instruction.pc != previous.end
        or _ends_block(previous, instruction)
    ]
    for begin, end in pairwise([0, *starts, len(instructions)] if instructions else []):
        yield instructions[begin:end]


def _ends_block(previous: Instruction, instruction: Instruction) -> bool:
    """Whether a block must end between two successive instructions: after a jump or branch, or an
    end without padding behind it.
    """
    return previous.flow in (JUMP, BRANCH) or (previous.flow == END and not instruction.padding)


def _successors(run: Sequence[Instruction]) -> Iterator[tuple[int, str]]:
    """Yield (pc, kind of the edge) of the possible successors of a block: jump target, then the
    next instruction.

    No successor if the block ends the program.
    """
    last = run[-1]
    if any(instruction.flow == END for instruction in run):
        return
    if last.flow in (JUMP, BRANCH) and last.target is not None:
        yield last.target, ALWAYS if last.flow == JUMP else TAKEN
    if last.flow != JUMP:
        yield last.end, NOT_TAKEN if last.flow == BRANCH else ALWAYS
