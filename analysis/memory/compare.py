"""Compares two attempts, levels or problems: their numbers, and their blocks by name."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Bools
from schema.attempt_metrics import ATTEMPT_METRICS

_KEY = ["name", "kind", "rank"]
"""Columns by which blocks match."""
_VALUES = ["size", "address", "start", "end"]
"""Columns that are listed for both attempts."""
_LIFE = ["start", "end", "wraps", "hold", "gaps"]
"""Columns that describe a lifetime."""


def compare_metrics(a: AttemptMap, b: AttemptMap) -> pd.DataFrame:
    """Compare the numbers of two attempts: metric, label, unit, polarity, a, b, delta = b - a,
    ratio = b / a; a row per metric of `schema.attempt_metrics.ATTEMPT_METRICS`, in its order.

    Values are float64, NaN if unknown; the ratio is also NaN if a is 0.
    """
    metrics = ATTEMPT_METRICS.values()
    first, second = (
        np.array([_read_number(amap, metric.name) for metric in metrics]) for amap in (a, b)
    )
    return pd.DataFrame(
        {
            "metric": pd.Series([metric.name for metric in metrics], dtype="str"),
            "label": pd.Series([metric.label for metric in metrics], dtype="str"),
            "unit": pd.Series([metric.unit for metric in metrics], dtype="str"),
            "polarity": np.array([metric.polarity for metric in metrics], dtype=np.int64),
            "a": first,
            "b": second,
            "delta": second - first,
            "ratio": np.divide(second, first, out=np.full(len(first), np.nan), where=first != 0),
        }
    )


def compare_blocks(a: AttemptMap, b: AttemptMap) -> pd.DataFrame:
    """Match the blocks of two attempts, a row per pair or block without a match: name, kind,
    change, then size, address, start and end in a and in b (`size_a`, `size_b` ...).

    Blocks match if name and kind are equal, and rank among the blocks of that name and kind.
    `change` is added (only in b), removed (only in a), or the first of resized, relived (alive at
    other steps) and moved (another address, or an address on only one side) that applies, otherwise
    same. Rows have the order of a, followed by added blocks. Values are Int64, null in the attempt
    that lacks the block.
    """
    both = _key_columns(a).merge(
        _key_columns(b), on=_KEY, how="outer", suffixes=("_a", "_b"), indicator=True
    )
    both = both.sort_values(["order_a", "order_b"], kind="stable", ignore_index=True)
    changes = {
        "removed": (both["_merge"] == "left_only").to_numpy(bool),
        "added": (both["_merge"] == "right_only").to_numpy(bool),
        "resized": _differ(both, ["size"]),
        "relived": _differ(both, _LIFE),
        "moved": _differ(both, ["address"]),
    }
    change = np.select(list(changes.values()), list(changes), "same")
    values = [f"{column}_{side}" for column in _VALUES for side in "ab"]
    return both.assign(change=pd.Series(change, dtype="str"))[["name", "kind", "change", *values]]


def _read_number(amap: AttemptMap, name: str) -> float:
    value = amap.attempt[name]
    return np.nan if pd.isna(value) else float(str(value))


def _key_columns(amap: AttemptMap) -> pd.DataFrame:
    """Select the columns that identify and compare blocks, a row per block: name, kind, rank among
    equal names, size, address, lifetime and order. All numbers are Int64 so that missing blocks
    become null.
    """
    blocks = amap.blocks.assign(kind=amap.blocks["kind"].astype("str").fillna(""))
    columns = {name: blocks[name] for name in ("name", "kind")}
    columns |= {"rank": blocks.groupby(["name", "kind"]).cumcount()}
    columns |= {
        name: blocks[name].astype("Int64") for name in ("size", "address", *_LIFE) if name != "gaps"
    }
    columns |= {"gaps": blocks["gaps"].fillna("")}
    return pd.DataFrame(columns | {"order": pd.array(range(len(blocks)), dtype="Int64")})


def _differ(both: pd.DataFrame, columns: list[str]) -> Bools:
    """Mask of the rows in which any of the columns differs between a and b; two nulls are equal."""
    differ = np.zeros(len(both), dtype=bool)
    for name in columns:
        before, after = (both[f"{name}_{side}"] for side in "ab")
        differ |= (before != after).fillna(value=True).to_numpy(bool) & ~(
            before.isna() & after.isna()
        ).to_numpy(bool)
    return differ
