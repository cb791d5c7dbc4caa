"""Banks that two ranges of bytes have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.occupancy import MOST_BANKS
from schema.array_types import Ints


@dataclass(frozen=True)
class Banks:
    """A memory of `count` banks of `width` bytes, the first at address 0."""

    count: int
    width: int

    @property
    def bytes(self) -> int:
        """Return the bytes of all banks."""
        return self.count * self.width


@dataclass(frozen=True)
class Touched:
    """Banks that the ranges of each pair share: the first and how many; both int64."""

    first: Ints
    count: Ints

    def each(self) -> tuple[Ints, Ints]:
        """Return every shared bank: the position of its pair, and its number."""
        pair = np.repeat(np.arange(len(self.count), dtype=np.int64), self.count)
        within = np.arange(len(pair)) - np.repeat(np.cumsum(self.count) - self.count, self.count)
        return pair, self.first[pair] + within


def banks_of(amap: AttemptMap, events: pd.DataFrame | None) -> Banks | None:
    """Return the banks of an attempt of which it is known what its steps use; None where either is not."""
    banks = Banks(amap.whole("banks") or 0, amap.whole("bank_bytes") or 0)
    known = events is not None and len(events) > 0
    return banks if known and banks.width and 0 < banks.count <= MOST_BANKS else None


def shared_banks(banks: Banks, low: tuple[Ints, Ints], size: tuple[Ints, Ints]) -> Touched:
    """Return the banks that two ranges of each pair share; an empty range counts as one byte."""
    high = [begin + np.maximum(length, 1) for begin, length in zip(low, size, strict=True)]
    first = np.minimum(np.maximum(*low) // banks.width, banks.count)
    # Two blocks far apart share a bank where the higher begins in the one in which the lower ends.
    last = np.minimum((np.minimum(*high) - 1) // banks.width, banks.count - 1)
    return Touched(first, np.maximum(last - first + 1, 0))
