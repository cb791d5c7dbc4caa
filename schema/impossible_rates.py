"""Rates of executions that no hardware reaches: a duration or a number of bytes is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from schema.array_types import Bools
from schema.diagnostics import Diagnostic
from schema.plurals import plural

MAX_RATES: Mapping[str, float] = MappingProxyType(
    {"copied_bytes": 1e14, "memory_bytes": 1e15, "moved_bytes": 1e15, "operations": 1e18}
)
"""Work of an execution -> maximum per second, ten times or more of any device: 100 TB/s of a copy,
1 PB/s of a kernel, whose bytes may be in caches, 1 EFLOP/s.
"""
_RATES = MappingProxyType(
    {
        "memory_rate": ("memory_bytes", "copied_bytes"),
        "moved_rate": ("moved_bytes",),
        "flops": ("operations",),
    }
)
"""Rate in frame `kernels` -> the work of which it is."""
_REPORTED = ("copied_bytes", "operations")
"""Work that a file states exactly. Bytes of operands are an estimate: a node may read none."""
_RESOLUTION_NS = 1000
"""Duration that clocks of whole microseconds round to 0."""


def is_possible(kernels: pd.DataFrame, work: str) -> Bools:
    """Whether the work of each execution fits its duration (ns); True if either is unknown."""
    amount = kernels[work].to_numpy(np.float64, na_value=np.nan)
    duration = kernels["duration"].to_numpy(np.float64, na_value=np.nan)
    lasted = np.where(duration > 0, duration, _RESOLUTION_NS)
    return np.asarray(~(~np.isnan(duration) & (amount > MAX_RATES[work] * lasted * 1e-9)))


def without_impossible_rates(kernels: pd.DataFrame) -> tuple[pd.DataFrame, list[Diagnostic]]:
    """Replace rates of frame `kernels` that no hardware reaches by null.

    Also returns a finding that counts the executions with such a rate of copied bytes or
    operations.
    """
    columns: dict[str, Any] = {}
    for rate, works in _RATES.items():
        if rate in kernels:
            impossible = ~_are_possible(kernels, works)
            if impossible.any():
                columns[rate] = kernels[rate].mask(impossible)
    found = ~_are_possible(kernels, _REPORTED)
    return kernels.assign(**columns) if columns else kernels, _findings(kernels[found])


def _are_possible(kernels: pd.DataFrame, works: tuple[str, ...]) -> Bools:
    possible = np.ones(len(kernels), np.bool_)
    for work in works:
        if work in kernels:
            possible &= is_possible(kernels, work)
    return possible


def _findings(executions: pd.DataFrame) -> list[Diagnostic]:
    if not len(executions):
        return []
    first = executions.iloc[0]
    text = (
        f"{plural(len(executions), 'execution')} with a rate above 100 TB/s or 1 EFLOP/s, which no"
        " hardware reaches: no number uses these rates"
    )
    place = f"{str(first['name'])[:80]} on {first['track']}"
    return [Diagnostic("warning", "rates_impossible", text, place, len(executions))]
