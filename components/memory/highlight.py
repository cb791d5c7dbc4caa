"""Highlighted blocks of a memory map: selected block, search matches, blocks in selected bank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from schema.array_types import Bools, Ints

MAX_MATCHES = 300
"""Maximum number of search matches that are outlined and drawn singly."""


@dataclass(frozen=True)
class Highlight:
    """Masks of the highlighted blocks of a map.

    `chosen`: the selected block. `found`: search matches, None without a search. `lit`: blocks that
    are not faded, None if no block is faded.
    """

    chosen: Bools
    found: Bools | None
    lit: Bools | None

    @property
    def outline_mask(self) -> Bools:
        """Mask of the search matches to outline; all False without a search or if there are more
        than 300 (MAX_MATCHES).
        """
        few = self.found is not None and self.found.sum() <= MAX_MATCHES
        return (
            self.found if few and self.found is not None else np.zeros(len(self.chosen), dtype=bool)
        )

    @property
    def single(self) -> Ints:
        """Ascending positions of the blocks that must be drawn singly: selected and outlined
        blocks.
        """
        return np.flatnonzero(self.chosen | self.outline_mask)


def highlights(
    maps: Sequence[AttemptMap], selection: MemorySelection, search: str, used: Ints | None = None
) -> list[Highlight]:
    """Compute the highlighted blocks of each map, in order.

    `search` is a case-insensitive part of a name or operator type, "" for no search. `used` are
    ranks of blocks of the selected attempt that are not faded either, None for no such blocks.
    """
    name = _chosen_name(maps, selection)
    marked = [_highlight(amap, selection, find_blocks(amap, search), name) for amap in maps]
    return (
        marked
        if used is None
        else [_with_used(*pair, selection, used) for pair in zip(marked, maps, strict=True)]
    )


def find_blocks(amap: AttemptMap, search: str) -> Bools | None:
    """Compute the mask of the blocks whose name or operator type contains `search`, regardless of
    case; None if `search` is blank.
    """
    text = search.strip().lower()
    if not text:
        return None
    types = amap.blocks["op_type"]
    hit = np.array(
        [*(text in str(name).lower() for name in types.cat.categories), False], dtype=bool
    )
    named = amap.blocks["name"].str.lower().str.contains(text, regex=False).to_numpy(bool)
    # A missing type has code -1, which selects the appended False.
    return np.asarray(named | hit[types.cat.codes.to_numpy()])


def _with_used(
    mark: Highlight, amap: AttemptMap, selection: MemorySelection, used: Ints
) -> Highlight:
    if amap.number != selection.attempt:
        return mark
    lit = np.isin(amap.blocks["block"].to_numpy(np.int64), used)
    return replace(mark, lit=lit if mark.lit is None else mark.lit | lit)


def _highlight(
    amap: AttemptMap, selection: MemorySelection, hits: Bools | None, name: str | None
) -> Highlight:
    own = selection.block is not None and amap.number == selection.attempt
    chosen = (amap.blocks["block"] == selection.block).to_numpy(bool) & own
    if name is None:
        return Highlight(chosen, hits, _in_bank(amap, selection) if hits is None else hits)
    # Each memory level has its own block for the same tensor, so these are matched by name.
    same = chosen if own else (amap.blocks["name"] == name).to_numpy(bool)
    return Highlight(chosen, hits, same if hits is None else same | hits)


def _chosen_name(maps: Sequence[AttemptMap], selection: MemorySelection) -> str | None:
    """Return the name of the selected block, None if no block is selected or its attempt is not
    among `maps`.
    """
    blocks = [amap.blocks for amap in maps if amap.number == selection.attempt]
    if selection.block is None or not blocks:
        return None
    names = blocks[0].loc[blocks[0]["block"] == selection.block, "name"]
    return str(names.iloc[0]) if len(names) else None


def _in_bank(amap: AttemptMap, selection: MemorySelection) -> Bools | None:
    """Compute the mask of the blocks that overlap the selected bank; None if no bank of this map is
    selected.
    """
    width = amap.whole("bank_bytes")
    if selection.bank is None or not width or selection.attempt not in (None, amap.number):
        return None
    low = amap.blocks["address"].to_numpy(np.float64, na_value=np.nan)
    high = low + amap.blocks["size"].to_numpy(np.float64)
    return np.asarray((low < (selection.bank + 1) * width) & (high > selection.bank * width))
