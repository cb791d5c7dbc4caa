"""Start of the lab's processes with a reduced environment: a search, or compiling ahead."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO

from analysis.allocators.compiler import (
    CACHE_VARIABLE,
    UNCOMPILED_VARIABLE,
    can_compile,
    is_prepared,
)
from data_loaders.reading.isolated import ROOT

_INHERITED = (
    "HOME",
    "XDG_CACHE_HOME",
    "LD_LIBRARY_PATH",
    "TMPDIR",
    "NUMBA_CPU_NAME",
    "NUMBA_CPU_FEATURES",
    CACHE_VARIABLE,
)
"""Environment variables that the processes inherit."""
_MAX_PREPARE_S = 600.0
"""Maximum seconds of compiling ahead."""
_LOG = logging.getLogger("tilescope")


def start_process(
    arguments: Sequence[str],
    complaints: IO[bytes] | int,
    *,
    compiler: bool = True,
    module: str = "services.lab.child",
    piped: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `python -m MODULE` with arguments in a reduced environment, errors written to
    `complaints`, and return the process; without `compiler`, strategies run as interpreted Python.

    If `piped`, its input and output are pipes of the returned process, else they are empty.
    """
    return subprocess.Popen(  # noqa: S603 - the command is our own
        # -P: nothing is imported from the working directory
        [sys.executable, "-P", "-m", module, *arguments],
        stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
        stdout=subprocess.PIPE if piped else subprocess.DEVNULL,
        stderr=complaints,
        # Unbuffered, so that nothing is left to write if the process ends before it reads.
        bufsize=0,
        env=_environment() | ({} if compiler else {UNCOMPILED_VARIABLE: "1"}),
    )


def prepare_strategies() -> threading.Thread | None:
    """Begin to compile the code of the strategies in another process, and return the thread that
    waits for it; `None` if it is compiled already or there is no compiler.
    """
    if not can_compile() or is_prepared():
        return None
    # The thread must live as long as the process: Linux kills the child when the thread that
    # started it ends.
    thread = threading.Thread(target=_prepare, name="lab-prepare", daemon=True)
    thread.start()
    return thread


def _prepare() -> None:
    child = start_process([], subprocess.DEVNULL)
    try:
        code = child.wait(_MAX_PREPARE_S)
    except subprocess.TimeoutExpired:
        child.kill()
        code = child.wait()
    if code:
        _LOG.warning(
            "compiling the strategies at start ended with %d: the first search compiles them", code
        )


def _environment() -> dict[str, str]:
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    return (
        {"LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "2", "PYTHONPATH": str(ROOT)} | threads | inherited
    )
