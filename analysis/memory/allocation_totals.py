"""Totals of a compiled module's allocations, by kind and by memory space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from schema.allocation_totals import ALLOCATION_KINDS


@dataclass(frozen=True)
class AllocationTotals:
    """Bytes of a module's allocations.

    `stated` is the total in the file or in the report beside it, None if neither has one. `by_kind`
    has the kinds that occur, in the order of `ALLOCATION_KINDS`, `by_memory` the memory spaces by
    number.
    """

    total: int
    stated: int | None
    by_kind: Mapping[str, int]
    by_memory: Mapping[int, int]


def allocation_totals(totals: pd.DataFrame) -> AllocationTotals:
    """Sum the bytes of frame `allocation_totals` in all, by kind and by memory space, and take the
    total that the file reports itself (`None` without it).
    """
    is_reported = totals["reported"].to_numpy(bool)
    own = totals[~is_reported]
    by_kind = own.groupby("kind", observed=True)["bytes"].sum().to_dict()
    by_memory = own.groupby("memory")["bytes"].sum().to_dict()
    stated = totals.loc[is_reported, "bytes"].tolist()
    return AllocationTotals(
        int(own["bytes"].sum()),
        stated[0] if stated else None,
        {kind: int(by_kind[kind]) for kind in ALLOCATION_KINDS if kind in by_kind},
        {int(memory): int(size) for memory, size in sorted(by_memory.items())},
    )
