"""Kernels by program: how often each ran, for how long, how fast, and how its first run differs from the others."""

from __future__ import annotations

import pandas as pd


def kernel_table(kernels: pd.DataFrame) -> pd.DataFrame:
    """Return a row per kernel and program, by falling total time."""
    groups = kernels.groupby(["name", "program"], observed=True, dropna=False)["duration"]
    table = groups.agg(count="size", total="sum", mean="mean").reset_index()
    return table.sort_values("total", ascending=False, kind="stable", ignore_index=True)
