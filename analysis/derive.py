"""One function re-computes everything that a run's settings and the method decide."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from analysis.activity import activity
from analysis.aie_iterations import iterations_frame
from analysis.aie_kernels import core_kernels, kernels_frame
from analysis.aie_reference import reference_cores, reference_iterations, reference_kernels
from analysis.capture_health import capture_health
from analysis.core_events import core_events
from analysis.gemm import gemm_of
from analysis.headline import headline
from analysis.method_difference import method_difference
from data_loaders.diagnostics import diagnostics_frame
from data_loaders.frames import conform
from data_loaders.run_settings import with_overrides

__all__ = ["METHODS", "derivable", "derive", "headline"]

METHODS = ("robust", "reference")
Frames = Mapping[str, pd.DataFrame]
_NONE: Mapping[str, str] = MappingProxyType({})
_DERIVABLE = {"aie": ("kernels", "iterations", "activity")}


def derivable(source: str) -> tuple[str, ...]:
    """Return the names of the frames that `derive` makes for a source, besides run and diagnostics."""
    return _DERIVABLE.get(source, ())


def derive(frames: Frames, method: str = "robust", overrides: Mapping[str, str] = _NONE) -> dict[str, pd.DataFrame]:
    """Return frames run (after overrides), kernels, iterations, activity and the analysis' diagnostics.

    `reference_iterations` stand beside them by whatever method. `frames` holds run, tracks and events. Raises
    ValueError (one sentence) for an unknown method or a bad override.
    """
    if method not in METHODS:
        raise ValueError(f"method {method}: expected one of {', '.join(METHODS)}")
    row = with_overrides(frames["run"].iloc[0].to_dict(), overrides)
    run = conform("run", pd.DataFrame([row]))
    gemm = gemm_of(row)
    theirs = reference_cores(frames["tracks"], frames["events"], gemm)
    reference = reference_iterations(theirs, gemm)
    ours = [core_kernels(core, gemm) for core in core_events(frames["tracks"], frames["events"])]
    iterations = iterations_frame(ours, gemm)
    # What a capture suffers from does not depend on how one looks at it.
    findings = capture_health(ours, frames["tracks"], iterations, gemm)
    findings += method_difference(ours, iterations, theirs, reference)
    robust = method == "robust"
    kernels = kernels_frame(ours) if robust else reference_kernels(theirs, gemm)
    return {
        "run": run,
        "kernels": kernels,
        "iterations": iterations if robust else reference,
        "reference_iterations": reference,
        "activity": activity(frames["tracks"], frames["events"], kernels),
        "diagnostics": diagnostics_frame(findings),
    }
