"""Compares memory plans: exact numbers, matching attempts and levels, and blocks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from analysis.comparison.block_pairs import VALUES, WORDS, paired_blocks
from analysis.comparison.group_pairs import unpaired_reason
from analysis.comparison.plan import Plan
from analysis.comparison.rows import ResultRow, RowTopic, Thresholds, exact_row
from schema.comparison import EXTENT, MEMORY, ComparedMetric
from schema.decimals import decimals

Pair = tuple[str, int, int]
"""Matching attempts: their name, and their rows in the frames of both sides."""


def plan_rows(base: Plan, new: Plan, thresholds: Thresholds) -> list[ResultRow]:
    """Compare memory plans: rows of the runs (metrics of MEMORY), then of the extents of matching
    attempts or levels if a side has several. Metrics without a number on either side have no row.
    """
    rows = []
    unpaired = unpaired_reason(base, new)
    unit = _alignment(base, new)
    for metric in MEMORY.values():
        shown = base.headline.get(metric.name), new.headline.get(metric.name)
        if shown != (None, None):
            about = RowTopic.of(metric, thresholds)
            reason = unpaired or _find_reason(base, new, metric)
            rows.append(exact_row(about, shown, reason, _floor(metric, thresholds, unit)))
    # For a single attempt the rows of the run already have its numbers.
    if max(len(base.attempts), len(new.attempts)) < 2:
        return rows
    for key, base_row, new_row in attempt_pairs(base, new):
        shown = (
            attempt_number(base.attempts, base_row, "extent"),
            attempt_number(new.attempts, new_row, "extent"),
        )
        if shown != (None, None):
            about = RowTopic.of(EXTENT, thresholds, "attempt", key)
            rows.append(
                exact_row(about, shown, _reason_unplaced(shown), _floor(EXTENT, thresholds, unit))
            )
    return rows


def _alignment(base: Plan, new: Plan) -> int:
    """Return the larger alignment unit of two runs in bytes, 0 if both are unknown."""
    units = (plan.attempts["align_bytes"].max() for plan in (base, new))
    return max((int(unit) for unit in units if not pd.isna(unit)), default=0)


def _floor(metric: ComparedMetric, thresholds: Thresholds, unit: int) -> float:
    """Compute the largest difference that counts as unchanged: the alignment `unit` (bytes) for a
    metric in bytes, else 0; also 0 if a user set a threshold for the metric.
    """
    return float(unit) if metric.unit == "bytes" and metric.name not in thresholds else 0.0


def nearest(base: Sequence[Plan], new: Sequence[Plan]) -> tuple[Plan, Plan]:
    """Choose a run of each side (base, new), such that their peaks differ least; pairs with an
    unknown peak come last.

    Numbers of plans are exact, so a number that any run of the other side has counts as unchanged.
    Raises ValueError if a side has no runs.
    """

    def distance(pair: tuple[Plan, Plan]) -> float:
        base_peak, new_peak = (plan.headline.get("peak_memory") for plan in pair)
        return math.inf if base_peak is None or new_peak is None else abs(base_peak - new_peak)

    return min(product(base, new), key=distance)


def attempt_pairs(base: Plan, new: Plan) -> list[Pair]:
    """Match the attempts of two runs: a list of (key, row in base, row in new), [] without matches.

    Levels match by name, attempts by order; if the numbers of attempts differ, only final attempts
    match, by layer group. Attempts of logs without a common layer group do not match.
    """
    base_levels, new_levels = (_levels(plan.attempts) for plan in (base, new))
    if base_levels or new_levels:
        return [
            (level, base_levels[level], new_levels[level])
            for level in base_levels
            if level in new_levels
        ]
    if unpaired_reason(base, new):
        return []
    if len(base.attempts) == len(new.attempts):
        numbers = base.attempts["attempt"].tolist()
        return [(str(number), place, place) for place, number in enumerate(numbers)]
    finals = [_finals(plan.attempts) for plan in (base, new)]
    return [(key, finals[0][key], finals[1][key]) for key in finals[0] if key in finals[1]]


def changed_blocks(base: Plan, new: Plan) -> pd.DataFrame:
    """List the rows of `paired_blocks` that changed, with `attempt`, the key of their attempts.

    Blocks with the largest change of size come first; blocks that only moved come last among equal
    sizes. Attempts whose blocks are unknown on one side are left out.
    """
    pairs = [pair for pair in attempt_pairs(base, new) if has_blocks(base, new, pair)]
    blocks = paired_blocks(*paired_allocations(base, new, pairs))
    blocks = blocks[blocks[[*WORDS]].any(axis=1)]
    room = (blocks["size_new"].fillna(0) - blocks["size_base"].fillna(0)).abs().to_numpy(np.int64)
    only_moved = blocks[[*WORDS]].sum(axis=1).eq(1).to_numpy(bool) & blocks["moved"].to_numpy(bool)
    blocks = blocks.iloc[np.lexsort((only_moved, -room))].reset_index(drop=True)
    keys = np.array([key for key, _, _ in pairs], dtype=object)
    return blocks.assign(attempt=keys[blocks["pair"].to_numpy(np.int64)] if len(blocks) else "")


def block_rows(changed: pd.DataFrame) -> list[dict[str, object]]:
    """Convert changed blocks to records: attempt, name_base, name_new, change (list of WORDS), base
    and new (dicts of VALUES, `None` if the side lacks the block).
    """
    return [
        {
            "attempt": row["attempt"],
            "name_base": row["name_base"],
            "name_new": row["name_new"],
            "change": [word for word in WORDS if row[word]],
            "base": _side(row, "base"),
            "new": _side(row, "new"),
        }
        for row in changed.to_dict("records")
    ]


def has_blocks(base: Plan, new: Plan, pair: Pair) -> bool:
    """Whether the blocks of a matched attempt are known on both sides, so that they can be
    compared.

    False if a side's extent is above 0 but no block is listed: a log without its companion files
    may list none.
    """
    for plan, place in zip((base, new), pair[1:], strict=True):
        number = int(plan.attempts["attempt"].iloc[place])
        is_listed = bool((plan.allocations["attempt"] == number).any())
        if attempt_number(plan.attempts, place, "extent") and not is_listed:
            return False
    return True


def paired_allocations(
    base: Plan, new: Plan, pairs: list[Pair]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Select the blocks of both sides in matching attempts, with column `pair`."""
    places = [[base_row for _, base_row, _ in pairs], [new_row for _, _, new_row in pairs]]
    sides = []
    for plan, own in zip((base, new), places, strict=True):
        numbers = plan.attempts["attempt"].to_numpy(np.int64)[own]
        pair = pd.Index(numbers).get_indexer(plan.allocations["attempt"].astype("int64"))
        chosen = (pair >= 0) & (plan.allocations["kind"] != "constant").to_numpy(bool)
        sides.append(plan.allocations[chosen].assign(pair=pair[chosen].astype(np.int64)))
    return sides[0], sides[1]


def _levels(attempts: pd.DataFrame) -> dict[str, int]:
    return {
        str(level): place
        for place, level in enumerate(attempts["level"].tolist())
        if not pd.isna(level)
    }


def _finals(attempts: pd.DataFrame) -> dict[str, int]:
    """Map each layer group to the row of its final attempt: `final of GROUP`, or `final` without a
    group.
    """
    finals: dict[str, int] = {}
    for place, (group, final) in enumerate(zip(attempts["group"], attempts["final"], strict=True)):
        if not pd.isna(final) and final:
            finals[f"final of {group}" if not pd.isna(group) and group else "final"] = place
    return finals


def attempt_number(attempts: pd.DataFrame, place: int, column: str) -> float | None:
    """Return a number of the attempt in a row of frame `attempts`; None if it is missing."""
    value = attempts[column].iloc[place]
    return None if pd.isna(value) else float(value)


def _find_reason(base: Plan, new: Plan, metric: ComparedMetric) -> str:
    """Describe in a clause why a metric is not comparable: other capacities, or blocks without
    addresses; "" if it is comparable.
    """
    shown = base.headline.get(metric.name), new.headline.get(metric.name)
    if "capacity" in metric.conditions:
        base_capacity, new_capacity = (plan.headline.get("memory_capacity") for plan in (base, new))
        if base_capacity == new_capacity:
            return ""
        return f"the capacity differs: {_bytes(base_capacity)} and {_bytes(new_capacity)}"
    # A problem without addresses has a bound; if the bound is missing, the blocks are unknown.
    return "" if metric.name == "memory_bound" else _reason_unplaced(shown)


def _reason_unplaced(shown: tuple[float | None, float | None]) -> str:
    side = next(
        (side for side, value in zip(("base", "new"), shown, strict=True) if value is None), ""
    )
    return f"the blocks of {side} have no addresses: it is unsolved" if side else ""


def _bytes(value: float | None) -> str:
    if value is None:
        return "not known"
    return "1 byte" if value == 1 else f"{decimals(value, 0)} bytes"


def _side(row: Mapping[str, object], side: str) -> dict[str, int | None] | None:
    if row[f"name_{side}"] is None:
        return None
    values = ((column, row[f"{column}_{side}"]) for column in VALUES)
    return {column: None if pd.isna(value) else int(str(value)) for column, value in values}
