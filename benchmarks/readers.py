"""Processor time to read a large log, with its budget: `python -m benchmarks.readers`.

All that an ingest reads of the log (its head, hash and lines) is compared with one pass of an
anchored regular expression over all lines, in one process and in turn.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.memory_log import RESULT_LINES, load, write_log
from benchmarks.report import check, note
from data_loaders.reading.files import describe, read_head
from data_loaders.registry import get_loader

_BUDGET = 1.3
"""Maximum ratio of processor times."""
_TURNS = 5
"""Repetitions of each measurement."""
_LINE = re.compile(
    rb"^; action = lmem_assign; debug_range = \w+; step = (?:"
    rb'dump_lmem_assign_result; tag = iteration_result; remark = "[^"\n]*"; status = (success|failed)'
    rb"; lmem_type = (\w+); op_type = ([\w.]+); op_name = (.*?); addr = (-1|0x[0-9a-f]+); size = ([0-9]+)"
    rb"; timestep_start = ([0-9]+); timestep_end = ([0-9]+); timestep_mode = (\w+); hold_in_lmem = ([01])"
    rb"; allow_bank_conflict = ([01]); one_loop = ([01]); shape_secs = ([0-9,]+)"
    rb'|lmem_spec; tag = stamp; remark = "[^"\n]*"; lmem_eu_bytes = ([0-9]+); lmem_npu_num = ([0-9]+)'
    rb"; lmem_bytes = ([0-9]+); lmem_banks = ([0-9]+); lmem_bank_bytes = ([0-9]+)"
    rb'|assignLmemAddr_finish; tag = (success|failed); remark = "[^"\n]*"'
    rb"(?:; membuf_allocate_failed = ([0-9]+))?; (?:total_lmem_used|lmem_already_used) = ([0-9]+)[^\n]*"
    rb")$",
    re.MULTILINE,
)
"""Pattern of all lines of the log, with their fields."""


def anchored_pass(path: Path) -> int:
    """Match every line of the log by one regular expression; return the number of result lines."""
    return sum(match[1] is not None for match in _LINE.finditer(path.read_bytes()))


def read_log(path: Path) -> int:
    """Read the log as an ingest does before the analysis; return the number of its blocks."""
    if get_loader("tpu_mlir").sniff(path, read_head(path)) is not None:
        raise RuntimeError("the log is not recognised")
    describe(path)
    return load(path)


def measure_log(path: Path) -> dict[str, float]:
    """Return processor seconds of the ingest's reading and of the pass, and their median ratio."""
    ways: tuple[Callable[[Path], int], ...] = read_log, anchored_pass
    # Without the first turn, in which imports and caches take time.
    turns = [[_processor_s(way, path) for way in ways] for _ in range(1 + _TURNS)][1:]
    return {
        "log_mb": path.stat().st_size / 1e6,
        "log_reading_cpu_s": median(ours for ours, _ in turns),
        "log_pass_cpu_s": median(other for _, other in turns),
        "log_against_pass": median(ours / other for ours, other in turns),
    }


def _processor_s(way: Callable[[Path], int], path: Path) -> float:
    begin = time.process_time()
    # A way that skips lines would seem fast.
    if way(path) != RESULT_LINES:
        raise RuntimeError(f"{way.__name__} did not find every result line")
    return time.process_time() - begin


def main() -> None:
    """Write a log, measure it, and print the ratio with its budget."""
    with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as folder:
        log = Path(folder) / "lmem_bm1684x.log"
        write_log(log)
        numbers = measure_log(log)
    for name, value in numbers.items():
        note(f"{name}: {value:.3g}")
    check(
        "TPU-MLIR log of 91 MB, reading against one anchored pass, processor",
        numbers["log_against_pass"],
        _BUDGET,
        "x",
    )


if __name__ == "__main__":
    main()
