"""The server's side of the process that runs a list of searches, see `services.lab.warm_child`."""

from __future__ import annotations

import contextlib
import select
import subprocess
from pathlib import Path
from typing import IO, cast

from services.lab.process import start_process

_END_S = 5.0
"""Seconds in which a process has to end after its input ended, before it is killed."""


class WarmProcess:
    """A process that runs searches one after another until it is closed or killed.

    Linux kills it when the thread that made it ends.
    """

    def __init__(self, complaints: IO[bytes], *, compiler: bool) -> None:
        self._process = start_process(
            [], complaints, compiler=compiler, module="services.lab.warm_child", piped=True
        )
        self._input = cast("IO[bytes]", self._process.stdin)
        self._output = cast("IO[bytes]", self._process.stdout)

    @property
    def has_ended(self) -> bool:
        """Whether the process ended, so that it can run no further search."""
        return self._process.poll() is not None

    def begin(self, folder: Path) -> None:
        """Begin the search of a folder; the search before it must be over."""
        # `wait` returns the exit code of a process that ended before it could read its input.
        with contextlib.suppress(BrokenPipeError):
            self._input.write(f"{folder}\n".encode())

    def wait(self, seconds: float) -> int | None:
        """Return the exit code of the search, or of the process if it ended; `None` if the search
        is not over after `seconds`.
        """
        if not select.select([self._output], [], [], seconds)[0]:
            return None
        line = self._output.readline()
        return int(line) if line else self._process.wait()

    def kill(self) -> None:
        """End the process and the search that it runs."""
        self._process.kill()

    def close(self) -> None:
        """End the process; it must have no search."""
        self._input.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()
