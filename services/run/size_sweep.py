"""Sweep of a GEMM over M, K or N: the efficiencies of runs that differ only in that size."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict

from analysis.aie.efficiency import Efficiency, SizeSweep, SweptSize, compute_efficiency
from analysis.aie.gemm import read_gemm
from services.run.tiling import shares_gemm
from storage.byte_cache import ByteCache
from storage.repository import Repository
from storage.run_list import RunList
from storage.size_sweeps import SIZES, SizedRun, sized_runs
from storage.stored_run import StoredRun

MAX_RUNS = 2_000
"""Maximum number of runs that are searched for sizes; the newest come first."""
MAX_SIZES = 64
"""Maximum number of sizes of a sweep: those with the newest runs."""
_MAX_SWEEPS = 32
"""Maximum number of sweeps that the cache holds."""
_MAX_LISTS = 300
"""Maximum number of lists of runs that the cache holds: the page of a run needs three."""
_SHARED = ("hwid", "mac_dtype", "rows", "cols", "M", "K", "N", "m", "k", "n")


class SweepCache:
    """Cache of the sweeps used last; a sweep is computed again if its runs change."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._list = RunList(repository.catalogue)
        self._runs = ByteCache[tuple[SizedRun, ...]](_MAX_LISTS, lambda _: 1)
        self._sweeps = ByteCache[SizeSweep](_MAX_SWEEPS, lambda _: 1)

    def get(self, run: Mapping[str, object], dimension: str) -> SizeSweep | None:
        """Return the sweep of a row of frame `run`; `None` if its GEMM has no size or tile."""
        if not shares_gemm(run):
            return None
        runs = self._newest(run, dimension)
        return self._sweeps.get(
            self._key(run, dimension),
            lambda: _make_sweep(self._repository, run, dimension, runs),
        )

    def has_sizes(self, run: Mapping[str, object]) -> bool:
        """Whether the sweep over M, K or N has at least two sizes."""
        if not shares_gemm(run):
            return False
        return any(len(self._newest(run, dimension)) > 1 for dimension in SIZES)

    def version(self, run: Mapping[str, object]) -> str:
        """Return a token that changes whenever the runs of the sweeps do; "" if there are none."""
        if not self.has_sizes(run):
            return ""
        runs = [self._newest(run, dimension) for dimension in SIZES]
        return hashlib.sha256(repr(runs).encode()).hexdigest()[:16]

    def _newest(self, run: Mapping[str, object], dimension: str) -> tuple[SizedRun, ...]:
        return self._runs.get(
            self._key(run, dimension), lambda: _newest_runs(self._repository, run, dimension)
        )

    def _key(self, run: Mapping[str, object], dimension: str) -> tuple[object, ...]:
        settings = tuple(str(run[name]) for name in (*_SHARED, "clock_hz", "peak_macs_per_cycle"))
        return (self._list.version(), run["run_id"], dimension, settings)


def find_sweep(repository: Repository, run_id: str, dimension: str) -> SizeSweep:
    """Compute the sweep of a run over M, K or N.

    Raises RunNotFound, and ValueError if settings of the run's GEMM are missing.
    """
    sweep = SweepCache(repository).get(repository.find_run(run_id).run, dimension)
    if sweep is None:
        raise ValueError(
            "the run has no GEMM to compare by size: a sweep needs an AIE capture whose M, K, N, m, k, n, rows, cols "
            "and clock_hz are known"
        )
    return sweep


def sweep_mapping(sweep: SizeSweep) -> dict[str, object]:
    """Convert a sweep to JSON types; efficiencies are ratios."""
    return {
        "dimension": sweep.dimension,
        "constant": dict(sweep.constant),
        "peak_gmacs": sweep.peak_gmacs,
        "sizes": [
            {"size": swept.size, "run_id": swept.run_id} | asdict(swept.efficiency)
            for swept in sweep.sizes
        ],
    }


def _newest_runs(
    repository: Repository, run: Mapping[str, object], dimension: str
) -> tuple[SizedRun, ...]:
    """List the newest run of each size, at most `MAX_SIZES`, smallest size first.

    The run itself is the run of its own size, whichever other runs there are.
    """
    own = int(str(run[dimension]))
    newest: dict[int, SizedRun] = {}
    for sized in sized_runs(repository.catalogue, run, dimension, MAX_RUNS):
        if sized.size != own and len(newest) < MAX_SIZES - 1:
            newest.setdefault(sized.size, sized)
    newest[own] = SizedRun(str(run["run_id"]), own, "")
    return tuple(sorted(newest.values(), key=lambda sized: sized.size))


def _make_sweep(
    repository: Repository, run: Mapping[str, object], dimension: str, runs: tuple[SizedRun, ...]
) -> SizeSweep:
    gemm = read_gemm(run)
    stored = [repository.catalogue.get(sized.run_id) for sized in runs]
    return SizeSweep(
        dimension,
        {name: int(str(run[name])) for name in SIZES if name != dimension},
        int(str(run[dimension])),
        (gemm.cores or 0) * gemm.peak_macs_per_cycle * gemm.clock_hz / 1e9,
        tuple(
            SweptSize(sized.size, sized.run_id, _efficiency_of(found))
            for sized, found in zip(runs, stored, strict=True)
            if found is not None and not found.damaged
        ),
    )


def _efficiency_of(stored: StoredRun) -> Efficiency:
    wall_clock: object = stored.run.get("wall_clock_us")
    return compute_efficiency(
        read_gemm(stored.run),
        stored.headline,
        float(wall_clock) if isinstance(wall_clock, int | float) else None,
    )
