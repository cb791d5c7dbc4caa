"""Measure work in this process, and whole processes from outside."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""Environment variable that keeps Python from writing bytecode."""


@dataclass(frozen=True)
class Usage:
    """Wall time, processor time and peak memory of one process and its children."""

    wall_s: float
    cpu_s: float
    peak_mib: float


def measure(command: Sequence[str], folder: Path) -> Usage:
    """Run a command in `folder`; raises RuntimeError with its stderr if it fails.

    A child starts with the peak memory of its parent, so the caller must be small. It may keep
    bytecode: without, Python would compile the project's modules in each process.
    """
    environment = {key: value for key, value in os.environ.items() if key != _NO_BYTECODE}
    begin = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # Read before the wait, because a child that fills the pipe would block forever.
        errors = process.stderr.read() if process.stderr else ""
        # wait4 returns the resources of this child; Popen.wait would discard them.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        # Set here, because after wait4 the end of `with` finds no child and would assume success.
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(
            f"{' '.join(command)} ended with {process.returncode}: {errors.strip()[-500:]}"
        )
    # Linux gives ru_maxrss in KiB.
    return Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def times(work: Callable[[], object], repeats: int) -> list[float]:
    """Return the processor seconds of repeated work, after a first run for imports and caches."""
    work()
    return [seconds(work) for _ in range(repeats)]


def seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds of a single run of `work`."""
    begin = time.process_time()
    work()
    return time.process_time() - begin
