"""Loops of a program's machine code: which blocks are in them, which are those of its source text, which is hottest."""

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
    """Blocks of innermost loops, and of the one that issued most instructions where it is known.

    `number_of` is block -> number of the loop of the source text that it belongs to. Where there are too many blocks to
    look for loops, `is_known` is False.
    """

    innermost: frozenset[int] = frozenset()
    hottest: frozenset[int] = frozenset()
    number_of: Mapping[int, int] = field(default_factory=dict)
    is_known: bool = True

    def name(self, block: int) -> str:
        """Return what a block is called; empty where it is in no innermost loop."""
        if block in self.hottest:
            return "hottest loop"
        return "innermost loop" if block in self.innermost else ""

    def words(self, block: int) -> str:
        """Return that and the number of its loop in the source text; empty where it is in no loop that is told."""
        number = self.number_of.get(block)
        return " · ".join(filter(None, (f"loop {number}" if number else "", self.name(block))))


def block_loops(source: str, blocks: pd.DataFrame, edges: pd.DataFrame, issued: pd.Series) -> Loops:
    """Return the loops of rows of `basic_blocks` and `block_edges` of a program with this source text.

    `issued` is pc -> how often thread traces saw it issued, empty where there are none.
    """
    found = innermost_loops(blocks["block"].tolist(), block_pairs(edges))
    same = same_loops(source, blocks, edges)
    numbers = {block: same.of_block(block) for block in blocks["block"].tolist()}
    known = {block: number for block, number in numbers.items() if number is not None}
    can_find = can_find_loops(blocks["block"].tolist(), block_pairs(edges))
    return Loops(frozenset[int]().union(*found), hottest_loop(found, blocks, issued), known, can_find)


def same_loops(source: str, blocks: pd.DataFrame, edges: pd.DataFrame) -> LoopPairs:
    """Return which loops of a source text and of its machine code are the same."""
    loops = natural_loops(blocks["block"].tolist(), block_pairs(edges))
    return pair_loops(source_loops(source), nested_loops(loops))


def block_pairs(edges: pd.DataFrame) -> list[tuple[int, int]]:
    """Return rows of `block_edges` as pairs of blocks: where a way begins and ends."""
    return list(zip(edges["source"].tolist(), edges["target"].tolist(), strict=True))
