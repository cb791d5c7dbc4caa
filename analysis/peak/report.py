"""The peak of a map with its parts, and advice that lowers it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.peak.advice import AdviceList, PeakAdvice
from analysis.peak.changes import Freed
from analysis.peak.parts import PeakParts


@dataclass(frozen=True)
class FreedBlock:
    """A block that a piece of advice names: its rank, name and bytes, and the steps [begin, end) in
    which it need not be in memory.
    """

    block: int
    name: str
    size: int
    begin: int
    end: int


@dataclass(frozen=True)
class PeakReport:
    """Parts of the peak of a map, and advice on it. `base` is the lowest peak without a change of
    the blocks: as stored, or placed again.
    """

    amap: AttemptMap
    parts: PeakParts
    base: int
    advice: AdviceList

    @property
    def gained_by_allocator(self) -> int:
        """Bytes by which placing the same blocks again lowers the peak."""
        return max(self.parts.peak - self.base, 0)

    @cached_property
    def _blocks(self) -> pd.DataFrame:
        return self.amap.blocks[["block", "name", "size"]]

    def freed_block(self, freed: Freed) -> FreedBlock:
        """Return the block of a storage that a piece of advice names."""
        row = self._blocks.iloc[freed.row]
        return FreedBlock(
            int(row["block"]), str(row["name"]), int(row["size"]), freed.begin, freed.end
        )

    def named_blocks(self, advice: PeakAdvice, limit: int) -> list[FreedBlock]:
        """List the first `limit` blocks that a piece of advice names."""
        return [self.freed_block(one) for one in advice.freed[:limit]]
