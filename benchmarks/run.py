"""Run benchmarks: `python -m benchmarks.run [--only NAME ...] [--reference SCRIPT]`.

They measure a large capture, log, memory map and profile, lists of many runs, and a server with
many users. The capture is compared with the script that the method `reference` reproduces, the
profile with tinygrad's own viewer if a Python with tinygrad is given. The exit code is 0 if all
could be measured, whether or not the targets are met.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from app import __version__
from benchmarks.cases import CASES, COPIES, Inputs, Options
from benchmarks.report import TABLE, checks_table, note

RESULTS = Path(__file__).parent / "results"
"""Folder of the saved results."""
_BEFORE = "0.1.0"
"""Release whose results are shown for comparison."""


def main() -> None:
    """Run the cases one after the other, and print a table of their numbers."""
    arguments = _arguments()
    note(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the first measurement")
    options = Options(
        arguments.trace,
        arguments.reference,
        arguments.tinygrad,
        arguments.tools,
        arguments.repeats,
        arguments.copies,
    )
    with Inputs(options) as inputs:
        rows = inputs.work / "rows.jsonl"
        rows.touch()
        os.environ[TABLE] = str(rows)
        for case in CASES:
            if not arguments.only or case.module in arguments.only:
                case.run(inputs)
        print(checks_table(rows, RESULTS / f"{_BEFORE}.json"))
        if arguments.save:
            measured = {
                row["what"]: row["value"] for row in map(json.loads, rows.read_text().splitlines())
            }
            (RESULTS / f"{__version__}.json").write_text(json.dumps(measured, indent=1) + "\n")


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
        "--tools",
        metavar="PYTHON",
        help="a Python with perfetto, viztracer, HolisticTraceAnalysis and torch, for the table of growth",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        choices=sorted({case.module for case in CASES}),
        help="run these benchmarks alone",
    )
    parser.add_argument(
        "--save", action="store_true", help="keep the numbers as those of this release"
    )
    parser.add_argument(
        "--repeats", type=int, default=3, help="runs of each whole-process measurement"
    )
    parser.add_argument(
        "--copies",
        type=int,
        default=COPIES,
        help="copies of each of 1,000,000 runs, for the list of ten times as many; 0 for none",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
