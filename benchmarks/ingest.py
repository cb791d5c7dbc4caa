"""Ingest against the reference script, both as whole processes on the same file, in turn."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from benchmarks.large_trace import GEMM
from benchmarks.processes import Usage, measure
from benchmarks.report import check, note, spread

ROOT = Path(__file__).resolve().parent.parent


def run(trace: Path, work: Path, reference: Path | None, repeats: int) -> tuple[Path, float | None]:
    """Print both times and peaks; return the folder of a store that holds the run, and the script's median time."""
    ours, theirs = [], []
    for turn in range(repeats):
        store = work / f"store-{turn}"
        ours.append(measure([sys.executable, "-m", "app", "ingest", str(trace), "--data", str(store)], ROOT))
        if reference:
            theirs.append(measure([sys.executable, str(reference), *_arguments()], trace.parents[3]))
    _tell("ingest", ours)
    if not theirs:
        return store, None
    _tell("reference script", theirs)
    check("ingest, time against the script's", _ratio(ours, theirs, "wall_s"), 1.0, "x")
    note(f"ingest, processor time against the script's: {_ratio(ours, theirs, 'cpu_s'):.3g} x")
    check("ingest, peak memory against the script's", _ratio(ours, theirs, "peak_mib"), 0.5, "x")
    return store, median(usage.wall_s for usage in theirs)


def _arguments() -> list[str]:
    names = {"row": "rows", "col": "cols"}
    keys = ("M", "K", "N", "m", "k", "n", "row", "col", "hwid", "warmup", "iterations")
    return [text for key in keys for text in (f"--{key}", str(getattr(GEMM, names.get(key, key))))]


def _tell(what: str, usages: list[Usage]) -> None:
    note(f"{what}: {spread([u.wall_s for u in usages], 's')}")
    note(
        f"    processor {spread([u.cpu_s for u in usages], 's')}, peak {spread([u.peak_mib for u in usages], 'MiB', 0)}"
    )


def _ratio(ours: list[Usage], theirs: list[Usage], field: str) -> float:
    ratio: float = median(getattr(u, field) for u in ours) / median(getattr(u, field) for u in theirs)
    return ratio
