"""Scope of each memory headline of a run: an attempt, a memory level, or several of them."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from analysis.memory.attempts import without_levels
from analysis.memory.headline import are_levels, headline_attempt
from analysis.memory.layer_groups import is_used_attempt
from components.numbers import count_text, shorten, size

_OF_ONE = (
    *("peak_memory", "peak_reserved", "capacity_use", "memory_bound", "memory_waste"),
    "fragmentation",
)
"""Metrics of a single attempt or level."""
_NAME = 20


def memory_scopes(attempts: pd.DataFrame) -> Mapping[str, str]:
    """Map each memory headline metric to the words for its scope, such as `attempt 3` or a level's
    name.

    `attempts` is frame `attempts` with computed numbers. Empty if there are fewer than two
    attempts, since the scope is then clear.
    """
    number = headline_attempt(attempts)
    if number is None or len(attempts) < 2:
        return {}
    if are_levels(attempts):
        own = str(attempts.loc[attempts["attempt"] == number, "level"].iloc[0])
        # The headline number is the largest waste of any level.
        return {**dict.fromkeys(_OF_ONE, shorten(own, _NAME)), "memory_waste": _wastes(attempts)}
    return {
        **dict.fromkeys(_OF_ONE, f"attempt {number}"),
        **_scope_of_failed(without_levels(attempts)),
    }


def _wastes(levels: pd.DataFrame) -> str:
    """Write the level with the largest waste, then the other levels with theirs: `L3 · L1 0 B`;
    levels without a known waste are left out.

    If no level wastes bytes, only their number: names of many levels widen the strip.
    """
    by_waste = levels[levels["waste"].notna()].sort_values("waste", ascending=False, kind="stable")
    if len(by_waste) > 1 and not by_waste["waste"].any():
        return f"in each of {count_text(len(by_waste), 'level')}"
    names = [shorten(name, _NAME) for name in by_waste["level"].astype("str")]
    others = [
        f"{name} {size(int(waste))}"
        for name, waste in zip(names[1:], by_waste["waste"].iloc[1:], strict=True)
    ]
    return " · ".join([*names[:1], *others])


def _scope_of_failed(attempts: pd.DataFrame) -> Mapping[str, str]:
    among = is_used_attempt(attempts)
    if among.all():
        return {"failed_blocks": f"all {count_text(len(attempts), 'attempt')}"}
    final = attempts["final"].fillna(False).astype(bool).any()
    count = int(among.sum())
    return {
        "failed_blocks": count_text(count, "final attempt")
        if final
        else f"last of {count_text(count, 'layer group')}",
        "failed_searched": count_text(len(attempts) - count, "other attempt"),
    }
