"""Search of placements for all failed attempts of a log, in a separate process; a machine runs one
such search at a time.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from services.lab.beat import BEAT, is_stale
from services.lab.process import start_process
from services.run.group_failures import FailureCache
from services.run.memory import MemoryData
from services.run.placement_files import ANSWER, TASK, read_json, write_json

PROCESSOR_S = 60.0
"""Maximum seconds of processor time of a search; attempts that are left then have no result."""
_CLOCK_S = 240.0
"""Maximum seconds on the clock, after which the process is killed."""
_POLL_S = 0.2
"""Seconds between two checks of the process."""
_LOG = logging.getLogger("tilescope")
NO_ANSWER = "the search of the layer groups failed; the server log has the reason"
"""Reason that pages show if the process failed."""
ATTEMPTS, BLOCKS = "attempts.parquet", "allocations.parquet"
"""Files for the process: attempts with their numbers, and blocks of failed attempts."""


class GroupSearches:
    """Searches for the failed attempts of runs; results are cached in files that every process
    reads.
    """

    def __init__(self, folder: Path, memory_mb: int) -> None:
        self._running = folder / "groups-running"
        self._memory_mb = memory_mb
        self.kept = FailureCache(folder / "groups")

    def start(self, version: str, load: Callable[[], MemoryData]) -> bool:
        """Begin a search if the results are not cached; return whether they are still missing:
        False if cached, True if a search runs or had to wait.

        `load` returns the memory data of the run and is called only if the search begins. If
        another run is being searched, no search begins: the caller tries again later.
        """
        if self.kept.is_known(version):
            return False
        if self._claim():
            try:
                self._describe(load())
            except BaseException:
                shutil.rmtree(self._running, ignore_errors=True)
                raise
            # The thread must live as long as the process: Linux kills the child when the thread
            # that started it ends.
            threading.Thread(target=self._run, args=(version,), name="groups", daemon=True).start()
        return True

    def _claim(self) -> bool:
        """Create the folder of the running search and return True; False if another search runs on
        this machine.
        """
        self._running.parent.mkdir(parents=True, exist_ok=True)
        if self._running.exists() and is_stale(self._running):
            shutil.rmtree(self._running, ignore_errors=True)
        try:
            # mkdir is atomic, so only one process of the machine gets the search
            self._running.mkdir()
        except FileExistsError:
            return False
        return True

    def _describe(self, memory: MemoryData) -> None:
        """Write the input of the process: attempts with their numbers, and the blocks of failed
        attempts.
        """
        write_json(self._running / TASK, {"memory_mb": self._memory_mb, "seconds": PROCESSOR_S})
        attempts = memory.attempts
        failed = attempts.loc[(attempts["failed"] > 0).fillna(False).astype(bool), "attempt"]
        attempts.to_parquet(self._running / ATTEMPTS)
        _plain(memory.allocations[memory.allocations["attempt"].isin(failed)]).to_parquet(
            self._running / BLOCKS
        )

    def _run(self, version: str) -> None:
        try:
            code = self._wait()
            result = read_json(self._running / ANSWER)
            if result is None:
                _LOG.warning("the search of layer groups ended with %d", code)
                self.kept.write(version, {}, failed=NO_ANSWER)
            else:
                self.kept.write(
                    version,
                    {int(attempt): failure for attempt, failure in result["attempts"].items()},
                )
        except Exception:
            _LOG.exception("the search of layer groups")
            self.kept.write(version, {}, failed=NO_ANSWER)
        finally:
            shutil.rmtree(self._running, ignore_errors=True)

    def _wait(self) -> int:
        with (self._running / "complaints").open("wb") as complaints:
            child = start_process(
                [str(self._running)], complaints, module="services.lab.group_child"
            )
        ends = time.monotonic() + _CLOCK_S
        while child.poll() is None:
            time.sleep(_POLL_S)
            (self._running / BEAT).touch()
            if time.monotonic() > ends:
                child.kill()
        return child.returncode


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    # Parquet stores any other index as a column
    return frame.reset_index(drop=True)
