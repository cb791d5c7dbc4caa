"""Replays a changed map: the peak that it has if its blocks are placed again, or only counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
import pandas as pd

from analysis.allocators.compiler import can_compile, is_prepared
from analysis.allocators.demand import Demand, demand
from analysis.allocators.listed import DEFAULT
from analysis.allocators.packing import PACKERS, place_in_order
from analysis.allocators.placement import Question
from analysis.allocators.problem import build_problem
from analysis.memory.attempt_map import AttemptMap
from analysis.peak.live import LiveBytes, live_bytes
from analysis.peak.parts import is_placed_map
from schema.array_types import Ints
from schema.memory import MAX_BYTES

SETTLE, COUNT, AS_STORED = "settle", "count", "stored"
"""Names of replays that are no strategies of the lab: each storage as low as possible in the order
of its present address; bytes alive counted without places; the addresses of the file."""
MAX_PARTS = 2_500
"""Maximum number of parts of lifetimes that are placed again: the time grows with their square."""
_MAX_PLACED = 40_000
"""Maximum number of blocks that the replays of a map place in all, about two seconds."""
_EFFORT = 2_000
"""Number of placements that the search may try in a replay, so that its result is repeatable."""
_STRATEGIES = 3
"""Number of strategies of a replay."""
_COUNT_SHARE = 0.02
"""Time to count a block, as a share of the time to place it."""


@dataclass(frozen=True)
class Replayed:
    """Peak of a replay in bytes, and the name of the strategy that reached it."""

    peak: int
    strategy: str


class Replay:
    """Replays of changes to a map. Constants below the arena are part of every peak."""

    def __init__(self, amap: AttemptMap) -> None:
        self.static = amap.whole("static_bytes") or 0
        self.is_placed = is_placed_map(amap)
        self.amap = amap

    @cached_property
    def live(self) -> LiveBytes:
        """Bytes alive over time as the file has them."""
        return live_bytes(self.amap.attempt, self.amap.blocks)

    @cached_property
    def base(self) -> Replayed:
        """The lowest peak without any change of the blocks: as stored, or placed again."""
        if not self.is_placed:
            return Replayed(self.static + self.live.peak, AS_STORED)
        stored = Replayed(self.static + (self.amap.whole("extent") or 0), AS_STORED)
        placed = min(self.needs, key=lambda name: self.needs[name])
        return stored if stored.peak <= self.needs[placed] else Replayed(self.needs[placed], placed)

    @cached_property
    def needs(self) -> Mapping[str, int]:
        """Strategy -> the peak that it reaches with the stored blocks; empty for maps without
        places.
        """
        if not self.is_placed:
            return MappingProxyType({})
        packed = _pack_extents(self.amap, tuple(PACKERS))
        return {name: self.static + extent for name, extent in packed.items()} | self._search_peak(
            self.amap
        )

    @cached_property
    def is_too_large(self) -> bool:
        """Whether the map has too many parts of lifetimes, or bytes, to place it again."""
        if not self.is_placed:
            return False
        wanted = demand(self.amap)
        total = float(wanted.size.sum(dtype=np.float64))
        return len(wanted.storage) > MAX_PARTS or total > MAX_BYTES / 2

    @property
    def budget(self) -> int:
        """Maximum number of replays of this map, at least 1."""
        each = len(self.amap.blocks) * (_STRATEGIES if self.is_placed else _COUNT_SHARE)
        return max(1, int(_MAX_PLACED / max(1, each)))

    def measure(self, blocks: pd.DataFrame) -> Replayed:
        """Return the lowest peak of all strategies if the map has these blocks."""
        if not self.is_placed:
            return Replayed(self.static + self.live.of(blocks).peak, COUNT)
        # Only blocks are replaced: the placement computes lifetimes from them.
        changed = replace(self.amap, blocks=blocks)
        peaks = self._search_peak(changed)
        # The search begins with greedy layouts, so that the simple strategies find no less.
        packed = _pack_extents(changed, () if peaks else tuple(PACKERS))
        peaks |= {name: self.static + extent for name, extent in packed.items()}
        best = min(peaks, key=lambda name: peaks[name])
        return Replayed(peaks[best], best)

    def _search_peak(self, amap: AttemptMap) -> dict[str, int]:
        """Return the peak that the search reaches, by its name; {} before it has been compiled."""
        if not self._is_searching:
            return {}
        from analysis.allocators.strategies import STRATEGIES  # noqa: PLC0415 - loads the compiler

        placement = STRATEGIES[DEFAULT].allocate(
            build_problem(amap), Question(effort=_EFFORT), None
        )
        return {} if placement.extent is None else {DEFAULT: self.static + placement.extent}

    @cached_property
    def _is_searching(self) -> bool:
        # A request cannot wait for the compiler; a cached search takes milliseconds.
        return can_compile() and is_prepared()


def _pack_extents(amap: AttemptMap, names: tuple[str, ...]) -> dict[str, int]:
    """Map strategies to the highest end of their placements, the order of addresses too."""
    wanted = demand(amap)
    size = amap.blocks["size"].to_numpy(np.int64)[wanted.arena]
    extents = {name: _top(PACKERS[name](wanted), wanted, size) for name in names}
    address = amap.blocks["address"].to_numpy(np.int64, na_value=0)[wanted.row]
    settled = place_in_order(wanted, np.argsort(address, kind="stable"))
    return extents | {SETTLE: _top(settled, wanted, size)}


def _top(address: Ints, wanted: Demand, size: Ints) -> int:
    return int((address[wanted.of] + size).max(initial=0))
