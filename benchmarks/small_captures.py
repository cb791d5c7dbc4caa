"""Processor time of many small captures in a command, of one capture, and of commands that read no
frames.

`python -m benchmarks.small_captures [--reference SCRIPT] [--captures N]`
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.measure import Usage, measure
from benchmarks.report import check, note
from samples.gemm_array import Behaviour, Gemm, simulate
from samples.trace_file import trace_entries, trace_lines, trace_text, write_run

ROOT = Path(__file__).resolve().parent.parent
CAPTURES = 200
"""Number of captures in a command."""
_GEMM = Gemm("npu1", 64, 64, 64, 1, 1, warmup=1, iterations=7, first_col=1)
_COMPUTE = 540
"""Cycles that a kernel computes."""
_SCRIPT_RUNS = 5
"""Repetitions of the script, of the ingest of one capture and of light commands."""
_LIGHT_S = 0.2
"""Budget of processor seconds for a light command."""
_ONE_S = 0.5
"""Budget of processor seconds for a command that ingests one small capture."""
_LIGHT = {"--help": ("--help",), "--version": ("--version",), "runs": ("runs",)}
"""Light commands, which read no frames; `runs` lists the ingested store."""


def write(root: Path, captures: int, first: int = 0, compute: int = _COMPUTE) -> list[Path]:
    """Write captures of about 110 KB with one core each, all different; return their folders.

    Their seeds begin with `first`; a kernel computes for `compute` cycles.
    """
    folders = [root / str(seed) for seed in range(first, first + captures)]
    for seed, folder in enumerate(folders, first):
        behaviour = Behaviour(seed=seed, compute=compute)
        units = simulate(_GEMM, behaviour)
        text = trace_text(trace_lines(units, trace_entries(units, behaviour.seed)))
        write_run(folder, _GEMM, text, compressed=False)
    return folders


def measure_captures(
    work: Path, reference: Path | None = None, captures: int = CAPTURES
) -> dict[str, float]:
    """Return processor seconds of ingest and script per capture, of a command that ingests one
    capture into a new store, and of each light command; medians of 5 runs.
    """
    folders = write(work / "captures", captures)
    store = str(work / "store")
    paths = [str(folder) for folder in folders]
    ours = _command("ingest", *paths, "--jobs", "1", "--data", store)
    numbers = {"ingest_each_s": ours.cpu_s / captures, "ingest_peak_mib": ours.peak_mib}
    if reference:
        scripts = [
            measure([sys.executable, str(reference), *_arguments()], path)
            for path in folders[:_SCRIPT_RUNS]
        ]
        numbers["script_each_s"] = median(usage.cpu_s for usage in scripts)
        numbers["ratio"] = numbers["ingest_each_s"] / numbers["script_each_s"]
    trace = next(path for path in folders[0].rglob("trace*.json"))
    numbers["ingest_one_s"] = median(
        _command("ingest", str(trace), "--data", str(work / f"store-{repeat}")).cpu_s
        for repeat in range(_SCRIPT_RUNS)
    )
    for name, arguments in _LIGHT.items():
        data = ("--data", store) if name == "runs" else ()
        numbers[f"{name}_s"] = median(
            _command(*arguments, *data).cpu_s for _ in range(_SCRIPT_RUNS)
        )
    return numbers


def _command(*arguments: str) -> Usage:
    return measure([sys.executable, "-m", "app", *arguments], ROOT)


def _arguments() -> list[str]:
    names = {"row": "rows", "col": "cols"}
    keys = ("M", "K", "N", "m", "k", "n", "row", "col", "hwid", "warmup", "iterations")
    return [text for key in keys for text in (f"--{key}", str(getattr(_GEMM, names.get(key, key))))]


def main() -> None:
    """Print the measurements with their budgets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", type=Path, help="the script to compare with")
    parser.add_argument("--captures", type=int, default=CAPTURES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as folder:
        reference = options.reference.resolve() if options.reference else None
        numbers = measure_captures(Path(folder), reference, options.captures)
    check(
        f"{options.captures} captures in one command, processor time each",
        numbers["ingest_each_s"],
        0.08,
        "s",
    )
    if "ratio" in numbers:
        note(
            f"processor time of the script each: {numbers['script_each_s']:.3g} s; ratio {numbers['ratio']:.3g}"
        )
    check("ingest of one small capture, processor time", numbers["ingest_one_s"], _ONE_S, "s")
    for name in _LIGHT:
        check(f"{name}, processor time", numbers[f"{name}_s"], _LIGHT_S, "s")


if __name__ == "__main__":
    main()
