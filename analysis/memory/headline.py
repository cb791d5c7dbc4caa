"""Headline numbers of a memory source, taken from the attempt or level that fills its
memory most.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempts import without_levels
from analysis.memory.layer_groups import is_used_attempt


def headline_attempt(attempts: pd.DataFrame) -> int | None:
    """Return the rank of the final attempt (else the last of a layer group) with the highest
    utilisation; `None` if there are no attempts.

    If no utilisation is known, the highest extent decides; without addresses, the highest lower
    bound. If values are equal, the first attempt is used.
    """
    if not len(attempts):
        return None
    chosen = _used_attempts(attempts)
    for column in ("utilization", "extent", "bound"):
        values = chosen[column].to_numpy(np.float64, na_value=np.nan)
        if np.isfinite(values).any():
            return int(chosen["attempt"].iloc[int(np.nanargmax(values))])
    return int(chosen["attempt"].iloc[0])


def memory_headline(attempts: pd.DataFrame) -> dict[str, float | None]:
    """Map each memory metric of `schema.metrics` to its value, from frame `attempts` with its
    numbers; `None` if unknown. Sizes are bytes, shares 0 to 1; {} without attempts.
    """
    number = headline_attempt(attempts)
    if number is None:
        return {}
    row = attempts[attempts["attempt"] == number].iloc[0]
    bound = row["static_bytes"] + row["bound"]
    return {
        **_counts(attempts),
        "peak_memory": _plain(row["static_bytes"] + row["extent"]),
        "capacity_use": _plain(row["utilization"]),
        "memory_capacity": _plain(row["capacity"]),
        "memory_bound": _plain(bound),
        "bound_use": _plain(bound / row["capacity"]) if _plain(row["capacity"]) else None,
        "memory_waste": _plain(attempts["waste"].max() if are_levels(attempts) else row["waste"]),
        "fragmentation": _plain(row["fragmentation"]),
    }


def are_levels(attempts: pd.DataFrame) -> bool:
    """Whether all attempts are memory levels of a plan; False without attempts."""
    return bool(len(attempts)) and bool(attempts["level"].notna().all())


def _counts(attempts: pd.DataFrame) -> dict[str, float | None]:
    """Count for the metrics: a dict with attempts or levels (`None` for the other), failed_blocks
    of used attempts, and failed_searched of abandoned attempts (`None` if all are used).
    """
    own = without_levels(attempts)
    among = is_used_attempt(own)
    failed = own["failed"]
    count = float(len(own))
    return {
        "attempts": None if are_levels(attempts) else count,
        "levels": count if are_levels(attempts) else None,
        "failed_blocks": _plain(failed[among].sum()),
        "failed_searched": None if among.all() else _plain(failed[~among].sum()),
    }


def _used_attempts(attempts: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of the attempts that the compiler used.

    If it is unknown which attempts are final, these are the attempts that no later attempt of their
    layer group replaced. A memory level in addition to attempts is left out.
    """
    return attempts[is_used_attempt(attempts)]


def _plain(value: object) -> float | None:
    return None if pd.isna(value) else float(str(value))
