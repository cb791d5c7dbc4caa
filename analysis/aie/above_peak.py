"""Finding about iterations and kernels that exceed the peak of the cores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.aie.gemm import Gemm
from analysis.aie.iterations import measured_iterations, system_mask
from analysis.aie.kernels import CoreKernels
from schema.decimals import decimals, share_percent
from schema.diagnostics import Diagnostic
from schema.peak_rates import exceeds_peak
from schema.plurals import plural

CODE = "above_peak"
"""Code of the finding."""
_OF_GEMM = ("M", "K", "N", "rows", "cols")
_OF_TILE = ("m", "k", "n")


def find_rates_above_peak(
    cores: Sequence[CoreKernels], iterations: pd.DataFrame, gemm: Gemm
) -> list[Diagnostic]:
    """Return a list with a finding if an iteration or a median kernel is faster than the peak of the
    cores allows, as settings or times are then wrong; else [].

    Rates of the run are impossible only if a measured iteration exceeds the peak, as in
    `has_impossible_rates`.
    """
    measured = measured_iterations(iterations)
    text = (
        _of_iterations("rates are", iterations[measured], gemm)
        or _of_iterations("an iteration without part in the rates is", iterations[~measured], gemm)
        or _of_kernels(cores, gemm)
    )
    return [Diagnostic("warning", "above_peak", text)] if text else []


def _of_iterations(subject: str, iterations: pd.DataFrame, gemm: Gemm) -> str:
    """Describe the row of `iterations` that exceeds the peak most; "" if no row exceeds it.

    The text begins with `subject`, which includes the verb, such as "rates are".
    """
    share = iterations["utilization"].to_numpy(np.float64, na_value=np.nan)
    if not len(share) or np.isnan(share).all():
        return ""
    row = int(np.nanargmax(share))
    most = float(share[row])
    if not exceeds_peak(most):
        return ""
    work = float(iterations["work_macs"].iloc[row])
    count = int(iterations["cores"].iloc[row])
    least = work / (gemm.peak_macs_per_cycle * count)
    sizes = _OF_TILE if gemm.macs_per_core is None else _OF_GEMM
    name = f"iteration {iterations['iteration'].iloc[row]}"
    if not system_mask(iterations)[row]:
        name = f"{name} of {iterations['track'].iloc[row]}"
    macs = f"{decimals(work, 0)} MAC on {plural(count, 'core')}"
    return _sentence(gemm, most, (subject, name, macs), least, sizes)


def _of_kernels(cores: Sequence[CoreKernels], gemm: Gemm) -> str:
    """Describe the fastest median kernel if it exceeds the peak of its core; else ""."""
    medians = [(core.median, core.core.track) for core in cores if core.median]
    fastest, track = min(medians, default=(None, ""))
    work = gemm.macs_per_kernel
    share = None if fastest is None else gemm.utilization(work, fastest, 1)
    if share is None or work is None or not exceeds_peak(share):
        return ""
    name = f"the median kernel of {track}"
    macs = f"{decimals(work, 0)} MAC"
    least = work / gemm.peak_macs_per_cycle
    return _sentence(gemm, share, ("kernels are", name, macs), least, _OF_TILE)


def _sentence(
    gemm: Gemm, share: float, work: tuple[str, str, str], least: float, sizes: Sequence[str]
) -> str:
    """Write the share of the peak that is reached, and the settings to check.

    `work` has the impossible things with a verb, the name of the iteration or kernel, and its MACs
    as text; `least` is the number of cycles that these MACs require at the peak.
    """
    subject, name, macs = work
    return (
        f"{subject} impossible, {share_percent(share)} of the peak of {gemm.peak_macs_per_cycle:g} MAC per cycle and "
        f"core: {name} takes {plural(round(least / share), 'cycle')} for {macs}, which require at least "
        f"{plural(round(least), 'cycle')}; check {', '.join(sizes)}, the data type, the peak, and whether the times of "
        "the file are cycles"
    )
