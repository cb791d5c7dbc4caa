"""Basic blocks of a program: sequences of instructions that are entered only at the first and left
only after the last.
"""

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
    """Compute the basic blocks and edges of instructions that are sorted by pc and do not overlap.

    A block begins at the first instruction, at each jump target, and after a jump, an end or a gap.
    Padding after an end belongs to the block that ends.
    """
    runs = list(_runs(instructions))
    rank = {run[0].pc: place for place, run in enumerate(runs)}
    edges = [Edge(place, rank[pc], kind) for place, run in enumerate(runs) for pc, kind in _ways(run) if pc in rank]
    return [BasicBlock(run[0].pc, run[-1].end) for run in runs], edges


def _runs(instructions: Sequence[Instruction]) -> Iterator[Sequence[Instruction]]:
    """Yield the instructions of each block."""
    targets = {found.target for found in instructions if found.flow in (JUMP, BRANCH)}
    starts = [
        place
        for place, (before, found) in enumerate(pairwise(instructions), start=1)
        if found.pc in targets or found.pc != before.end or _parts(before, found)
    ]
    for begin, end in pairwise([0, *starts, len(instructions)] if instructions else []):
        yield instructions[begin:end]


def _parts(before: Instruction, found: Instruction) -> bool:
    """Whether a block must end between two consecutive instructions."""
    return before.flow in (JUMP, BRANCH) or (before.flow == END and not found.padding)


def _ways(run: Sequence[Instruction]) -> Iterator[tuple[int, str]]:
    """Yield the pcs of the possible successors of a block, with the kind of the edge."""
    last = run[-1]
    if any(found.flow == END for found in run):
        return
    if last.flow in (JUMP, BRANCH) and last.target is not None:
        yield last.target, ALWAYS if last.flow == JUMP else TAKEN
    if last.flow != JUMP:
        yield last.end, NOT_TAKEN if last.flow == BRANCH else ALWAYS
