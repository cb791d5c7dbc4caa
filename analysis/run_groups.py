"""Runs of one GEMM on one hardware, side by side: best, median and spread of their rates."""

from __future__ import annotations

import numpy as np
import pandas as pd

KEYS = ("hwid", "M", "K", "N")
"""What runs of one group have in common."""


def run_dates(runs: pd.DataFrame) -> pd.Series:
    """Return when each run was captured, ISO 8601 text; when it was ingested where that is not known."""
    ingested = runs["created_at"].astype("str").fillna("")
    if "taken_at" not in runs:
        return ingested
    captured = runs["taken_at"].astype("str").fillna("")
    return captured.where(captured != "", ingested)


def run_groups(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per hwid and GEMM size of the catalogue's listing, by hwid, then size.

    Columns: hwid (str, "" where not known), M, K, N (Int64), runs and rated (int64, those with a rate), best, median
    and lowest (float64, GMAC/s, of the runs' means), spread (float64, (best - lowest) / median), best_run (str, its
    id, "" for none) and newest (str, date). A rate above the run's own peak (utilization > 1) counts as none; runs
    without a size are in no group.
    """
    sized = runs[runs[["M", "K", "N"]].notna().all(axis=1)]
    rate = sized["gmacs_mean"].astype("float64").where(~(sized["utilization"] > 1))
    table = sized.assign(hwid=sized["hwid"].astype("str").fillna(""), rate=rate, date=run_dates(sized))
    rows = [_row(keys, part) for keys, part in table.groupby(list(KEYS), sort=True)]
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"M": "Int64", "K": "Int64", "N": "Int64"})


_COLUMNS = [*KEYS, "runs", "rated", "best", "median", "lowest", "spread", "best_run", "newest"]


def _row(keys: object, part: pd.DataFrame) -> tuple[object, ...]:
    rates = part["rate"].dropna()
    best, median, low = (rates.max(), rates.median(), rates.min()) if len(rates) else (np.nan,) * 3
    best_run = str(part.loc[rates.idxmax(), "run_id"]) if len(rates) else ""
    spread = (best - low) / median if median else np.nan
    named = keys if isinstance(keys, tuple) else (keys,)
    return (*named, len(part), len(rates), best, median, low, spread, best_run, part["date"].max())
