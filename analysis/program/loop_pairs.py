"""Loops of a source text against those of its machine code: which are the same, as far as their nesting decides it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

MOST_NESTED = 50
"""Loops in loops; kernels have a dozen, and walks over them go as deep."""


@dataclass(frozen=True)
class Loop:
    """A loop: the lines or blocks that are in it, and the loops inside of it, in order."""

    parts: frozenset[int]
    inside: list[Loop] = field(default_factory=list)

    @property
    def shape(self) -> tuple[object, ...]:
        """Return how the loops in it nest."""
        return tuple(loop.shape for loop in self.inside)

    @property
    def innermost(self) -> int:
        """Return how many loops without a loop are in it, itself counted."""
        return sum(loop.innermost for loop in self.inside) or 1


@dataclass(frozen=True)
class LoopPairs:
    """Loops of a source text and of machine code that are the same, in the order of the source.

    `matched`: lines from 1 and blocks of each. `source` and `machine` count innermost loops.
    """

    matched: list[tuple[frozenset[int], frozenset[int]]]
    source: int
    machine: int

    def of_line(self, line: int) -> int | None:
        """Return the number, from 1, of the innermost matched loop that a line is in; None where it is in none."""
        return _deepest(line, [lines for lines, _ in self.matched])

    def of_block(self, block: int) -> int | None:
        """Return the number of the innermost matched loop that a block is in."""
        return _deepest(block, [blocks for _, blocks in self.matched])


def _deepest(part: int, loops: Sequence[frozenset[int]]) -> int | None:
    own = [number for number, loop in enumerate(loops, 1) if part in loop]
    return min(own, key=lambda number: (len(loops[number - 1]), -number), default=None)


def nested_loops(sets: Iterable[frozenset[int]]) -> list[Loop]:
    """Return the outermost of these sets as loops in order, each with those that it contains.

    What lies deeper than MOST_NESTED loops is no loop of its own.
    """
    found: list[Loop] = []
    for parts in sorted(set(sets), key=lambda one: (-len(one), min(one))):
        inside, depth = found, 0
        while (around := next((loop for loop in inside if parts < loop.parts), None)) is not None:
            inside, depth = around.inside, depth + 1
        if depth < MOST_NESTED:
            inside.append(Loop(parts))
    return _in_order(found)


def _in_order(loops: list[Loop]) -> list[Loop]:
    return [Loop(loop.parts, _in_order(loop.inside)) for loop in sorted(loops, key=lambda one: min(one.parts))]


def pair_loops(source: Sequence[Loop], machine: Sequence[Loop]) -> LoopPairs:
    """Return which loops are the same: one by one where as many lie side by side, and nest alike or are single.

    Where a compiler unrolled, vectorised or split loops, their numbers differ and nothing is paired.
    """
    return LoopPairs(
        list(_pairs(source, machine)),
        sum(loop.innermost for loop in source),
        sum(loop.innermost for loop in machine),
    )


def _pairs(source: Sequence[Loop], machine: Sequence[Loop]) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    if len(source) != len(machine):
        return
    if len(source) > 1 and [loop.shape for loop in source] != [loop.shape for loop in machine]:
        return
    for one, other in zip(source, machine, strict=True):
        yield one.parts, other.parts
        yield from _pairs(one.inside, other.inside)
