"""Which blocks of a memory map stand out: the selected one, what a search found, what lies in the selected bank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from schema.array_types import Bools, Ints

MOST_FOUND = 300
"""Where a search finds more blocks than this they are neither outlined nor kept from being merged."""


@dataclass(frozen=True)
class Highlight:
    """What stands out in one map, as masks of its blocks.

    `chosen`: the selected block; `found`: what the search found, None without a search; `lit`: all that does not fade,
    None where nothing does.
    """

    chosen: Bools
    found: Bools | None
    lit: Bools | None

    @property
    def outline_mask(self) -> Bools:
        """Return the found blocks, none where they are too many to tell apart."""
        few = self.found is not None and self.found.sum() <= MOST_FOUND
        return self.found if few and self.found is not None else np.zeros(len(self.chosen), dtype=bool)

    @property
    def single(self) -> Ints:
        """Return the positions of blocks that are drawn singly in any case."""
        return np.flatnonzero(self.chosen | self.outline_mask)


def highlights(
    maps: Sequence[AttemptMap], selection: MemorySelection, search: str, used: Ints | None = None
) -> list[Highlight]:
    """Return what stands out in each map; `search` is part of a name or operator type, whatever its case.

    `used` are ranks of blocks of the selected attempt that stand out as well.
    """
    name = _chosen_name(maps, selection)
    marked = [_highlight(one, selection, find_blocks(one, search), name) for one in maps]
    return marked if used is None else [_with_used(*pair, selection, used) for pair in zip(marked, maps, strict=True)]


def find_blocks(amap: AttemptMap, search: str) -> Bools | None:
    """Return which blocks of a map a search finds by name or operator type; None without words."""
    text = search.strip().lower()
    if not text:
        return None
    types = amap.blocks["op_type"]
    hit = np.array([*(text in str(name).lower() for name in types.cat.categories), False], dtype=bool)
    named = amap.blocks["name"].str.lower().str.contains(text, regex=False).to_numpy(bool)
    return np.asarray(named | hit[types.cat.codes.to_numpy()])


def _with_used(mark: Highlight, amap: AttemptMap, selection: MemorySelection, used: Ints) -> Highlight:
    if amap.number != selection.attempt:
        return mark
    lit = np.isin(amap.blocks["block"].to_numpy(np.int64), used)
    return replace(mark, lit=lit if mark.lit is None else mark.lit | lit)


def _highlight(amap: AttemptMap, selection: MemorySelection, hits: Bools | None, name: str | None) -> Highlight:
    own = selection.block is not None and amap.number == selection.attempt
    chosen = (amap.blocks["block"] == selection.block).to_numpy(bool) & own
    if name is None:
        return Highlight(chosen, hits, _in_bank(amap, selection) if hits is None else hits)
    # In other levels the tensor has blocks of its own.
    same = chosen if own else (amap.blocks["name"] == name).to_numpy(bool)
    return Highlight(chosen, hits, same if hits is None else same | hits)


def _chosen_name(maps: Sequence[AttemptMap], selection: MemorySelection) -> str | None:
    """Return the name of the selected block, None where none is selected."""
    blocks = [one.blocks for one in maps if one.number == selection.attempt]
    if selection.block is None or not blocks:
        return None
    names = blocks[0].loc[blocks[0]["block"] == selection.block, "name"]
    return str(names.iloc[0]) if len(names) else None


def _in_bank(amap: AttemptMap, selection: MemorySelection) -> Bools | None:
    """Return which blocks lie in the selected bank, None where none is selected."""
    width = amap.whole("bank_bytes")
    if selection.bank is None or not width or selection.attempt not in (None, amap.number):
        return None
    low = amap.blocks["address"].to_numpy(np.float64, na_value=np.nan)
    high = low + amap.blocks["size"].to_numpy(np.float64)
    return np.asarray((low < (selection.bank + 1) * width) & (high > selection.bank * width))
