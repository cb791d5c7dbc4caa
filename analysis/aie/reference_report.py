"""Write the files of the team's post-processing script, as texts by file name."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

import pandas as pd

from analysis.aie.core_events import core_events
from analysis.aie.gemm import Gemm, read_gemm
from analysis.aie.reference import ReferenceCore, reference_cores, reference_iterations
from analysis.timeline.open_levels import hold_open_levels
from schema.frames import Frames

_NEEDED = ("M", "K", "N", "rows", "cols", "warmup", "iterations")
_NO_PAIRS = "No valid kernel pairs detected after robust filtering."
_UNSAFE = re.compile(r"[^\w,.\-]+")
_MAX_NAME_BYTES = 200
"""Maximum size of a file's name without its suffix; file systems allow 255 bytes."""
_Report = dict[str, Any]


def report_files(frames: Frames) -> dict[str, str]:
    """Write the files of the script as file name -> text: `<tile>.json` per core, details.md (if
    there are iterations), index.json and aggregate_perf.json.

    All numbers come from the reference method. A tile's name is its file's name if that is legal;
    otherwise characters other than letters, digits and `,.-_` are replaced. Raises ValueError if
    the run lacks a setting that the script requires.
    """
    run = frames["run"].iloc[0].to_dict()
    missing = [name for name in _NEEDED if pd.isna(run[name])]
    if missing:
        raise ValueError(
            f"the report needs {', '.join(missing)}: ingest the file again with --set {missing[0]}=..."
        )
    gemm = read_gemm(run)
    events = hold_open_levels(frames["events"], frames["tracks"])
    cores = reference_cores(core_events(frames["tracks"], events), gemm)
    iterations = reference_iterations(cores, gemm)
    reports = [_core_report(core, iterations, gemm) for core in cores]
    # Units with the same tile name share a file. The script reads the files back, so that the last
    # unit's report counts for all of them.
    by_name = {str(report["tile_name"]): report for report in reports}
    stems = _file_stems(by_name)
    files = {
        f"{stems[tile]}.json": json.dumps(report, indent=2) for tile, report in by_name.items()
    }
    details = _details(reports, run)
    if details:
        files["details.md"] = details
    files["index.json"] = json.dumps(_index(reports, run, gemm, bool(details)), indent=2)
    files["aggregate_perf.json"] = json.dumps(
        _aggregate([by_name[r["tile_name"]] for r in reports], gemm), indent=2
    )
    return files


def _file_stems(tiles: Iterable[str]) -> dict[str, str]:
    """Map each tile to a distinct legal file name without suffix, unlike `index` and
    `aggregate_perf`, also if case is ignored. A name in use gets a number: `tile_2`.
    """
    taken = {"index", "aggregate_perf"}
    stems = {}
    for tile in tiles:
        plain = (
            tile
            if _is_legal(tile)
            else _UNSAFE.sub("_", tile).lstrip(".")[: _MAX_NAME_BYTES // 4] or "tile"
        )
        rank = next(
            i for i in count(1) if (plain if i == 1 else f"{plain}_{i}").lower() not in taken
        )
        stems[tile] = plain if rank == 1 else f"{plain}_{rank}"
        # Some file systems ignore case.
        taken.add(stems[tile].lower())
    return stems


def _is_legal(name: str) -> bool:
    """Whether a file may have this name and is visible and directly in its folder: 1 to 200 bytes,
    printable, no slash, no dot at the beginning.
    """
    short = 0 < len(name.encode(errors="replace")) <= _MAX_NAME_BYTES
    return short and name.isprintable() and not name.startswith(".") and not {"/", "\\"} & set(name)


def _tile_name(process: str) -> str:
    return process.rsplit(" for ", maxsplit=1)[-1]


def _core_report(core: ReferenceCore, iterations: pd.DataFrame, gemm: Gemm) -> _Report:
    detected = core.iteration_count
    expected = (gemm.warmup or 0) + (gemm.iterations or 0)
    report: _Report = {"pid": json.loads(core.core.pid), "tile_name": _tile_name(core.core.process)}
    if core.pairs.median is not None:
        report["median_kernel_duration_cycles"] = core.pairs.median
        report["lock_stall_boundary_count"] = len(core.boundaries)
    rows = iterations[iterations["track"] == core.core.track]
    return report | {
        "detected_total_iterations": detected,
        "expected_total_iterations": expected,
        "mismatch_note": _NO_PAIRS if core.pairs.median is None else _mismatch(detected, expected),
        "iterations": [_iteration(row) for row in rows.to_dict("records")],
        "performance_window": rows.loc[rows["phase"] == "perf", "iteration"].tolist(),
    }


def _mismatch(detected: int, expected: int) -> str | None:
    if detected == expected:
        return None
    # The sentences are those of the script, which writes "1 iterations".
    text = f"Detected {detected} iterations but expected {expected}. "
    if detected < expected:
        return text + "Proceeding with available iterations."
    return text + f"Truncating to first {expected} iterations for phase labeling."


def _iteration(row: Mapping[str, object]) -> _Report:
    empty = not row["kernels"]
    return {
        "num_kernels": row["kernels"],
        "avg_duration_cycles": row["average"],
        "min_duration_cycles": row["minimum"],
        "max_duration_cycles": row["maximum"],
        "total_span_cycles": row["span"],
        "first_start": None if empty else row["first_start"],
        "last_end": None if empty else row["last_end"],
        "gmacs_per_second": row["gmacs_per_s"],
        "iteration_index": row["iteration"],
        "phase": row["phase"],
    }


def _details(reports: list[_Report], run: Mapping[str, object]) -> str:
    """Write the Markdown table of all cores and iterations; "" without iterations."""
    rows = [(report["tile_name"], it) for report in reports for it in report["iterations"]]
    if not rows:
        return ""
    head = f"[{_markdown(run['hwid'])}] M={run['M']} K={run['K']} N={run['N']}"
    lines = [
        f"<details><summary><strong>{head}</strong></summary>\n",
        "| Tile | Iter | Phase | Kernels | Avg cycles | Min | Max | Total span | GMAC/s |",
        "|------|------|-------|---------|------------|-----|-----|------------|--------|",
    ]
    for tile, it in rows:
        lines.append(
            f"| {_markdown(tile)} | {it['iteration_index']} | {it['phase']} | {it['num_kernels']} "
            f"| {it['avg_duration_cycles']:.3f} | {it['min_duration_cycles']} | {it['max_duration_cycles']} "
            f"| {it['total_span_cycles']} | {it['gmacs_per_second']:.3f} |"
        )
    return "\n".join([*lines, "", "</details>", ""])


def _markdown(text: object) -> str:
    """Escape a name for a cell of a Markdown table within HTML; line breaks become spaces, a null
    gives "".
    """
    plain = " ".join(str("" if pd.isna(text) else text).split())
    return re.sub(r"([\\`*|\[\]])", r"\\\1", html.escape(plain))


def _index(reports: list[_Report], run: Mapping[str, object], gemm: Gemm, details: bool) -> _Report:
    hwid = None if pd.isna(run["hwid"]) else run["hwid"]
    folder = (
        f"outputs/{hwid}-gemm_{gemm.M}_{gemm.K}_{gemm.N}-{gemm.rows}_row_{gemm.cols}_col/traces"
    )
    sizes = {name: getattr(gemm, name) for name in ("M", "K", "N", "m", "k", "n", "rows", "cols")}
    return {
        "hwid": hwid,
        **sizes,
        "input_path": f"{folder}/trace_mm_{gemm.M}_{gemm.K}_{gemm.N}.json",
        "output_dir": folder,
        "warmup": gemm.warmup,
        "iterations": gemm.iterations,
        "clock_GHz": gemm.clock_hz / 1e9,
        "notes": [report["mismatch_note"] for report in reports if report["mismatch_note"]],
        "details_md": f"{folder}/details.md" if details else None,
    }


def _aggregate(reports: list[_Report], gemm: Gemm) -> _Report:
    if not reports:
        return {"note": "No cores to aggregate."}
    windows = [set(report["performance_window"]) for report in reports]
    common = sorted(set.intersection(*windows))
    if not common:
        return {"note": "No common perf iterations across all cores."}
    rows = [_system_iteration(reports, i, gemm) for i in common]
    rates = [row["gmacs_per_second"] for row in rows]
    return {
        "iterations_considered": common,
        "count": len(common),
        "average": {
            "runtime_cycles": sum(row["runtime_cycles"] for row in rows) / len(rows),
            "gmacs_per_second": sum(rates) / len(rates),
        },
        "best": rows[rates.index(max(rates))],
        "worst": rows[rates.index(min(rates))],
        "per_iteration": rows,
        "note": "Only iterations present on all cores are considered.",
    }


def _system_iteration(reports: list[_Report], iteration: int, gemm: Gemm) -> dict[str, float]:
    runtime = max(int(report["iterations"][iteration]["total_span_cycles"]) for report in reports)
    rate = gemm.rate(gemm.macs, runtime)
    return {
        "iteration_index": iteration,
        "runtime_cycles": runtime,
        "gmacs_per_second": rate or 0.0,
    }
