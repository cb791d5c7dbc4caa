"""Matches loops of a source text with loops of its machine code by their nesting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

MAX_NESTED = 50
"""Maximum nesting depth of loops; kernels have a dozen. It bounds recursive walks."""


@dataclass(frozen=True)
class Loop:
    """Loop with its parts (lines or blocks), and the loops directly inside it, in order."""

    parts: frozenset[int]
    inside: list[Loop] = field(default_factory=list)

    @property
    def shape(self) -> tuple[object, ...]:
        """Nesting of the loops inside this loop as nested tuples, () without any; equal tuples mean
        equal nesting.
        """
        return tuple(loop.shape for loop in self.inside)

    @property
    def innermost(self) -> int:
        """Number of innermost loops in this loop; 1 if it has no loop inside."""
        return sum(loop.innermost for loop in self.inside) or 1


@dataclass(frozen=True)
class LoopPairs:
    """Matching loops of a source text and of machine code, in the order of the source.

    `matched` has the lines (from 1) and the blocks of each loop. `source` and `machine` are the
    numbers of innermost loops.
    """

    matched: list[tuple[frozenset[int], frozenset[int]]]
    source: int
    machine: int

    def find_by_line(self, line: int) -> int | None:
        """Find the number (from 1) of the innermost matched loop that contains this line (from 1);
        `None` if there is no such loop.
        """
        return _deepest(line, [lines for lines, _ in self.matched])

    def of_block(self, block: int) -> int | None:
        """Find the number (from 1) of the innermost matched loop that contains this block; `None`
        if there is no such loop.
        """
        return _deepest(block, [blocks for _, blocks in self.matched])


def _deepest(part: int, loops: Sequence[frozenset[int]]) -> int | None:
    own = [number for number, loop in enumerate(loops, 1) if part in loop]
    return min(own, key=lambda number: (len(loops[number - 1]), -number), default=None)


def nested_loops(sets: Iterable[frozenset[int]]) -> list[Loop]:
    """Build the outermost loops from sets of parts, ordered by their first part, each with the
    loops that it contains.

    Equal sets count once. Sets that are nested deeper than MAX_NESTED (50) are dropped. [] without
    sets.
    """
    outermost: list[Loop] = []
    for parts in sorted(set(sets), key=lambda parts: (-len(parts), min(parts))):
        inside, depth = outermost, 0
        while (around := next((loop for loop in inside if parts < loop.parts), None)) is not None:
            inside = around.inside
            depth = depth + 1
        if depth < MAX_NESTED:
            inside.append(Loop(parts))
    return _in_order(outermost)


def _in_order(loops: list[Loop]) -> list[Loop]:
    return [
        Loop(loop.parts, _in_order(loop.inside))
        for loop in sorted(loops, key=lambda loop: min(loop.parts))
    ]


def pair_loops(source: Sequence[Loop], machine: Sequence[Loop]) -> LoopPairs:
    """Match loops of a source text with loops of machine code, by their order.

    All loops match if both sides have the same number of outermost loops, and either a single loop
    or equal nesting; inner loops only as far as they do. If a compiler unrolled, vectorised or
    split loops, the numbers differ and no loops are matched.
    """
    return LoopPairs(
        list(_pairs(source, machine)),
        sum(loop.innermost for loop in source),
        sum(loop.innermost for loop in machine),
    )


def _pairs(
    source: Sequence[Loop], machine: Sequence[Loop]
) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    if len(source) != len(machine):
        return
    if len(source) > 1 and [loop.shape for loop in source] != [loop.shape for loop in machine]:
        return
    for source_loop, machine_loop in zip(source, machine, strict=True):
        yield source_loop.parts, machine_loop.parts
        yield from _pairs(source_loop.inside, machine_loop.inside)
