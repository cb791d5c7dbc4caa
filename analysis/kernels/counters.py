"""Join hardware counters with the executions for which they were read."""

from __future__ import annotations

import numpy as np
import pandas as pd

_OF_RUN = ["kernel_row", "track", "kernel", "name", "run", "duration"]
_KEY = ["track", "kernel"]


def counter_table(counters: pd.DataFrame, kernels: pd.DataFrame) -> pd.DataFrame:
    """Build a row per execution with counters, in the order of frame `kernels`.

    Columns: kernel_row (int64, position in `kernels`), track (str), kernel (int64, its rank there),
    name (str), run (Int64), duration (Int64, ns), and a column per counter with the sum over all
    instances (float64, in the order in which they were read, NaN if it was not read). If a counter
    has the name of another column, ` (counter)` is appended. Readings without an execution are left
    out. No rows without readings.
    """
    read = counters[counters["instance"].isna() & counters["kernel"].notna()]
    names = read["name"].astype("str")
    sums = read.assign(
        track=read["track"].astype("str"),
        name=names.where(~names.isin(_OF_RUN), names + " (counter)"),
    )
    order = sums["name"].drop_duplicates().tolist()
    wide = sums.pivot_table(
        index=_KEY, columns="name", values="value", aggfunc="sum", observed=True, sort=False
    )
    runs = kernels[["track", "kernel", "name", "run", "duration"]].assign(
        kernel_row=np.arange(len(kernels))
    )
    runs = runs[runs["track"].isin(sums["track"].unique())].astype({"track": "str", "name": "str"})
    table = runs.merge(wide[order].reset_index().astype({"kernel": "int64"}), on=_KEY)
    return table.sort_values("kernel_row", ignore_index=True)[[*_OF_RUN, *order]]


def instances(counters: pd.DataFrame, track: str, kernel: int, name: str) -> pd.Series:
    """Return the values of counter `name` for an execution, float64, indexed by hardware instance,
    ascending; empty if it was not read per instance.
    """
    of_kernel = (counters["kernel"] == kernel).fillna(False).astype(bool) & (
        counters["track"] == track
    )
    rows = counters[of_kernel & (counters["name"] == name) & counters["instance"].notna()]
    return pd.Series(
        rows["value"].to_numpy(), index=rows["instance"].astype("int64"), dtype="float64"
    ).sort_index()
