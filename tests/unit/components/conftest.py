"""A run of two cores by hand: three iterations, the last one cut short, one kernel left out."""

import numpy as np
import pandas as pd
import pytest

from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.frames import FRAMES, conform, empty

Frames = dict[str, pd.DataFrame]
HOSTILE = "</script><b>%{x} & $"
_TRACKS = ("core 2,1", "core 3,1")


def _one_row(name: str, **values: object) -> pd.DataFrame:
    return conform(name, pd.DataFrame([dict.fromkeys(FRAMES[name].names) | values]))


def _kernels() -> pd.DataFrame:
    number = np.arange(12)
    parts = []
    for offset, track in enumerate(_TRACKS):
        start = 1000 * (number // 4) + 100 * (number % 4) + 5 * offset
        duration = np.where(number == 5, 500, 80 + number % 3)
        kept = number != 5
        parts.append(
            pd.DataFrame(
                {
                    "track": track,
                    "kernel": number,
                    "name": np.where(number % 4 == 0, "short", "main"),
                    "start": start,
                    "end": start + duration,
                    "duration": duration,
                    "iteration": number // 4,
                    "phase": np.where(number < 4, "warmup", "perf"),
                    "kept": kept,
                    "reason": np.where(kept, "", "outside 1/3 to 3 medians"),
                }
            )
        )
    return conform("kernels", pd.concat(parts, ignore_index=True))


def _iterations() -> pd.DataFrame:
    rows = []
    for track in ("system", *_TRACKS):
        cores = 2 if track == "system" else 1
        for i, elapsed in enumerate((400, 400, 300)):
            rate = 10.0 * cores * (1 + i)
            times = {
                "span": elapsed,
                "elapsed": elapsed,
                "first_start": 1000 * i,
                "last_end": 1000 * i + elapsed,
            }
            rates = {
                "work_macs": 1.0,
                "gmacs_per_s": rate,
                "utilization": 0.1 * (1 + i),
                "cores": cores,
            }
            counts = {
                "kernels": 4,
                "measured": 4,
                "expected": 4,
                "average": 81.0,
                "minimum": 80,
                "maximum": 82,
            }
            row = {
                "track": track,
                "iteration": i,
                "phase": "perf" if i else "warmup",
                "complete": i < 2,
            }
            rows.append(row | counts | {"kernel_ticks": 324} | times | rates)
    return conform("iterations", pd.DataFrame(rows))


def _events() -> pd.DataFrame:
    rows = [
        (track, lane, lane, 1000 * i + at, 1000 * i + at + length, True, True)
        for track in _TRACKS
        for lane, at, length in (("INSTR_VECTOR", 10, 300), ("LOCK_STALL", 400, 590))
        for i in range(3)
    ]
    return conform("events", pd.DataFrame(rows, columns=FRAMES["events"].names))


def _activity() -> pd.DataFrame:
    rows = [
        dict.fromkeys(FRAMES["activity"].names, 0)
        | {"busy": round(1000 * share), "window": 1000}
        | {
            "track": track,
            "lane": name,
            "name": name,
            "open": False,
            "share": share,
            "inside": 0.1,
            "outside": 0.9,
        }
        for track, bonus in zip(_TRACKS, (0.0, 0.1), strict=True)
        for name, share in (
            ("LOCK_STALL", 0.5 + bonus),
            ("MEMORY_STALL", 0.1),
            ("INSTR_VECTOR", 0.3),
            ("ACTIVE", 1.0),
        )
    ]
    return conform("activity", pd.DataFrame(rows))


def _tracks() -> pd.DataFrame:
    rows = [
        dict.fromkeys(FRAMES["tracks"].names, 0)
        | {
            "track": f"{kind} {row},1",
            "kind": kind,
            "row": row,
            "col": 1,
            "pid": str(row),
            "process": "p",
        }
        for kind, row in (("core", 2), ("core", 3), ("memtile", 1), ("shim", 0))
    ]
    return conform("tracks", pd.DataFrame(rows))


@pytest.fixture
def frames() -> Frames:
    return {
        "run": _one_row(
            "run", clock_hz=1e9, time_unit="cycles", peak_macs_per_cycle=64, rows=2, cols=1
        ),
        "tracks": _tracks(),
        "events": _events(),
        "kernels": _kernels(),
        "iterations": _iterations(),
        "activity": _activity(),
        "diagnostics": diagnostics_frame(
            [
                Diagnostic("info", "opening", "Cores wait for data.", "core 2,1"),
                Diagnostic("error", "tail.cut", "The file ends early.", "trace.json", 2),
            ]
        ),
    }


@pytest.fixture
def no_frames() -> Frames:
    names = ("run", "tracks", "events", "kernels", "iterations", "activity", "diagnostics")
    return {name: empty(name) for name in names}


@pytest.fixture
def hostile(frames: Frames) -> Frames:
    """The same run with a track, lanes, kinds and reasons whose names want to be markup and templates."""
    return {name: frame if name == "run" else _renamed(frame) for name, frame in frames.items()}


def _renamed(frame: pd.DataFrame) -> pd.DataFrame:
    named = [
        c for c in ("track", "lane", "name", "reason", "message", "location") if c in frame.columns
    ]
    texts = {column: frame[column].astype("str") for column in named}
    changed = {
        column: text.where(text == "system", text + HOSTILE).astype(frame[column].dtype.name)
        for column, text in texts.items()
    }
    return frame.assign(**changed)
