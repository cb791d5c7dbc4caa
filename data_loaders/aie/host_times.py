"""Read the wall-clock times that the host program of a GEMM prints, from a log next to a trace.

Source: the host programs of mlir-aie's GEMMs, `Avg|Min|Max NPU matmul time: <n>us.`
"""

from __future__ import annotations

import re
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content, read_head
from schema.diagnostics import Diagnostic

_LOG = "run_trace.log"
"""Name of the log in the folders of the AIE script's repository."""
_TRACES = "traces"
_MAX_BYTES = 1 << 20
"""Bytes of a log that are read: the times are its last lines, and the log of a run is short."""
_MARK = re.compile(rb"(?:Avg|Min|Max) NPU (?:matmul time|gflops): ")
_TIME = re.compile(r"\b(Avg|Min|Max) NPU matmul time:\s{0,9}(\d{1,12}(?:\.\d{1,9})?)\s{0,9}us\b")
_COLUMNS = {"Avg": "wall_clock_us", "Min": "wall_clock_min_us", "Max": "wall_clock_max_us"}


def is_host_log(head: bytes) -> bool:
    """Whether the bytes contain `Avg`, `Min` or `Max` of `NPU matmul time` or `NPU gflops`, as a
    host program prints them.
    """
    return _MARK.search(head) is not None


def find_host_log(folder: Path) -> tuple[Path, ...]:
    """Return the log of a folder if it has wall-clock times, else an empty tuple.

    The AIE script's repository has the trace in `traces/`, and the log in the folder above it.
    """
    places = (folder, folder.parent) if folder.name == _TRACES else (folder,)
    logs = [place / _LOG for place in places]
    return tuple(log for log in logs if log.is_file() and _has_times(log))[:1]


def _has_times(file: Path) -> bool:
    try:
        return is_host_log(read_head(file))
    except (LoadError, OSError):
        return False


def read_host_times(logs: list[Path]) -> tuple[dict[str, object], list[Diagnostic]]:
    """Read the times of the first log as columns `wall_clock_us`, `wall_clock_min_us` and
    `wall_clock_max_us` of frame `run`, and a finding that names them.

    Both are empty without a log or times; an unreadable log gives a warning and no columns.
    """
    for log in logs[:1]:
        try:
            with open_content(log) as stream:
                text = stream.read(_MAX_BYTES).decode("utf-8", "replace")
        except (LoadError, OSError) as error:
            message = f"{log.name} cannot be read and is ignored: {error}"
            return {}, [Diagnostic("warning", "companion_unreadable", message, log.name)]
        times: dict[str, object] = {
            _COLUMNS[name]: float(number) for name, number in _TIME.findall(text)
        }
        return times, [_finding(times, log.name) if times else _no_times(log.name)]
    return {}, []


def _no_times(file: str) -> Diagnostic:
    text = f"{file} has no time of a call in microseconds that can be read, and is left out"
    return Diagnostic("info", "wall_clock", text, file)


def _finding(times: dict[str, object], file: str) -> Diagnostic:
    words = {
        "wall_clock_us": "on average",
        "wall_clock_min_us": "at least",
        "wall_clock_max_us": "at most",
    }
    named = ", ".join(
        f"{times[column]:g} us {word}" for column, word in words.items() if column in times
    )
    text = f"the host program measured {named} per call of wall-clock time, which includes work on the host"
    return Diagnostic("info", "wall_clock", text, file)
