"""Compare the first run of a kernel on a device with its later runs."""

from __future__ import annotations

import numpy as np
import pandas as pd


def first_runs(kernels: pd.DataFrame) -> pd.DataFrame:
    """Build a row per kernel and track with a first and a later run, by descending first - steady.

    `kernels` are rows of frame `kernels` with their run numbers; copies count as kernels. Columns:
    name and track (str), copy (bool), first (int64, ns), steady (float64, ns: median of the later
    runs), ratio (first / steady, NaN if steady is 0), later (int64, number of later runs), row
    (int64, position of the first run in `kernels`).
    """
    named = ["name", "track"]
    first = (kernels["run"] == 1).to_numpy(bool, na_value=False)
    runs = kernels[[*named, "copy", "duration"]].assign(row=np.arange(len(kernels)))
    begun = runs[first & runs["duration"].notna().to_numpy(bool)].rename(
        columns={"duration": "first"}
    )
    groups = runs.loc[~first, [*named, "duration"]].groupby(named, observed=True)["duration"]
    later = groups.agg(steady="median", later="count").reset_index()
    table = begun.merge(later[later["later"] > 0], on=named)
    table = table.astype(
        {"name": "str", "track": "str", "first": "int64", "steady": "float64", "later": "int64"}
    )
    table["ratio"] = (table["first"] / table["steady"]).where(table["steady"] > 0)
    order = (table["steady"] - table["first"]).argsort(kind="stable")
    return table.iloc[order][
        [*named, "copy", "first", "steady", "ratio", "later", "row"]
    ].reset_index(drop=True)
