"""Write a capture of about 1.1 million entries: 16 cores, 12 iterations of 256 kernels each."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from samples.gemm_array import Behaviour, Gemm, simulate
from samples.trace_file import run_folder, trace_entries, trace_lines, trace_text, write_run

GEMM = Gemm("npu2", 512, 512, 512, 4, 4, warmup=2, iterations=10)
_BEHAVIOUR = Behaviour(seed=8, stall_chance=0.95, slow=(4, 2), kinds=("core", "shim", "memtile"))


def trace_path(root: Path) -> Path:
    """Return the path at which `write` writes the trace."""
    return run_folder(root, GEMM) / f"trace_mm_{GEMM.M}_{GEMM.K}_{GEMM.N}.json"


def write(root: Path, seed: int = _BEHAVIOUR.seed, gemm: Gemm = GEMM) -> None:
    """Write the trace below `root`, in the folder structure that the reference script expects."""
    units = simulate(gemm, replace(_BEHAVIOUR, seed=seed))
    entries = trace_entries(units, seed)
    path = write_run(root, gemm, trace_text(trace_lines(units, entries)), compressed=False)
    print(f"{len(entries)} entries, {path.stat().st_size / 2**20:.0f} MiB")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
