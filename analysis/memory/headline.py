"""The headline numbers of a memory source: those of the attempt or level that fills its memory most."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempts import without_levels


def headline_attempt(attempts: pd.DataFrame) -> int | None:
    """Return the final attempt (of all where that is not known) with the highest utilisation; None without attempts.

    Where no utilisation is known the highest extent decides, without addresses the lower bound; the first of equals.
    """
    if not len(attempts):
        return None
    chosen = _final(attempts)
    for column in ("utilization", "extent", "bound"):
        values = chosen[column].to_numpy(np.float64, na_value=np.nan)
        if np.isfinite(values).any():
            return int(chosen["attempt"].iloc[int(np.nanargmax(values))])
    return int(chosen["attempt"].iloc[0])


def memory_headline(attempts: pd.DataFrame) -> dict[str, float | None]:
    """Return the metrics of memory that `schema.metrics` registers, from frame `attempts` with its numbers."""
    number = headline_attempt(attempts)
    if number is None:
        return {}
    row = attempts[attempts["attempt"] == number].iloc[0]
    return {
        "attempts": float(len(without_levels(attempts))),
        "peak_memory": _plain(row["static_bytes"] + row["extent"]),
        "capacity_use": _plain(row["utilization"]),
        "memory_bound": _plain(row["static_bytes"] + row["bound"]),
        "memory_waste": _plain(row["waste"]),
        "failed_blocks": _plain(_final(attempts)["failed"].sum()),
        "fragmentation": _plain(row["fragmentation"]),
    }


def _final(attempts: pd.DataFrame) -> pd.DataFrame:
    """Return the attempts that the compiler kept, all where none is known to be; a level beside attempts is none."""
    asked = without_levels(attempts)
    kept = asked[asked["final"].fillna(False).astype(bool)]
    return kept if len(kept) else asked


def _plain(value: object) -> float | None:
    return None if pd.isna(value) else float(str(value))
