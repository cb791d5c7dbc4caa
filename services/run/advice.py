"""Advice on the tile size of a GEMM, from the other runs of the same GEMM that have different tile
sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.aie.gemm import read_gemm
from analysis.tiling.advice import Advice, MeasuredRun, Size, advise_size
from analysis.tiling.array_gemm import Whole, whole_of
from analysis.tiling.kernel_period import PeriodModel
from services.run.tiling import shares_gemm
from storage.byte_cache import ByteCache
from storage.catalogue import Catalogue
from storage.gemm_runs import gemm_runs, gemm_version
from storage.repository import Repository
from storage.run_list import RunList

MAX_RUNS = 5_000
"""Maximum number of runs that an advice is based on; the newest are used."""
_SAME = ("hwid", "M", "K", "N", "mac_dtype", "rows", "cols")
"""Columns of frame `run` that are equal in all runs of a GEMM on the same hardware."""
_MAX_ADVICES = 16
"""Maximum number of advices that the cache holds."""
_MAX_VERSIONS = 1_000
"""Maximum number of versions in the cache, one for each GEMM."""


class AdviceCache:
    """Cache of the advices used last; an advice is computed again if the runs of its GEMM
    change.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._list = RunList(catalogue)
        self._versions = ByteCache[str](_MAX_VERSIONS, lambda _: 1)
        self._advices = ByteCache[Advice](_MAX_ADVICES, lambda _: 1)

    def get(self, run: Mapping[str, object]) -> Advice | None:
        """Return the advice on the GEMM of a row of frame `run`, from the cache if its runs are
        unchanged; `None` if the run has no GEMM on an array.
        """
        whole = gemm_whole(run)
        if whole is None:
            return None
        return self._advices.get(
            (whole, *_shared_values(run), self.version(run)),
            lambda: advise_size(whole, measured_runs(self._catalogue, run)),
        )

    def version(self, run: Mapping[str, object]) -> str:
        """Return a token that changes whenever the measured runs of this GEMM do; "" if the run has
        no GEMM.
        """
        if gemm_whole(run) is None:
            return ""
        # The version of the list changes with every run, that of the GEMM only with its own runs.
        key = (self._list.version(), *_shared_values(run))
        return self._versions.get(key, lambda: gemm_version(self._catalogue, run))


def _shared_values(run: Mapping[str, object]) -> tuple[str, ...]:
    """Return the values of the columns _SAME, which are equal in all runs of the GEMM."""
    return tuple(str(run[name]) for name in _SAME)


def find_advice(repository: Repository, run_id: str) -> Advice:
    """Compute the advice on the tile size of a run's GEMM: the sizes that runs of the same GEMM
    were measured with, and sizes predicted from them.

    Raises RunNotFound, and ValueError if the run has no GEMM that an array of cores shares.
    """
    advice = AdviceCache(repository.catalogue).get(repository.find_run(run_id).run)
    if advice is None:
        raise ValueError(
            "the run has no tile sizes to advise on: this needs an AIE capture whose M, K, N, m, k, n, rows, cols and "
            "clock_hz are known and whose tiles are not larger than the GEMM"
        )
    return advice


def gemm_whole(run: Mapping[str, object]) -> Whole | None:
    """Return the whole GEMM of a row of frame `run`; `None` if it has no GEMM or the settings of
    its array are incomplete.
    """
    if not shares_gemm(run):
        return None
    return whole_of(read_gemm(run), str(run["mac_dtype"]), str(run["hwid"]))


def measured_runs(catalogue: Catalogue, run: Mapping[str, object]) -> tuple[MeasuredRun, ...]:
    """Return the newest MAX_RUNS (5,000) runs that have a rate (GMAC/s) for the same GEMM on the
    same hardware, oldest first; empty if there are none.
    """
    rows = gemm_runs(catalogue, run, MAX_RUNS)
    return tuple(MeasuredRun(row.run_id, (row.m, row.k, row.n), row.gmacs_mean) for row in rows)


def advice_mapping(advice: Advice) -> dict[str, Any]:
    """Convert an advice to JSON types: lists `measured`, `predicted` and `refused` of tile sizes,
    `model` and `advice` (each `None` if there is none).

    Rates are in GMAC/s, times of the model in ns, and its transfers in bytes per ns.
    """
    return {
        "measured": [
            _mkn(tile.size)
            | {"runs": tile.runs, "gmacs": tile.gmacs, "run_id": tile.run_id, "won": tile.won}
            for tile in advice.measured
        ],
        "model": _model_mapping(advice.model),
        "predicted": [
            _mkn(tile.size) | {"gmacs": tile.gmacs, "low": tile.low, "high": tile.high}
            for tile in advice.predicted
        ],
        "refused": [_mkn(tile.size) | {"reason": tile.reason} for tile in advice.refused],
        "advice": advice.best
        and _mkn(advice.best.size) | {"gmacs": advice.best.gmacs, "measured": advice.best.measured},
    }


def _model_mapping(model: PeriodModel | None) -> dict[str, object] | None:
    if model is None:
        return None
    overhead, per_mn, per_operand, per_mac = model.coefficients
    terms = {
        "overhead_ns": overhead,
        "per_mn_ns": per_mn,
        "per_operand_ns": per_operand,
        "per_mac_ns": per_mac,
    }
    return {**terms, "bytes_per_ns": model.rate, "sizes": model.sizes, "error": model.error}


def _mkn(size: Size) -> dict[str, object]:
    return dict(zip("mkn", size, strict=True))
