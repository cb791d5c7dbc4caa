"""Run all benchmarks: `python -m benchmarks.run [--reference SCRIPT]`.

They measure a large capture, log, memory map and profile. The capture is compared with the script
that the method `reference` reproduces, the profile with tinygrad's own viewer if a Python with
tinygrad is given. The exit code is 0 if all could be measured, whether or not the targets are met.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from app import __version__
from benchmarks import ingest, small_captures
from benchmarks.large_trace import trace_path
from benchmarks.report import TABLE, checks_table, note
from tests.support.services import postgres_in

RESULTS = Path(__file__).parent / "results"
"""Folder of the saved results."""
_BEFORE = "0.1.0"
"""Release whose results are shown for comparison."""
_MANY = 100
"""Captures of the store that shows whether memory grows."""


def main() -> None:
    """Write the inputs and run every part in a process of its own, so that peaks do not add up."""
    options = _arguments()
    note(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the first measurement")
    with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as folder:
        work = Path(folder)
        rows = work / "rows.jsonl"
        os.environ[TABLE] = str(rows)
        _captures(options, work)
        _pages(work)
        _memory_and_profiles(options)
        print(checks_table(rows, RESULTS / f"{_BEFORE}.json"))
        if options.save:
            measured = {
                row["what"]: row["value"] for row in map(json.loads, rows.read_text().splitlines())
            }
            (RESULTS / f"{__version__}.json").write_text(json.dumps(measured, indent=1) + "\n")


def _captures(options: argparse.Namespace, work: Path) -> None:
    if options.trace is None:
        _python("-m", "benchmarks.large_trace", str(work))
    trace = options.trace.resolve() if options.trace else trace_path(work)
    reference = options.reference.resolve() if options.reference else None
    store, seconds = ingest.run(trace, work, reference, options.repeats)
    _python(
        "-m",
        "benchmarks.server",
        str(store),
        *(["--reference-seconds", str(seconds)] if seconds else []),
    )
    _python("-m", "benchmarks.pages", str(store), "--large", "1.1 M entries")
    _python("-m", "benchmarks.page", str(store), "--repeats", str(options.repeats))
    _python("-m", "benchmarks.comparisons", str(store), str(work / "second"))
    _python(
        "-m", "benchmarks.small_captures", *(["--reference", str(reference)] if reference else [])
    )


def _pages(work: Path) -> None:
    samples = work / "samples"
    many = work / "many"
    _python("-m", "app", "ingest", "samples", "--data", str(samples))
    folders = small_captures.write(work / "captures", _MANY)
    _python("-m", "app", "ingest", *map(str, folders), "--data", str(many))
    _python("-m", "benchmarks.pages", str(samples))
    _python("-m", "benchmarks.snapshots", str(samples))
    _python("-m", "benchmarks.installed")
    _python("-m", "benchmarks.runs_list")
    _python("-m", "benchmarks.searches")
    _python("-m", "benchmarks.status")
    _python("-m", "benchmarks.trends")
    with (
        tempfile.TemporaryDirectory(prefix="tilescope-database-") as folder,
        postgres_in(Path(folder)) as server,
    ):
        _python("-m", "benchmarks.searches", "--database", server.new())
        _python("-m", "benchmarks.trends", "--database", server.new())
    _python("-m", "benchmarks.users", str(samples), "--many", str(many))


def _memory_and_profiles(options: argparse.Namespace) -> None:
    _python("-m", "benchmarks.verdicts")
    _python("-m", "benchmarks.graphs")
    _python("-m", "benchmarks.memory_log")
    _python("-m", "benchmarks.readers")
    _python("-m", "benchmarks.large_entries")
    _python("-m", "benchmarks.memory_views")
    _python("-m", "benchmarks.allocators")
    viewer = ["--tinygrad", options.tinygrad] if options.tinygrad else []
    _python("-m", "benchmarks.profiles", "--repeats", str(options.repeats), *viewer)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", type=Path, help="the script to compare with")
    parser.add_argument(
        "--trace",
        type=Path,
        help="a capture in the folder convention instead of the generated one (the same GEMM)",
    )
    parser.add_argument(
        "--tinygrad", metavar="PYTHON", help="a Python with tinygrad 0.12, to compare profiles with"
    )
    parser.add_argument(
        "--save", action="store_true", help="keep the numbers as those of this release"
    )
    parser.add_argument(
        "--repeats", type=int, default=3, help="runs of each whole-process measurement"
    )
    return parser.parse_args()


def _python(*arguments: str) -> None:
    """Run a module of the project in another process."""
    subprocess.run([sys.executable, *arguments], cwd=ingest.ROOT, check=True)


if __name__ == "__main__":
    main()
