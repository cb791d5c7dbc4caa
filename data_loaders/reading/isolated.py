"""Run the reader of an untrusted file in a separate process that can be killed."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

ROOT = Path(__file__).resolve().parent.parent.parent
"""Folder that contains the package `data_loaders`, for the child's import path."""

_MAX_STDERR_BYTES = 4000
_PR_SET_PDEATHSIG = 1
_LOG = logging.getLogger(__name__)
_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
"""Environment of the child, without variables of the parent.

Libraries get one thread each, since every thread reserves address space, which is limited.
"""


class KilledError(Exception):
    """The process failed or was killed; the message gives the reason as the end of a sentence."""


def run_isolated(module: str, arguments: Sequence[str], seconds: float) -> None:
    """Run `python -m module` without input, in a clean environment, and wait until it ends.

    Raises KilledError if the process fails or takes longer than `seconds`. The end of its stderr is
    logged at level debug.
    """
    # -P keeps the working directory off the import path: files there are not the project's.
    command = [sys.executable, "-P", "-m", module, *arguments]
    environment = (
        _ENVIRONMENT
        | {"PYTHONPATH": str(ROOT)}
        | _inherited_environment("LD_LIBRARY_PATH", "TMPDIR")
    )
    with TemporaryFile() as stderr_file:
        try:
            process = subprocess.run(  # noqa: S603 - the command is our own
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr_file,
                env=environment,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise KilledError(f"took more than {round(seconds, 2):g} s") from error
        if process.returncode:
            _LOG.debug("%s ended with %d: %s", module, process.returncode, end_of(stderr_file))
            raise KilledError(_exit_reason(process.returncode))


def end_with_starter() -> None:
    """Have this process killed when its parent ends, so that no reader outlives a killed server.

    Works on Linux only; on other systems a reader runs until it reaches its limits.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def end_of(complaints: IO[bytes]) -> str:
    """Return the last 4,000 bytes of a process's stderr as a quoted ASCII literal, for a log line."""
    complaints.seek(max(0, complaints.seek(0, os.SEEK_END) - _MAX_STDERR_BYTES))
    return ascii(complaints.read().decode("utf-8", "replace"))


def _inherited_environment(*names: str) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}


def _exit_reason(code: int) -> str:
    """Describe an exit code as the end of a sentence, such as "was stopped by SIGSEGV".

    Negative codes are signals; a positive code gives "failed".
    """
    if -code == signal.SIGXCPU:
        return "exceeded its limit of processor time"
    if -code == signal.SIGKILL:
        return "was stopped because it exceeded its limit of time or memory"
    if code < 0:
        return f"was stopped by {signal.Signals(-code).name}"
    return "failed"
