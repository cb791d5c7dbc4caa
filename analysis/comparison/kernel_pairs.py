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
        """Convert the pairs to a dict: `matched` (records with base, new and how), `only_base` and
        `only_new` (names).
        """
        matched = [{"base": base, "new": new, "how": how} for base, new, how in self.matched]
        return {"matched": matched, "only_base": self.only_base, "only_new": self.only_new}


def key_of(base: str, new: str) -> str:
    """Return the key of a pair of kernels: their name, or both if the kernel was renamed."""
    return base if base == new else f"{base} -> {new}"


def paired_kernels(base: pd.DataFrame, new: pd.DataFrame) -> KernelPairs:
    """Match the kernels of two sides, and return the pairs of names and the names without a match.

    Each side has a row per kernel, in order of first launch: name (str), source (str, of its
    program, "" if unknown), function (str), operations (float64, per run, NaN if unknown) and runs
    (int64). Kernels match by name, then by source without the function's name, then by operations
    and runs; several equal kernels match in their order. Durations are never used.
    """
    rows = base.set_index("name", drop=False), new.set_index("name", drop=False)
    shared = [name for name in rows[0].index if name in rows[1].index]
    matched = [(name, name, BY_NAME) for name in shared]
    left = [side.drop(index=shared) for side in rows]
    for how, key in ((BY_SOURCE, _source_key), (BY_OPERATIONS, _work_key)):
        pairs = _in_order(left[0], left[1], key)
        matched += [(base_name, new_name, how) for base_name, new_name in pairs]
        left = [side.drop(index=[pair[place] for pair in pairs]) for place, side in enumerate(left)]
    return KernelPairs(matched, left[0].index.tolist(), left[1].index.tolist())


def _in_order(
    base: pd.DataFrame, new: pd.DataFrame, key: Callable[[Mapping[str, object]], Hashable | None]
) -> list[tuple[str, str]]:
    """Pair names (base, new) with equal keys in the order of the rows, for keys that both sides
    have equally often. Names whose key is `None`, or occurs more often on either side, are not
    paired.
    """
    groups: dict[Hashable, tuple[list[str], list[str]]] = {}
    for side, rows in enumerate((base, new)):
        for row in rows.to_dict("records"):
            # A kernel without a key (unknown source or operations) matches no other kernel.
            row_key = key(row)
            if row_key is not None:
                groups.setdefault(row_key, ([], []))[side].append(str(row["name"]))
    matched = [
        zip(base_names, new_names, strict=True)
        for base_names, new_names in groups.values()
        if len(base_names) == len(new_names)
    ]
    return [pair for pairs in matched for pair in pairs]


def _source_key(row: Mapping[str, object]) -> Hashable | None:
    """Return a kernel's source text without its function's name; `None` if the source
    is unknown.
    """
    source = str(row["source"])
    if not source:
        return None
    function = re.escape(str(row["function"]))
    return re.sub(rf"\b{function}\b", "", source) if row["function"] else source


def _work_key(row: Mapping[str, object]) -> Hashable | None:
    """Return a kernel's (operations, runs); `None` if the operations are unknown."""
    operations = float(str(row["operations"]))
    return None if operations != operations else (operations, row["runs"])  # noqa: PLR0124 - NaN is not itself
