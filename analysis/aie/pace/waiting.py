"""Separate the time that cores wait for each other from their own stalls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.aie.activity import Coverage
from analysis.aie.core_coverage import KernelCoverage, StallCoverage
from analysis.aie.pace.coupling import Coupling
from analysis.aie.pace.culprits import waits_for
from analysis.aie.pace.kernel_grid import KernelGrid
from analysis.aie.pace.kernel_times import CoreCoverage, KernelTimes
from analysis.aie.pace.streams import array_families
from analysis.aie.pace.structure import find_structure
from schema.array_types import Floats, Ints


@dataclass(frozen=True)
class SharedIterations:
    """The measured iterations with the same set of cores, and how these cores are coupled.

    `iterations` and `cores` are sorted; `kernels` has the number of main kernels of each core in
    each iteration, shape iterations x cores. `coupling` is None if the cores run freely. `waits`
    (rows of the coupling x cores x cores) is the time that each core waits for each other core.
    """

    iterations: Ints
    cores: tuple[str, ...]
    kernels: Ints
    coupling: Coupling | None
    waits: Floats


def find_shared_iterations(
    measured: Ints,
    parts: pd.DataFrame,
    iterations: pd.DataFrame,
    kernels: pd.DataFrame,
    stalls: StallCoverage,
) -> SharedIterations | None:
    """Select the measured iterations with the most frequent set of cores (of equally frequent sets,
    the largest), and find the coupling of these cores.

    `parts` has a row per core and complete iteration. All `kernels` must have start and end. None
    without iterations.
    """
    rows = parts[parts["iteration"].isin(measured)]
    if rows.empty:
        return None
    numbers, cores = most_frequent_cores(rows)
    grid = KernelGrid.of(kernels, numbers, cores)
    coupling = None
    if len(cores) > 1:  # a single core waits for no other
        own = iterations[iterations["iteration"].isin(numbers[grid.rows])]
        coupling = _coupling(grid, own, kernels, stalls, cores)
    waits = np.zeros((0, len(cores), len(cores))) if coupling is None else waits_for(coupling)
    return SharedIterations(numbers, cores, grid.counts, coupling, waits)


def most_frequent_cores(rows: pd.DataFrame) -> tuple[Ints, tuple[str, ...]]:
    """Find the most frequent set of cores, and the iterations that have it; both are sorted.

    Of equally frequent sets the larger comes first, then the set of the earliest iteration.
    """
    row, numbers = pd.factorize(rows["iteration"].to_numpy(np.int64), sort=True)
    column, names = pd.factorize(rows["track"], sort=True)
    has_core = np.zeros((len(numbers), len(names)), bool)
    has_core[row, column] = True
    # packed, because whole rows are compared
    _, first, set_of, counts = np.unique(
        np.packbits(has_core, axis=1),
        axis=0,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    sizes = has_core[first].sum(axis=1)
    best = int(np.lexsort((-first, sizes, counts))[-1])
    chosen = numbers[set_of.reshape(-1) == best].astype(np.int64)
    return chosen, tuple(str(name) for name in names[has_core[first[best]]])


def find_waiting(parts: pd.DataFrame, shared: SharedIterations | None) -> Ints:
    """Compute the ticks of each row of `parts` that its core waits for other cores, of the lock
    stalls in `lock_between`; 0 when the cores do not wait for each other.

    In iterations that cannot be replayed, a core waits in the same share of these lock stalls as in
    the other iterations.
    """
    stalled = parts["lock_between"].to_numpy(np.int64)
    waiting: Ints = np.zeros_like(stalled)
    if shared is not None and shared.coupling is not None:
        core = pd.Index(shared.cores).get_indexer(parts["track"])
        rank = pd.Index(shared.iterations).get_indexer(parts["iteration"])
        waits = np.full((len(shared.iterations) + 1, len(shared.cores) + 1), np.nan)
        waits[shared.coupling.times.rows, :-1] = shared.waits.sum(axis=2)
        waited = waits[rank, core]
        if not shared.coupling.times.is_whole:
            waited = _to_whole(waited, rank, core, stalled, shared.coupling)
        shares = _waiting_shares(waited, stalled, core, len(shared.cores))
        waited = np.minimum(waited, stalled)
        waiting = (
            np.where(np.isnan(waited), stalled * shares[core], waited).round().astype(np.int64)
        )
    return waiting


def move_waiting(parts: pd.DataFrame, waiting: Ints) -> pd.DataFrame:
    """Return `parts` with the ticks of `waiting`, a number per row, moved from column
    `lock_between` to column `waiting`.
    """
    stalled = parts["lock_between"].to_numpy(np.int64)
    return parts.assign(lock_between=stalled - waiting, waiting=waiting)


def _to_whole(waited: Floats, rank: Ints, core: Ints, stalled: Ints, coupling: Coupling) -> Floats:
    """Return the waits (ticks, per row) extended to whole iterations if only their first kernels
    were analysed; NaN stays. A core waits in the same share of its lock stalls.
    """
    analysed = coupling.times.stall.sum(axis=2)
    row = pd.Index(coupling.times.rows).get_indexer(rank)
    known = (row >= 0) & (core >= 0)
    sums = np.where(known, analysed[row, core], 0)
    return np.where(
        known, waited * np.divide(stalled, sums, out=np.ones(len(sums)), where=sums > 0), waited
    )


def _waiting_shares(waited: Floats, stalled: Ints, core: Ints, cores: int) -> Floats:
    """Compute the share (0 to 1) of each core's lock stalls in which it waits, over the rows with
    known waits; 0 without stalls. It has an element more than cores, 0, for core -1.
    """
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
    """Fit how the cores wait for each other; None when they do not, or when the grid has no
    kernels. `iterations` has the rows of the grid's iterations.
    """
    # A damaged capture may have iterations whose main kernels were all left out.
    if not grid.start.size:
        return None
    ran = KernelCoverage.of(kernels)
    covered = [
        _core_coverage(ran.track_coverage(core)[1], stalls.track_coverage(core)) for core in cores
    ]
    own = iterations.loc[
        iterations["track"].isin(cores), ["track", "iteration", "first_start", "last_end"]
    ]
    own = own.astype({"track": "str"}).sort_values(["iteration", "track"])
    first, last = (
        own[name].to_numpy(np.int64).reshape(-1, len(cores)) for name in ("first_start", "last_end")
    )
    times = KernelTimes.of(grid, covered, first, last)
    structure = find_structure(times, array_families(cores))
    return None if structure is None else Coupling.of(times, structure)


def _core_coverage(kernels: Coverage, stalls: list[Coverage]) -> CoreCoverage:
    return CoreCoverage(kernels, stalls[0].outside(kernels), stalls[-1].outside(kernels))
