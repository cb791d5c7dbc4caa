"""Processor time of reading a large log against its budget: `python -m benchmarks.readers`.

Of the log: all that an ingest reads of it (the beginning, the hash, the lines) against one pass of an anchored regular
expression over all lines, in one process, in turn.
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
_TURNS = 5
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


def anchored_pass(path: Path) -> int:
    """Find the fields of every line of the log by one regular expression; return how many result lines there are."""
    return sum(match[1] is not None for match in _LINE.finditer(path.read_bytes()))


def read_log(path: Path) -> int:
    """Read the log as an ingest does before it analyses anything; return how many blocks it has."""
    if get_loader("tpu_mlir").sniff(path, read_head(path)) is not None:
        raise RuntimeError("the log is not recognised")
    describe(path)
    return load(path)


def measure_log(path: Path) -> dict[str, float]:
    """Return processor seconds of reading a log and of the pass, and the median ratio of both in turn."""
    ways: tuple[Callable[[Path], int], ...] = read_log, anchored_pass
    turns = [[_processor_s(way, path) for way in ways] for _ in range(1 + _TURNS)][1:]
    return {
        "log_mb": path.stat().st_size / 1e6,
        "log_reading_cpu_s": median(ours for ours, _ in turns),
        "log_pass_cpu_s": median(other for _, other in turns),
        "log_against_pass": median(ours / other for ours, other in turns),
    }


def _processor_s(way: Callable[[Path], int], path: Path) -> float:
    begin = time.process_time()
    if way(path) != RESULT_LINES:
        raise RuntimeError(f"{way.__name__} did not find every result line")
    return time.process_time() - begin


def main() -> None:
    """Measure a log that is made for it; print what reading it takes beside its budget."""
    with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as folder:
        log = Path(folder) / "lmem_bm1684x.log"
        write_log(log)
        numbers = measure_log(log)
    for name, value in numbers.items():
        note(f"{name}: {value:.3g}")
    check(
        "TPU-MLIR log of 91 MB, reading against one anchored pass, processor", numbers["log_against_pass"], _BUDGET, "x"
    )


if __name__ == "__main__":
    main()
