"""Loops in a program's machine code: their blocks, the loops of the source text that they match,
and the hottest loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from analysis.program.issues import hottest_loop
from analysis.program.loop_pairs import LoopPairs, nested_loops, pair_loops
from analysis.program.loops import can_find_loops, innermost_loops, natural_loops
from analysis.program.source_loops import source_loops


@dataclass(frozen=True)
class Loops:
    """Blocks of innermost loops, and of the loop that issued the most instructions, if that is
    known.

    `number_of` maps a block to the number of its loop in the source text. `is_known` is False if
    there are too many blocks to search for loops.
    """

    innermost: frozenset[int] = frozenset()
    hottest: frozenset[int] = frozenset()
    number_of: Mapping[int, int] = field(default_factory=dict)
    is_known: bool = True

    def name(self, block: int) -> str:
        """Kind of the loop that contains a block: "hottest loop", "innermost loop", or "" if the
        block is in no innermost loop.
        """
        if block in self.hottest:
            return "hottest loop"
        return "innermost loop" if block in self.innermost else ""

    def words(self, block: int) -> str:
        """Kind of the loop that contains a block, after the number of its loop in the source text:
        `loop 2 · hottest loop`. A part that is unknown is left out; "" if neither is known.
        """
        number = self.number_of.get(block)
        return " · ".join(filter(None, (f"loop {number}" if number else "", self.name(block))))


def block_loops(source: str, blocks: pd.DataFrame, edges: pd.DataFrame, issued: pd.Series) -> Loops:
    """Find the loops of a program from its source text and its rows of `basic_blocks` and
    `block_edges`.

    `issued` maps a pc to the number of times that thread traces recorded its issue; empty if there
    are no traces, and then no loop is the hottest.
    """
    loops = innermost_loops(blocks["block"].tolist(), block_pairs(edges))
    same = same_loops(source, blocks, edges)
    numbers = {block: same.of_block(block) for block in blocks["block"].tolist()}
    number_of = {block: number for block, number in numbers.items() if number is not None}
    can_find = can_find_loops(blocks["block"].tolist(), block_pairs(edges))
    return Loops(
        frozenset[int]().union(*loops), hottest_loop(loops, blocks, issued), number_of, can_find
    )


def same_loops(source: str, blocks: pd.DataFrame, edges: pd.DataFrame) -> LoopPairs:
    """Match the loops of a source text with the loops of its machine code (rows of `basic_blocks`
    and `block_edges`); without matches if their nesting differs.
    """
    loops = natural_loops(blocks["block"].tolist(), block_pairs(edges))
    return pair_loops(source_loops(source), nested_loops(loops))


def block_pairs(edges: pd.DataFrame) -> list[tuple[int, int]]:
    """Convert rows of `block_edges` to pairs of block numbers (source, target), in the order of the
    rows.
    """
    return list(zip(edges["source"].tolist(), edges["target"].tolist(), strict=True))
