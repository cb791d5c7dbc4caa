"""Matches the kernels of two profiles by name, by source, or by operations."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

import pandas as pd

BY_NAME, BY_SOURCE, BY_OPERATIONS = "name", "source", "operations"
"""Ways by which kernels match."""


@dataclass(frozen=True)
class KernelPairs:
    """Matching names with the way they matched, and the names that only one side has."""

    matched: list[tuple[str, str, str]] = field(default_factory=list)
    only_base: list[str] = field(default_factory=list)
    only_new: list[str] = field(default_factory=list)

    def record(self) -> dict[str, object]:
        """Convert the pairs to plain values by name."""
        matched = [{"base": base, "new": new, "how": how} for base, new, how in self.matched]
        return {"matched": matched, "only_base": self.only_base, "only_new": self.only_new}


def paired_kernels(base: pd.DataFrame, new: pd.DataFrame) -> KernelPairs:
    """Match the kernels of two sides.

    Each side has a row per kernel, in order of first launch: name (str), source (str, of its
    program, "" if unknown), operations (float64, per run, NaN if unknown) and runs (int64). Kernels
    match by name, then by source without the function's name, then by operations and runs; several
    equal kernels match in their order. Durations are never used.
    """
    rows = base.set_index("name", drop=False), new.set_index("name", drop=False)
    shared = [name for name in rows[0].index if name in rows[1].index]
    matched = [(name, name, BY_NAME) for name in shared]
    left = [side.drop(index=shared) for side in rows]
    for how, key in ((BY_SOURCE, _source_key), (BY_OPERATIONS, _work_key)):
        found = _in_order(left[0], left[1], key)
        matched += [(one, other, how) for one, other in found]
        left = [left[0].drop(index=[one for one, _ in found]), left[1].drop(index=[other for _, other in found])]
    return KernelPairs(matched, left[0].index.tolist(), left[1].index.tolist())


def _in_order(
    base: pd.DataFrame, new: pd.DataFrame, key: Callable[[Mapping[str, object]], Hashable | None]
) -> list[tuple[str, str]]:
    """Pair names with equal keys in order, for keys that both sides have equally often."""
    groups: dict[Hashable, tuple[list[str], list[str]]] = {}
    for side, rows in enumerate((base, new)):
        for row in rows.to_dict("records"):
            # A kernel without a key (unknown source or operations) matches no other kernel.
            known = key(row)
            if known is not None:
                groups.setdefault(known, ([], []))[side].append(str(row["name"]))
    found = [zip(one, other, strict=True) for one, other in groups.values() if len(one) == len(other)]
    return [pair for pairs in found for pair in pairs]


def _source_key(row: Mapping[str, object]) -> Hashable | None:
    """Source text without the function's name; `None` if it is unknown."""
    source = str(row["source"])
    if not source:
        return None
    function = re.escape(str(row["function"]))
    return re.sub(rf"\b{function}\b", "", source) if row["function"] else source


def _work_key(row: Mapping[str, object]) -> Hashable | None:
    """Operations and runs; `None` if the operations are unknown."""
    operations = float(str(row["operations"]))
    return None if operations != operations else (operations, row["runs"])  # noqa: PLR0124 - NaN is not itself
