"""Memory banks that two byte ranges share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.occupancy import MAX_BANKS
from schema.array_types import Ints


@dataclass(frozen=True)
class Banks:
    """Memory of `count` banks of `width` bytes each; the first bank begins at address 0."""

    count: int
    width: int

    @property
    def bytes(self) -> int:
        """Bytes of all banks of the memory together."""
        return self.count * self.width


@dataclass(frozen=True)
class Touched:
    """Banks that the two ranges of each pair share: the first bank, and their number (int64)."""

    first: Ints
    count: Ints

    def each(self) -> tuple[Ints, Ints]:
        """List every bank that a pair of ranges shares, as two arrays: the index of the pair, and
        the number of the bank (from 0); sorted by both.
        """
        pair = np.repeat(np.arange(len(self.count), dtype=np.int64), self.count)
        within = np.arange(len(pair)) - np.repeat(np.cumsum(self.count) - self.count, self.count)
        return pair, self.first[pair] + within


def read_banks(amap: AttemptMap, events: pd.DataFrame | None) -> Banks | None:
    """Read the banks of an attempt; `None` if it has no banks or more than MAX_BANKS (64), or no
    events that list the operands of its steps.
    """
    banks = Banks(amap.whole("banks") or 0, amap.whole("bank_bytes") or 0)
    has_events = events is not None and len(events) > 0
    return banks if has_events and banks.width and 0 < banks.count <= MAX_BANKS else None


def shared_banks(banks: Banks, low: tuple[Ints, Ints], size: tuple[Ints, Ints]) -> Touched:
    """Compute the banks that the two ranges of each pair share: range i of side s has the bytes
    [low[s][i], low[s][i] + size[s][i]). An empty range counts as 1 byte; without a shared bank the
    count is 0.
    """
    high = [begin + np.maximum(length, 1) for begin, length in zip(low, size, strict=True)]
    first = np.minimum(np.maximum(*low) // banks.width, banks.count)
    # Disjoint blocks share a bank if the higher block begins in the bank in which the lower block
    # ends.
    last = np.minimum((np.minimum(*high) - 1) // banks.width, banks.count - 1)
    return Touched(first, np.maximum(last - first + 1, 0))
