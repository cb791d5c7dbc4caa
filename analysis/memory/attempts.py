"""Numbers of allocation attempts: live bytes, extent, lower bound, waste, fragmentation,
utilisation.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED
from analysis.memory.lives import MAX_SUM, Lifetimes, lives, sum_per_cell
from analysis.memory.storage import in_place_pairs, storage_spans
from analysis.memory.survey import Surveyed, is_only_reported, survey
from schema.array_types import Bools, Floats, Ints


def with_numbers(attempts: pd.DataFrame, allocations: pd.DataFrame) -> pd.DataFrame:
    """Return frame `attempts` with columns `blocks` to `utilization` computed from all blocks in
    frame `allocations`; docs/metrics.md has the formulas. Other columns stay.
    """
    return add_attempt_numbers(attempts, survey(lives(allocations, attempts)))


def add_attempt_numbers(attempts: pd.DataFrame, surveyed: Surveyed) -> pd.DataFrame:
    """Return frame `attempts` with columns `blocks` to `utilization` computed from a survey of its
    blocks; bytes are null if addresses or blocks are missing. docs/metrics.md has the formulas.
    """
    alive = surveyed.lives
    extent = surveyed.extent
    failed = alive.failed_mask
    live = alive.sum_per_cell(~failed[alive.row])
    requested = alive.sum_per_cell(np.ones(len(alive.row), dtype=bool))
    live_peak = _peak(alive, live)
    bound = _peak(alive, _bytes_needed(surveyed))
    # A view without an address of its own uses the bytes of its target, so it is not missing.
    own = surveyed.storage == np.arange(len(failed))
    missing = alive.count(failed | (own & alive.blocks["address"].isna().to_numpy(bool)))
    nowhere = extent == NOT_PLACED
    # A report without blocks does not say what is alive together.
    unknown = is_only_reported(alive)
    return attempts.assign(
        blocks=whole(alive.count(np.ones(len(failed), dtype=bool))),
        failed=whole(alive.count(failed)),
        live_peak=whole(live_peak, unknown),
        peak_step=whole(_peak_step(alive, live, live_peak), live_peak == 0),
        requested_peak=whole(_peak(alive, requested), unknown),
        extent=whole(extent, nowhere),
        bound=whole(bound, unknown),
        waste=whole(extent - bound, nowhere | unknown | (missing > 0) | (extent < bound)),
        fragmentation=_worst(alive, surveyed.fragmentation),
        utilization=utilization(attempts, extent),
    )


def needed_peaks(attempts: pd.DataFrame, allocations: pd.DataFrame) -> tuple[Ints, Ints]:
    """Compute per attempt the most bytes needed in a step (which is `bound`), and the first such
    step: two int64 arrays. Without blocks they are 0.
    """
    surveyed = survey(lives(allocations, attempts))
    needed = _bytes_needed(surveyed)
    peak = _peak(surveyed.lives, needed)
    return peak, _peak_step(surveyed.lives, needed, peak)


def without_levels(attempts: pd.DataFrame) -> pd.DataFrame:
    """Return the attempts without memory levels, which come from other files; if there are only
    levels, return all rows.
    """
    own = attempts[attempts["level"].isna()]
    return own if len(own) else attempts


def utilization(attempts: pd.DataFrame, extent: Ints) -> Floats:
    """Compute (static_bytes + extent) / capacity per attempt as float64 (1 is full); NaN if the
    extent or capacity is unknown, or the capacity is 0.
    """
    capacity = attempts["capacity"].to_numpy(np.float64, na_value=np.nan)
    used = attempts["static_bytes"].to_numpy(np.float64) + np.where(
        extent == NOT_PLACED, np.nan, extent
    )
    share: Floats = np.divide(used, capacity, out=np.full(len(used), np.nan), where=capacity > 0)
    return share


def whole(values: Ints, null: Bools | bool = False) -> pd.api.extensions.ExtensionArray:
    """Convert int64 values to an Int64 array, null if the mask (of all rows or each) is true."""
    mask = np.broadcast_to(null, values.shape).copy()
    return pd.arrays.IntegerArray(np.where(mask, 0, values).astype(np.int64), mask)


def _peak(alive: Lifetimes, values: Ints) -> Ints:
    if not len(alive.attempts):
        return np.zeros(0, dtype=np.int64)
    peak: Ints = np.maximum.reduceat(values, alive.cells.offset[:-1])
    return peak


def _peak_step(alive: Lifetimes, values: Ints, peak: Ints) -> Ints:
    """Find the first step of each attempt at which `values` (an element per cell) has the attempt's
    maximum `peak`.
    """
    steps = np.where(values == peak[alive.cells.attempt], alive.cells.step, MAX_SUM)
    return -_peak(alive, -steps)


def _worst(alive: Lifetimes, shares: Floats) -> Floats:
    """Compute the maximum of `shares` (an element per cell) in each attempt, ignoring NaN; NaN if
    all of them are NaN.
    """
    if not len(alive.attempts):
        return np.zeros(0)
    worst: Floats = np.fmax.reduceat(shares, alive.cells.offset[:-1])
    return worst


def _bytes_needed(surveyed: Surveyed) -> Ints:
    """Compute the bytes that any allocator needs in each cell (interval of time without changes).

    Bytes of an alias, and of an operand that an output takes over, count once.
    """
    alive = surveyed.lives
    cells = len(surveyed.lives.cells)
    storage = surveyed.storage
    needed = sum_per_cell(*storage_spans(alive, storage), cells)
    first = alive.row[surveyed.lower]
    second = alive.row[surveyed.upper]
    taken = in_place_pairs(alive.blocks, first, second) & (storage[first] != storage[second])
    # An operand gives its bytes to a single output: two outputs at its address are an overlap, not
    # sharing.
    pairs = pd.DataFrame({"one": first, "other": second, "cell": surveyed.pair_cell})[
        taken
    ].drop_duplicates(["one", "cell"])
    size = alive.blocks["size"].to_numpy(np.int64)
    saved = np.zeros(cells, dtype=np.int64)
    smaller = np.minimum(size[pairs["one"].to_numpy()], size[pairs["other"].to_numpy()])
    np.add.at(saved, pairs["cell"].to_numpy(np.int64), smaller)
    return np.asarray(np.maximum(needed - saved, 0), dtype=np.int64)
