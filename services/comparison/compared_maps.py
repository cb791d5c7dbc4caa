"""Pairs of memory maps of two runs, with the change of each block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.comparison.plans import Pair, attempt_pairs
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from schema.choices import PLACED
from services.comparison.compared_runs import ComparedRun
from services.comparison.data import CompareData

SAME = "unchanged"
"""Word for a block without a change."""
CHANGES = ("born", "gone", "grown", "shrunk", "longer", "shorter", "shifted", "moved", "renamed")
"""Words for changes of a block; if several apply, the first one is used."""


@dataclass(frozen=True)
class MapPair:
    """The maps of two attempts or levels that are paired; `key` is their common name.

    Their attempts have the numbers 0 and 1. `blocks` of both has a column `change` (str): a word of
    CHANGES, or `unchanged`.
    """

    key: str
    base: AttemptMap
    new: AttemptMap


def map_pairs(data: CompareData) -> list[Pair]:
    """Return the pairs (key, row of the base attempt, row of the new attempt) of attempts: first
    the largest changes of extent (0 if an extent is unknown), of equal changes the attempts with
    changed blocks.
    """
    base, new = data.plans

    def change(pair: Pair) -> float:
        base_extent = base.attempts["extent"].iloc[pair[1]]
        new_extent = new.attempts["extent"].iloc[pair[2]]
        return (
            0.0
            if pd.isna(base_extent) or pd.isna(new_extent)
            else abs(float(new_extent) - float(base_extent))
        )

    changed = set(data.blocks["attempt"])
    return sorted(
        attempt_pairs(base, new), key=lambda pair: (-change(pair), pair[0] not in changed)
    )


def shown_pair(data: CompareData, key: str) -> MapPair | None:
    """Return the maps of the pair `key`, else of the first pair; `None` if no attempts are
    paired.
    """
    pairs = map_pairs(data)
    if not pairs:
        return None
    pair = next((pair for pair in pairs if pair[0] == key), pairs[0])
    changed = data.blocks[data.blocks["attempt"] == pair[0]]
    numbers = [
        int(plan.attempts["attempt"].iloc[place])
        for plan, place in zip(data.plans, pair[1:], strict=True)
    ]
    base, new = (_map(run, number) for run, number in zip(data.detail_runs, numbers, strict=True))
    return MapPair(pair[0], _side(base, changed, "base", 0), _side(new, changed, "new", 1))


def _map(run: ComparedRun, attempt: int) -> AttemptMap:
    """Return the map of an attempt; it is laid out if its blocks have no addresses. Raises KeyError
    if there is no map.
    """
    chosen = MemorySelection(attempt=attempt)
    amap = run.memory.shown_map(chosen, run.memory.layout(chosen, PLACED))
    if amap is None:
        raise KeyError(attempt)
    return amap


def _side(amap: AttemptMap, changed: pd.DataFrame, side: str, number: int) -> AttemptMap:
    """Return a copy of the map with the attempt number `number`, level `side`, and column `change`
    in its blocks.
    """
    blocks = amap.blocks.assign(
        change=_words(amap.blocks["block"].to_numpy(np.int64), changed, side)
    )
    return replace(amap, attempt={**amap.attempt, "attempt": number, "level": side}, blocks=blocks)


def _words(blocks: np.ndarray, changed: pd.DataFrame, side: str) -> Sequence[str]:
    """Return the word for the change of each block, in the order of `blocks`; SAME (`unchanged`)
    for a block that is not in `changed`.
    """
    own = changed[changed[f"block_{side}"].notna()]
    flags = own[[*CHANGES]].to_numpy(bool)
    # argmax finds the first change in the order of CHANGES
    words = np.array(CHANGES, dtype=object)[flags.argmax(axis=1)] if len(own) else []
    word_by_block = dict(zip(own[f"block_{side}"].astype(int), words, strict=True))
    return [str(word_by_block.get(int(block), SAME)) for block in blocks]
