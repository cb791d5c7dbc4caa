"""Two attempts, levels or problems set against each other: their numbers, and their blocks by name."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Bools
from schema.metrics import ATTEMPT_METRICS

_KEY = ["name", "kind", "rank"]
_VALUES = ["size", "address", "start", "end"]
_LIFE = ["start", "end", "wraps", "hold", "gaps"]


def compare_metrics(a: AttemptMap, b: AttemptMap) -> pd.DataFrame:
    """Return a row per number of an attempt: metric, label, unit, polarity, a, b, delta = b - a, ratio = b / a.

    The metrics are those of `schema.metrics.ATTEMPT_METRICS`, in their order; values are float64, NaN where one is
    not known, the ratio also where a is 0.
    """
    metrics = ATTEMPT_METRICS.values()
    first, second = (np.array([_number(one, metric.name) for metric in metrics]) for one in (a, b))
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
    """Return a row per block of either attempt: name, kind, change, then size, address, start and end in a and in b.

    Blocks belong together by name, kind and rank among those with the same name and kind. `change` is added (only in
    b), removed (only in a), else the first of resized, relived (alive at other steps), moved (another address, or one
    has none) that holds, else same. Rows are those of a in order, then what is added. Values are Int64, null in the
    attempt that lacks the block.
    """
    both = _key_columns(a).merge(_key_columns(b), on=_KEY, how="outer", suffixes=("_a", "_b"), indicator=True)
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


def _number(one: AttemptMap, name: str) -> float:
    value = one.attempt[name]
    return np.nan if pd.isna(value) else float(str(value))


def _key_columns(one: AttemptMap) -> pd.DataFrame:
    """Return the blocks with the columns that identify them; all but the gaps Int64, null without a match."""
    blocks = one.blocks.assign(kind=one.blocks["kind"].astype("str").fillna(""))
    columns = {name: blocks[name] for name in ("name", "kind")}
    columns |= {"rank": blocks.groupby(["name", "kind"]).cumcount()}
    columns |= {name: blocks[name].astype("Int64") for name in ("size", "address", *_LIFE) if name != "gaps"}
    columns |= {"gaps": blocks["gaps"].fillna("")}
    return pd.DataFrame(columns | {"order": pd.array(range(len(blocks)), dtype="Int64")})


def _differ(both: pd.DataFrame, columns: list[str]) -> Bools:
    """Tell where any of the columns has another value in b than in a, null being one."""
    differ = np.zeros(len(both), dtype=bool)
    for name in columns:
        one, other = (both[f"{name}_{side}"] for side in "ab")
        differ |= (one != other).fillna(value=True).to_numpy(bool) & ~(one.isna() & other.isna()).to_numpy(bool)
    return differ
