"""Findings about capacity: memory that is exceeded or nearly full, failed blocks, and finish lines
that disagree.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED
from analysis.memory.attempts import without_levels
from analysis.memory.findings.names import attempt_label, block_label, places
from analysis.memory.survey import Surveyed, arena_bytes
from schema.array_types import Bools, Ints
from schema.decimals import share_percent
from schema.diagnostics import Diagnostic
from schema.plurals import plural

NEARLY_FULL = 0.95
"""Fraction of a level's capacity from which a level counts as nearly full."""


def limits(numbers: pd.DataFrame, surveyed: Surveyed) -> list[Diagnostic]:
    """Find exceeded capacities, full levels, failed blocks, problems without a solution and wrong
    finish lines: at most a finding of each kind, [] without any. `numbers` is frame attempts with
    its numbers.
    """
    return [
        *_capacity_exceeded(numbers, surveyed),
        *_nearly_full(numbers),
        *_find_failed(numbers),
        *_infeasible(numbers),
        *_finish_disagrees(numbers),
    ]


def _ints(numbers: pd.DataFrame, column: str) -> Ints:
    return np.asarray(numbers[column].to_numpy(np.int64, na_value=NOT_PLACED))


def _capacity_exceeded(numbers: pd.DataFrame, surveyed: Surveyed) -> list[Diagnostic]:
    alive = surveyed.lives
    has_capacity = numbers["capacity"].notna().to_numpy(bool)
    room = np.where(has_capacity, arena_bytes(numbers, surveyed.extent), np.iinfo(np.int64).max)
    static = _ints(numbers, "static_bytes")
    capacity = _ints(numbers, "capacity")
    over = has_capacity & ((surveyed.extent > room) | (static > capacity))
    if not over.any():
        return []
    past = alive.placed_mask & (alive.high > room[alive.owner[alive.row]])
    rows = np.unique(alive.row[past])
    used = np.where(
        over, static.astype(np.float64) + np.maximum(surveyed.extent, 0) - capacity, -np.inf
    )
    worst = int(used.argmax())
    text = _needs(numbers, surveyed, worst) + _highest(surveyed, worst)
    where = places(numbers, np.flatnonzero(over))
    return [Diagnostic("error", "capacity_exceeded", text, where, max(len(rows), int(over.sum())))]


def _needs(numbers: pd.DataFrame, surveyed: Surveyed, attempt: int) -> str:
    """Describe the bytes that an attempt needs, how many of these are static, and its capacity,
    such as `L2 needs 9 of 8 bytes (112.5 %), 1 of them static`; `attempt` is a row.
    """
    static = int(_ints(numbers, "static_bytes")[attempt])
    capacity = int(_ints(numbers, "capacity")[attempt])
    needed = static + max(int(surveyed.extent[attempt]), 0)
    share = f" ({share_percent(needed / capacity)})" if capacity else ""
    constants = f", {static} of them static" if static else ""
    return f"{attempt_label(numbers, attempt)} needs {needed} of {plural(capacity, 'byte')}{share}{constants}"


def _highest(surveyed: Surveyed, attempt: int) -> str:
    alive = surveyed.lives
    parts = np.flatnonzero(alive.placed_mask & (alive.owner[alive.row] == attempt))
    if not len(parts):
        return ""
    part = parts[alive.high[parts].argmax()]
    return (
        f": {block_label(alive.blocks['name'].iloc[alive.row[part]])} ends at {alive.high[part]:#x}"
    )


def _nearly_full(numbers: pd.DataFrame) -> list[Diagnostic]:
    """Find memory levels that use NEARLY_FULL (95 %) to 100 % of their capacity, in a list of a
    single finding that names six of them; [] without any.
    """
    use = numbers["utilization"].to_numpy(np.float64, na_value=np.nan)
    # Only levels: the allocator of a layer group's buffers is free to use all of its memory.
    full = numbers["level"].notna().to_numpy(bool) & (use >= NEARLY_FULL) & (use <= 1)
    if not full.any():
        return []
    shares = [
        f"{attempt_label(numbers, int(p))} is {share_percent(use[p])} full"
        for p in np.flatnonzero(full)[:6]
    ]
    where = places(numbers, np.flatnonzero(full))
    return [Diagnostic("info", "level_nearly_full", ", ".join(shares), where, int(full.sum()))]


def _find_failed(numbers: pd.DataFrame) -> list[Diagnostic]:
    failed = _ints(numbers, "failed")
    some = failed > 0
    if not some.any():
        return []
    final = numbers["final"].fillna(False).to_numpy(bool)
    knows_final = final.any()
    # A failed final attempt is an error. Failed attempts that the compiler abandoned are normal.
    severity = "error" if (some & final).any() else "info" if knows_final else "warning"
    among = len(without_levels(numbers))
    text = f"{plural(int(failed.sum()), 'block')} did not fit in {plural(int(some.sum()), 'attempt')} of {among}"
    if knows_final:
        failed_final = int((some & final).sum())
        text += (
            f", {failed_final} of them final"
            if failed_final
            else ", none of them final: the compiler continued with other attempts"
        )
    return [
        Diagnostic(
            severity,
            "blocks_failed",
            text + _hopeless(numbers, some),
            places(numbers, np.flatnonzero(some)),
            int(failed.sum()),
        )
    ]


def _too_much(numbers: pd.DataFrame) -> Bools:
    """Mask of the attempts that need more bytes in a step, static bytes included, than the
    capacity; False if either is unknown.
    """
    need = _ints(numbers, "bound").astype(np.float64) + _ints(numbers, "static_bytes")
    return np.asarray(
        need > numbers["capacity"].to_numpy(np.float64, na_value=np.nan), dtype=np.bool_
    )


def _hopeless(numbers: pd.DataFrame, some: Bools) -> str:
    """Describe how many of the attempts in mask `some` no allocator could place, as a clause that
    begins with a semicolon; "" if all could be placed.
    """
    hopeless = int((some & _too_much(numbers)).sum())
    asks = "needs" if hopeless == 1 else "need"
    return (
        f"; {hopeless} of these {asks} more than the capacity at one step, so no allocator can place them"
        if hopeless
        else ""
    )


def _infeasible(numbers: pd.DataFrame) -> list[Diagnostic]:
    """Find unsolved problems that need more bytes in a step than the capacity, in a list of a
    single finding; [] without any.
    """
    hopeless = np.flatnonzero(
        (numbers["outcome"] == "unsolved").to_numpy(bool) & _too_much(numbers)
    )
    if not len(hopeless):
        return []
    row = numbers.iloc[hopeless[0]]
    text = (
        f"no allocator can solve {attempt_label(numbers, int(hopeless[0]))}: {plural(row['bound'], 'byte')} alive at one "
        f"step, the capacity is {row['capacity']}"
    )
    return [Diagnostic("error", "infeasible", text, places(numbers, hopeless), len(hopeless))]


def _finish_disagrees(numbers: pd.DataFrame) -> list[Diagnostic]:
    """Compare the tool's own sums of bytes and failed blocks with the blocks, in a list of a single
    finding; [] if they agree or the tool reports no sums.
    """
    # The sum of a level includes constants that plans do not know, so only attempts are compared.
    attempts = numbers["level"].isna().to_numpy(bool)
    reported = _ints(numbers, "reported_bytes")
    extent = _ints(numbers, "extent")
    bytes_differ = (
        attempts & (reported != NOT_PLACED) & (extent != NOT_PLACED) & (reported != extent)
    )
    reported_failed = _ints(numbers, "reported_failed")
    failed = _ints(numbers, "failed")
    failed_differ = attempts & (reported_failed != NOT_PLACED) & (reported_failed != failed)
    differ = bytes_differ | failed_differ
    if not differ.any():
        return []
    worst = int(np.where(bytes_differ, np.abs(reported - extent), -1).argmax())
    text = f"{attempt_label(numbers, worst)} reports {plural(reported[worst], 'byte')} in use, its blocks end at {extent[worst]}"
    if not bytes_differ.any():
        worst = int(np.flatnonzero(failed_differ)[0])
        label = attempt_label(numbers, worst)
        text = f"{label} reports {plural(reported_failed[worst], 'failed block')}, {failed[worst]} are listed"
    count = int(differ.sum())
    disagree = "disagrees" if count == 1 else "disagree"
    text = f"{plural(count, 'finish line')} {disagree} with the blocks, so lines may be missing: {text}"
    where = places(numbers, np.flatnonzero(differ))
    return [Diagnostic("warning", "finish_disagrees", text, where, count)]
