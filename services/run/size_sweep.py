"""Sweep of a GEMM over M, K or N: the efficiencies of runs that differ only in that size."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import NamedTuple

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
"""Maximum number of lists of runs that the cache holds: the pages of a GEMM need three."""
_SHARED = ("hwid", "mac_dtype", "rows", "cols", "M", "K", "N", "m", "k", "n")


class _Sizes(NamedTuple):
    """The newest run of each size by dimension, smallest size first, and a token that changes with
    them; "" if no dimension has a second size.
    """

    runs: Mapping[str, tuple[SizedRun, ...]]
    version: str


class SweepCache:
    """Cache of the sweeps used last; a sweep is computed again if its runs change."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._list = RunList(repository.catalogue)
        self._others = ByteCache[tuple[SizedRun, ...]](_MAX_LISTS, lambda _: 1)
        self._sizes = ByteCache[_Sizes](_MAX_LISTS, lambda _: 1)
        self._sweeps = ByteCache[SizeSweep](_MAX_SWEEPS, lambda _: 1)

    def get(self, run: Mapping[str, object], dimension: str) -> SizeSweep | None:
        """Return the sweep of a row of frame `run`; `None` if its GEMM has no size or tile."""
        if not shares_gemm(run):
            return None
        runs = self._sizes_of(run).runs[dimension]
        return self._sweeps.get(
            (*self._key(run), dimension),
            lambda: _make_sweep(self._repository, run, dimension, runs),
        )

    def has_sizes(self, run: Mapping[str, object]) -> bool:
        """Whether the sweep over M, K or N has at least two sizes."""
        return bool(self.version(run))

    def version(self, run: Mapping[str, object]) -> str:
        """Return a token that changes whenever the runs of the sweeps do; "" if there are none."""
        return self._sizes_of(run).version if shares_gemm(run) else ""

    def _sizes_of(self, run: Mapping[str, object]) -> _Sizes:
        return self._sizes.get(self._key(run), lambda: self._find_sizes(run))

    def _find_sizes(self, run: Mapping[str, object]) -> _Sizes:
        newest = {dimension: self._newest(run, dimension) for dimension in SIZES}
        if all(len(runs) < 2 for runs in newest.values()):
            return _Sizes(newest, "")
        digest = hashlib.sha256(repr([*newest.values()]).encode())
        return _Sizes(newest, digest.hexdigest()[:16])

    def _newest(self, run: Mapping[str, object], dimension: str) -> tuple[SizedRun, ...]:
        """List the newest run of each size.

        The run itself is the run of its own size, whichever other runs there are.
        """
        # Without the run's id: all runs with its settings have the same other sizes.
        key = (self._list.version(), dimension, *(str(run[name]) for name in _SHARED))
        others = self._others.get(key, lambda: _other_sizes(self._repository, run, dimension))
        own = SizedRun(str(run["run_id"]), int(str(run[dimension])), "")
        return tuple(sorted((*others, own), key=lambda sized: sized.size))

    def _key(self, run: Mapping[str, object]) -> tuple[object, ...]:
        settings = tuple(str(run[name]) for name in (*_SHARED, "clock_hz", "peak_macs_per_cycle"))
        return (self._list.version(), run["run_id"], *settings)


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


def _other_sizes(
    repository: Repository, run: Mapping[str, object], dimension: str
) -> tuple[SizedRun, ...]:
    """List the newest run of each other size, at most `MAX_SIZES` - 1."""
    newest: dict[int, SizedRun] = {}
    for sized in sized_runs(repository.catalogue, run, dimension, MAX_RUNS):
        if len(newest) < MAX_SIZES - 1:
            newest.setdefault(sized.size, sized)
    return tuple(newest.values())


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
