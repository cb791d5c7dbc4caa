"""Runs of one GEMM with different tile sizes, and the advice that follows; the same from the page and elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from analysis.aie.gemm import read_gemm
from analysis.tiling.advice import Advice, MeasuredRun, Size, advise_size
from analysis.tiling.array_gemm import Whole, whole_of
from analysis.tiling.kernel_period import PeriodModel
from services.run.tiling import shares_gemm
from storage.byte_cache import ByteCache
from storage.catalogue import Catalogue
from storage.gemm_runs import gemm_runs
from storage.repository import Repository
from storage.run_list import RunList

MOST_RUNS = 5_000
"""Runs that an advice rests on at most, the newest ones."""
_SAME = ("hwid", "M", "K", "N", "mac_dtype", "rows", "cols")
"""What runs of a GEMM have in common."""
_MOST_ADVICES = 16


class _Sweep(NamedTuple):
    """Runs of a GEMM, and what is another whenever they are."""

    runs: tuple[MeasuredRun, ...]
    digest: str


class AdviceCache:
    """The advices asked for last, each made once as long as the runs of its GEMM do not change."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._list = RunList(catalogue)
        self._runs = ByteCache[_Sweep](_MOST_ADVICES, lambda _: 1)
        self._advices = ByteCache[Advice](_MOST_ADVICES, lambda _: 1)

    def get(self, run: Mapping[str, object]) -> Advice | None:
        """Return the advice on the GEMM of a row of frame `run`; None where it is none that an array shares."""
        whole = gemm_whole(run)
        if whole is None:
            return None
        sweep = self._sweep(run)
        return self._advices.get((whole, sweep.digest), lambda: advise_size(whole, sweep.runs))

    def version(self, run: Mapping[str, object]) -> str:
        """Return what is another whenever the runs of this GEMM are; "" of a run that has none."""
        return "" if gemm_whole(run) is None else self._sweep(run).digest

    def _sweep(self, run: Mapping[str, object]) -> _Sweep:
        key = (self._list.version(), *(str(run[name]) for name in _SAME))
        return self._runs.get(key, lambda: _sweep_of(measured_runs(self._catalogue, run)))


def find_advice(repository: Repository, run_id: str) -> Advice:
    """Return the advice on the GEMM of a run.

    Raises RunNotFound, and ValueError with a sentence for a run of no GEMM that an array of cores shares.
    """
    found = AdviceCache(repository.catalogue).get(repository.find_run(run_id).run)
    if found is None:
        raise ValueError(
            "the run has no tile sizes to advise on: that takes an AIE capture whose M, K, N, m, k, n, rows, cols and "
            "clock_hz are known, with tiles that are not larger than the GEMM"
        )
    return found


def gemm_whole(run: Mapping[str, object]) -> Whole | None:
    """Return the GEMM of a row of frame `run`; None where its settings do not say how an array shares it."""
    if not shares_gemm(run):
        return None
    return whole_of(read_gemm(run), str(run["mac_dtype"]), str(run["hwid"]))


def measured_runs(catalogue: Catalogue, run: Mapping[str, object]) -> tuple[MeasuredRun, ...]:
    """Return the runs of the same GEMM on the same hardware that have a rate, the newest `MOST_RUNS`."""
    found = gemm_runs(catalogue, run, MOST_RUNS)
    return tuple(MeasuredRun(one.run_id, (one.m, one.k, one.n), one.gmacs_mean) for one in found)


def _sweep_of(runs: tuple[MeasuredRun, ...]) -> _Sweep:
    return _Sweep(runs, hashlib.sha256(repr(runs).encode()).hexdigest()[:16])


def advice_mapping(advice: Advice) -> dict[str, object]:
    """Return an advice as JSON has it; rates in GMAC/s, times of the model in ns, its transfers in bytes per ns."""
    return {
        "measured": [
            _mkn(one.size) | {"runs": one.runs, "gmacs": one.gmacs, "run_id": one.run_id, "won": one.won}
            for one in advice.measured
        ],
        "model": _model_mapping(advice.model),
        "predicted": [
            _mkn(one.size) | {"gmacs": one.gmacs, "low": one.low, "high": one.high} for one in advice.predicted
        ],
        "refused": [_mkn(one.size) | {"reason": one.reason} for one in advice.refused],
        "advice": advice.best
        and _mkn(advice.best.size) | {"gmacs": advice.best.gmacs, "measured": advice.best.measured},
    }


def _model_mapping(model: PeriodModel | None) -> dict[str, object] | None:
    if model is None:
        return None
    overhead, per_mn, per_operand, per_mac = model.coefficients
    terms = {"overhead_ns": overhead, "per_mn_ns": per_mn, "per_operand_ns": per_operand, "per_mac_ns": per_mac}
    return {**terms, "bytes_per_ns": model.rate, "sizes": model.sizes, "error": model.error}


def _mkn(size: Size) -> dict[str, object]:
    return dict(zip("mkn", size, strict=True))
