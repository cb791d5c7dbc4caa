"""Readers of files that are not trusted, in a process of their own that may be killed."""

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
"""Folder from which `data_loaders` is imported."""

_MOST_COMPLAINTS = 4000
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
"""All that the process knows of its surroundings; one thread each keeps its address space small."""


class KilledError(Exception):
    """The process ended without an answer; the message says why, as the end of a sentence."""


def run_isolated(module: str, arguments: Sequence[str], seconds: float) -> None:
    """Run `python -m module` without input and with an environment of its own, and wait for it.

    Raises KilledError where it does not end well within `seconds`. The end of its complaints is logged at level debug.
    """
    # -P: what lies in the folder that the server was started in is never imported
    command = [sys.executable, "-P", "-m", module, *arguments]
    environment = _ENVIRONMENT | {"PYTHONPATH": str(ROOT)} | _kept_environment("LD_LIBRARY_PATH", "TMPDIR")
    with TemporaryFile() as complaints:
        try:
            done = subprocess.run(  # noqa: S603 - the command is our own
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                env=environment,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise KilledError(f"took more than {round(seconds, 2):g} s") from error
        if done.returncode:
            _LOG.debug("%s ended with %d: %s", module, done.returncode, end_of(complaints))
            raise KilledError(_ending(done.returncode))


def end_with_starter() -> None:
    """Have this process killed when the one that started it ends, so that no reader outlives a killed server.

    Linux alone has this; elsewhere a reader goes on until it reaches its limits.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def end_of(complaints: IO[bytes]) -> str:
    """Return the last few lines, without the control characters that a terminal obeys."""
    complaints.seek(max(0, complaints.seek(0, os.SEEK_END) - _MOST_COMPLAINTS))
    return ascii(complaints.read().decode("utf-8", "replace"))


def _kept_environment(*names: str) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}


def _ending(code: int) -> str:
    if -code == signal.SIGXCPU:
        return "took more processor time than it may"
    if -code == signal.SIGKILL:
        return "was ended for the time or the memory that it took"
    if code < 0:
        return f"was stopped by {signal.Signals(-code).name}"
    return "failed"
