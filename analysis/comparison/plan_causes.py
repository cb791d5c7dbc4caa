"""Parts of the change of a memory plan: blocks, unused addresses and constants."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.comparison.block_pairs import WORDS, paired_blocks
from analysis.comparison.cause import Cause, largest_first
from analysis.comparison.plan import Plan
from analysis.comparison.plans import (
    Pair,
    attempt_number,
    attempt_pairs,
    has_blocks,
    paired_allocations,
)
from analysis.memory.headline import headline_attempt
from schema.comparison import EXTENT

UNUSED, CONSTANTS = "unused", "constants"
"""Kinds of causes that are not blocks: addresses below the extent without a live block at the peak,
and bytes of constants below all blocks.
"""
_MAX_ATTEMPTS = 8
"""Maximum number of attempts whose changes are split into parts."""
_LIFE_WORDS = ("longer", "shorter", "shifted")
"""Changes of a block due to which it is alive at the peak of one side only."""


def plan_causes(base: Plan, new: Plan) -> list[Cause]:
    """Split the changes of extents into parts, largest first; those of an attempt sum to its change.

    Parts are the blocks that are alive at the peak of the larger side, and the addresses below the
    extent that are unused at this step. If the attempt is the headline of both sides, its parts
    have metric `peak_memory` and include the constants. Only the attempts whose extents differ
    most are split, and only if the blocks of both sides are known.
    """
    pairs = attempt_pairs(base, new)
    change = {pair: _change(base, new, pair) for pair in pairs}
    constants = {pair: _constants_change(base, new, pair) for pair in pairs}
    differing = sorted(
        (pair for pair in pairs if change[pair] or constants[pair]),
        key=lambda pair: -abs(change[pair]),
    )
    return largest_first(
        [cause for pair in differing[:_MAX_ATTEMPTS] for cause in _causes(base, new, pair)]
    )


def _change(base: Plan, new: Plan, pair: Pair) -> float:
    """Compute the change of an attempt's extent, 0 if a side has none."""
    extents = (
        attempt_number(base.attempts, pair[1], "extent"),
        attempt_number(new.attempts, pair[2], "extent"),
    )
    return 0.0 if extents[0] is None or extents[1] is None else extents[1] - extents[0]


def _causes(base: Plan, new: Plan, pair: Pair) -> list[Cause]:
    """List the parts of an attempt's change at the peak of the larger side."""
    change = _change(base, new, pair)
    larger, place = (new, pair[2]) if change > 0 else (base, pair[1])
    step = attempt_number(larger.attempts, place, "peak_step")
    if step is None or not has_blocks(base, new, pair):
        return []
    sides = paired_allocations(base, new, [pair])
    is_headline = _are_headlines(base, new, pair)
    metric = "peak_memory" if is_headline else EXTENT.name
    causes = _block_causes(sides, int(step), metric, pair[0])
    rest = {
        UNUSED: change - sum(cause.amount for cause in causes),
        CONSTANTS: _constants_change(base, new, pair),
    }
    causes += [
        Cause(metric, what, "", amount, "bytes", pair[0]) for what, amount in rest.items() if amount
    ]
    return causes


def _block_causes(
    sides: tuple[pd.DataFrame, pd.DataFrame], step: int, metric: str, key: str
) -> list[Cause]:
    """List the blocks whose bytes at a step differ."""
    alive = [_alive_names(side, step) for side in sides]
    blocks = paired_blocks(*sides)
    causes = []
    for row in blocks[blocks[[*WORDS]].any(axis=1)].to_dict("records"):
        base_bytes, new_bytes = (
            int(row[f"size_{side}"]) if _lives(row, side, names) else 0
            for side, names in zip(("base", "new"), alive, strict=True)
        )
        if base_bytes != new_bytes:
            where = row["name_base"] if row["name_new"] is None else row["name_new"]
            what = _change_word(row, base_bytes, new_bytes)
            causes.append(Cause(metric, what, str(where), new_bytes - base_bytes, "bytes", key))
    return causes


def _change_word(row: Mapping[str, object], base_bytes: int, new_bytes: int) -> str:
    """Return the word for a block with these bytes at the peak: its sign is that of the amount."""
    if row["born"]:
        return "born"
    if row["gone"]:
        return "gone"
    if base_bytes and new_bytes:
        return "grown" if new_bytes > base_bytes else "shrunk"
    # A block that lives at the peak of one side only counts with all its bytes, whatever its size.
    return next((word for word in _LIFE_WORDS if row[word]), "shifted")


def _alive_names(blocks: pd.DataFrame, step: int) -> set[tuple[str, int, int]]:
    """Collect name, start and end of the blocks that are alive at a step."""
    start = blocks["start"].to_numpy(np.int64)
    end = blocks["end"].to_numpy(np.int64)
    inside = (start <= step) & (step < end)
    around = blocks["wraps"].to_numpy(bool) & ((step >= start) | (step < end))
    chosen = blocks[blocks["hold"].to_numpy(bool) | inside | around]
    return set(
        zip(
            chosen["name"].astype("str"),
            chosen["start"].astype(int),
            chosen["end"].astype(int),
            strict=True,
        )
    )


def _lives(row: Mapping[str, object], side: str, alive: set[tuple[str, int, int]]) -> bool:
    name, start, end = (row[f"{column}_{side}"] for column in ("name", "start", "end"))
    return name is not None and (name, start, end) in alive


def _are_headlines(base: Plan, new: Plan, pair: Pair) -> bool:
    """Return whether the headline of both sides is that of these attempts."""
    numbers = (
        int(plan.attempts["attempt"].iloc[place])
        for plan, place in zip((base, new), pair[1:], strict=True)
    )
    return all(
        number == headline_attempt(plan.attempts)
        for number, plan in zip(numbers, (base, new), strict=True)
    )


def _constants_change(base: Plan, new: Plan, pair: Pair) -> float:
    """Compute the change of the constants' bytes, 0 for attempts that are not the headline."""
    if not _are_headlines(base, new, pair):
        return 0.0
    before = attempt_number(base.attempts, pair[1], "static_bytes") or 0.0
    return (attempt_number(new.attempts, pair[2], "static_bytes") or 0.0) - before
