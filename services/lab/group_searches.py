"""The search asked about every failed attempt of a log: in a process of its own, one on a machine at a time."""

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
from services.run.group_failures import KeptFailures
from services.run.memory import MemoryData
from services.run.placement_files import ANSWER, TASK, read_json, write_json

PROCESSOR_S = 60.0
"""Processor time in which the search answers; attempts that are left then have no answer."""
_CLOCK_S = 240.0
_LOOK_S = 0.2
_LOG = logging.getLogger("tilescope")
NO_ANSWER = "the search of the layer groups did not end as it should; the server's log says why"
ATTEMPTS, BLOCKS = "attempts.parquet", "allocations.parquet"


class GroupSearches:
    """Asks the search about the failed attempts of runs; what it says is kept, and read by every process."""

    def __init__(self, folder: Path, memory_mb: int) -> None:
        self._running, self._memory_mb = folder / "groups-running", memory_mb
        self.kept = KeptFailures(folder / "groups")

    def start(self, version: str, load: Callable[[], MemoryData]) -> bool:
        """Begin to search unless the answers are known; return whether they are still to come.

        `load` gives the attempts of the run, and is called where the search begins.

        Where another run is searched, nothing begins: who wants to know asks again.
        """
        if self.kept.is_known(version):
            return False
        if self._claim():
            try:
                self._describe(load())
            except BaseException:
                shutil.rmtree(self._running, ignore_errors=True)
                raise
            # A thread that lives as long as the process: the process is killed when the thread that started it ends.
            threading.Thread(target=self._run, args=(version,), name="groups", daemon=True).start()
        return True

    def _claim(self) -> bool:
        self._running.parent.mkdir(parents=True, exist_ok=True)
        if self._running.exists() and is_stale(self._running):
            shutil.rmtree(self._running, ignore_errors=True)
        try:
            self._running.mkdir()
        except FileExistsError:
            return False
        return True

    def _describe(self, memory: MemoryData) -> None:
        """Write what the process is to read: attempts with their numbers, and the blocks of those that failed."""
        write_json(self._running / TASK, {"memory_mb": self._memory_mb, "seconds": PROCESSOR_S})
        attempts = memory.attempts
        failed = attempts.loc[(attempts["failed"] > 0).fillna(False).astype(bool), "attempt"]
        attempts.to_parquet(self._running / ATTEMPTS)
        _plain(memory.allocations[memory.allocations["attempt"].isin(failed)]).to_parquet(self._running / BLOCKS)

    def _run(self, version: str) -> None:
        try:
            code = self._wait()
            made = read_json(self._running / ANSWER)
            if made is None:
                _LOG.warning("the search of layer groups ended with %d", code)
                self.kept.write(version, {}, failed=NO_ANSWER)
            else:
                self.kept.write(version, {int(attempt): one for attempt, one in made["attempts"].items()})
        except Exception:
            _LOG.exception("the search of layer groups")
            self.kept.write(version, {}, failed=NO_ANSWER)
        finally:
            shutil.rmtree(self._running, ignore_errors=True)

    def _wait(self) -> int:
        with (self._running / "complaints").open("wb") as complaints:
            child = start_process([str(self._running)], complaints, module="services.lab.group_child")
        ends = time.monotonic() + _CLOCK_S
        while child.poll() is None:
            time.sleep(_LOOK_S)
            (self._running / BEAT).touch()
            if time.monotonic() > ends:
                child.kill()
        return child.returncode


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose index needs no column of its own."""
    return frame.reset_index(drop=True)
