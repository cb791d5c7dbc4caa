"""Separate the time that cores wait for each other from their own stalls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.aie.core_coverage import KernelCoverage, StallCoverage
from analysis.aie.pace.coupling import Coupling, find_coupling
from analysis.aie.pace.kernel_grid import KernelGrid
from schema.array_types import Floats, Ints


@dataclass(frozen=True)
class SharedIterations:
    """The measured iterations with the same set of cores, and how these cores are coupled.

    `iterations` and `cores` are sorted; `kernels` has the number of main kernels of each core in
    each iteration, shape iterations x cores. `coupling` is None if the cores run freely.
    """

    iterations: Ints
    cores: tuple[str, ...]
    kernels: Ints
    coupling: Coupling | None


def find_shared_iterations(
    measured: Ints,
    parts: pd.DataFrame,
    iterations: pd.DataFrame,
    kernels: pd.DataFrame,
    stalls: StallCoverage,
) -> SharedIterations | None:
    """Select the iterations with the most frequent set of cores; None without iterations.

    `parts` has a row per core and complete iteration. All `kernels` must have start and end.
    """
    rows = parts[parts["iteration"].isin(measured)]
    sets = rows.groupby("iteration")["track"].agg(frozenset)
    if sets.empty:
        return None
    chosen = sets.index[
        sets == max(sets.unique(), key=lambda cores: (int((sets == cores).sum()), len(cores)))
    ]
    numbers = np.sort(chosen.to_numpy(np.int64))
    cores = tuple(sorted(rows.loc[rows["iteration"].isin(chosen), "track"].unique()))
    grid = KernelGrid.of(kernels, numbers, cores)
    own = iterations[iterations["iteration"].isin(numbers[grid.rows])]
    return SharedIterations(
        numbers, cores, grid.counts, _coupling(grid, own, kernels, stalls, cores)
    )


def separate_waiting(parts: pd.DataFrame, shared: SharedIterations | None) -> pd.DataFrame:
    """Move the lock stalls for other cores from `lock_between` to column `waiting` (int64, ticks).

    In iterations that cannot be replayed, a core waits in the same share of these lock stalls as in
    the other iterations.
    """
    stalled = parts["lock_between"].to_numpy(np.int64)
    waiting = np.zeros_like(stalled)
    if shared is not None and shared.coupling is not None:
        core = pd.Index(shared.cores).get_indexer(parts["track"])
        rank = pd.Index(shared.iterations).get_indexer(parts["iteration"])
        waits = np.full((len(shared.iterations) + 1, len(shared.cores) + 1), np.nan)
        waits[shared.coupling.rows, :-1] = shared.coupling.waiting.sum(axis=2)
        waited = waits[rank, core]
        shares = _waiting_shares(waited, stalled, core, len(shared.cores))
        waiting = (
            np.where(np.isnan(waited), stalled * shares[core], waited).round().astype(np.int64)
        )
    return parts.assign(lock_between=stalled - waiting, waiting=waiting)


def _waiting_shares(waited: Floats, stalled: Ints, core: Ints, cores: int) -> Floats:
    """Compute the share of each core's lock stalls in which it waits; 0 for the rank -1."""
    is_known = ~np.isnan(waited) & (core >= 0)
    sums = [
        np.bincount(core[is_known], weights=values[is_known], minlength=cores + 1)
        for values in (waited, stalled)
    ]
    return np.divide(sums[0], sums[1], out=np.zeros(cores + 1), where=sums[1] > 0)


def _coupling(
    grid: KernelGrid,
    iterations: pd.DataFrame,
    kernels: pd.DataFrame,
    stalls: StallCoverage,
    cores: tuple[str, ...],
) -> Coupling | None:
    """Determine the coupling of the cores; `iterations` has the rows of the grid's iterations."""
    ran = KernelCoverage.of(kernels)
    locks = [stalls.track_coverage(core)[0].outside(ran.track_coverage(core)[1]) for core in cores]
    own = iterations.loc[
        iterations["track"].isin(cores), ["track", "iteration", "first_start", "last_end"]
    ]
    own = own.astype({"track": "str"}).sort_values(["iteration", "track"])
    first, last = (
        own[name].to_numpy(np.int64).reshape(-1, len(cores)) for name in ("first_start", "last_end")
    )
    return find_coupling(grid, locks, first, last)
