"""Files of plain results: a CSV of named numbers, and the JSON of pytest-benchmark."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

_COMMIT = "9f3c2a71d5e84b60a1c7f2d98e6b4305c8d71f2e"
_DATE = "2026-10-12T06:30:00+00:00"
_NUMBERS = (
    ("decode step", "ms", "less", (3.21, 3.18, 3.24, 3.19, 3.2, 3.22)),
    ("decode rate", "tokens/s", "more", (311.5, 314.2, 308.9, 313.4, 312.5, 310.8)),
    ("weights", "MiB", "less", (1184.5,)),
    ("accuracy", "%", "more", (71.25,)),
    ("seed", "", "", (42,)),
)
"""Name, unit, direction and repeated measurements of each number."""
_ROUNDS = {
    "test_tiles[32]": (4.1e-6, 4.2e-6, 4.15e-6, 4.3e-6, 4.12e-6, 4.18e-6, 4.22e-6, 4.16e-6),
    "test_tiles[64]": (9.7e-6, 9.9e-6, 9.8e-6, 10.4e-6, 9.75e-6, 9.85e-6, 9.82e-6, 9.78e-6),
}
"""Test -> seconds of each round."""


def write_table(folder: Path) -> Path:
    """Write the CSV; the commit and the date are in its first row."""
    lines = ["name,value,unit,direction,commit,branch,taken_at,hwid"]
    facts = f"{_COMMIT},main,{_DATE},npu2"
    for name, unit, direction, values in _NUMBERS:
        for value in values:
            lines.append(f"{name},{value},{unit},{direction},{facts}")
            facts = ",,,"
    return _write(folder / "results.csv", "\n".join(lines) + "\n")


def write_benchmarks(folder: Path) -> Path:
    """Write the JSON of pytest-benchmark, of the same commit as the CSV."""
    content = {
        "machine_info": {"node": "builder", "machine": "x86_64", "system": "Linux"},
        "commit_info": {"id": _COMMIT, "time": _DATE, "dirty": False, "branch": "main"},
        "benchmarks": [_benchmark(name, rounds) for name, rounds in _ROUNDS.items()],
        "datetime": _DATE,
        "version": "5.3.1",
    }
    return _write(folder / "benchmarks.json", json.dumps(content, indent=1) + "\n")


def _benchmark(name: str, rounds: tuple[float, ...]) -> dict[str, object]:
    stats = {
        "min": min(rounds),
        "max": max(rounds),
        "mean": statistics.fmean(rounds),
        "stddev": statistics.stdev(rounds),
        "rounds": len(rounds),
        "median": statistics.median(rounds),
        "data": list(rounds),
        "iterations": 20,
    }
    full = f"tests/test_tiles.py::{name}"
    return {"group": None, "name": name, "fullname": full, "params": None, "stats": stats}


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
