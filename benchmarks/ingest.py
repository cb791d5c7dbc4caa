"""Ingest compared with the reference script, as whole processes on the same file in turn."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from benchmarks.large_trace import GEMM
from benchmarks.measure import Usage, measure
from benchmarks.report import check, note, spread_text
from samples.gemm_array import Gemm

ROOT = Path(__file__).resolve().parent.parent


def run(trace: Path, work: Path, reference: Path | None, repeats: int) -> tuple[Path, float | None]:
    """Print processor times and peaks; return a store with the run, and the script's wall time."""
    store, ours, theirs = _turns(trace, work, reference, repeats)
    _print_usage("ingest", ours)
    if not theirs:
        return store, None
    _print_usage("reference script", theirs)
    ratios = _ratios(ours, theirs)
    check("ingest, processor time against the script's", ratios["time_ratio"], 0.5, "x")
    check("ingest, peak memory against the script's", ratios["peak_ratio"], 0.33, "x")
    return store, median(usage.wall_s for usage in theirs)


def _turns(
    trace: Path, work: Path, reference: Path | None, repeats: int
) -> tuple[Path, list[Usage], list[Usage]]:
    """Run ingest and script in turn; return the last store, and the resource usage of all runs."""
    ours = []
    theirs = []
    # In turn, because the machine's clock rate varies.
    for turn in range(repeats):
        store = work / f"store-{turn}"
        ours.append(
            measure([sys.executable, "-m", "app", "ingest", str(trace), "--data", str(store)], ROOT)
        )
        if reference:
            # The script looks for `outputs/` in its working directory.
            theirs.append(
                measure([sys.executable, str(reference), *script_arguments()], trace.parents[3])
            )
    return store, ours, theirs


def _ratios(ours: list[Usage], theirs: list[Usage]) -> dict[str, float]:
    return {
        "time_ratio": _ratio(ours, theirs, "cpu_s"),
        "peak_ratio": _ratio(ours, theirs, "peak_mib"),
    }


def script_arguments(gemm: Gemm = GEMM) -> list[str]:
    """Return the arguments with which the script reads the trace of a GEMM."""
    names = {"row": "rows", "col": "cols"}
    keys = ("M", "K", "N", "m", "k", "n", "row", "col", "hwid", "warmup", "iterations")
    return [text for key in keys for text in (f"--{key}", str(getattr(gemm, names.get(key, key))))]


def _print_usage(what: str, usages: list[Usage]) -> None:
    cpu = spread_text([usage.cpu_s for usage in usages], "s")
    peak = spread_text([usage.peak_mib for usage in usages], "MiB", 0)
    note(f"{what}: processor {cpu}, peak {peak}")


def _ratio(ours: list[Usage], theirs: list[Usage], field: str) -> float:
    ratio: float = median(getattr(u, field) for u in ours) / median(
        getattr(u, field) for u in theirs
    )
    return ratio
