"""The process that computes missing verdicts in rounds, and keeps runs between two rounds: a new run is
compared with runs of the rounds before.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection

from app.config.settings import Settings
from app.server.render.own_memory import give_back_memory, resident_bytes
from services.comparison.compared_runs import ComparedRun
from services.comparison.run_cache import ComparedRunCache
from services.trends.judge_ahead import judge_ahead
from storage.errors import StorageError
from storage.turns import hold_turn

TURN = "judge ahead"
"""Name of the lock in the catalogue that lets a single server work at a time."""
TURN_S = 60.0
"""Seconds after which the lock of a server that has died expires."""
_MAX_S = 600.0
"""Maximum seconds of a round; the next round then continues its work."""
_IDLE_S = 600.0
"""Seconds without a round after which the process ends."""
_KEPT_BYTES = 64 * 2**20
"""Maximum bytes of runs that the process keeps between two rounds, and in a round unless its runs
are large.
"""
_ROOM_FOR_RUNS = 8
"""Number of runs of the size of the newest that stay in a round even if that is more than
_KEPT_BYTES: a comparison reads a new run and those of its base.
"""
_MAX_GROWTH_BYTES = _KEPT_BYTES + 64 * 2**20
"""Growth in memory with which the process ends after a round, as after the round of a whole store."""
_NICE = 10
"""Added to the niceness of the process, so that requests go first."""
_LOG = logging.getLogger("tilescope")


class _TimeIsUpError(Exception):
    """A round reached its time limit."""


def serve_rounds(settings: Settings, connection: Connection) -> None:
    """Judge in this process once for each message, and send whether everything was computed.

    Returns after _IDLE_S (600 s) without a message, or if the process has grown too much.
    """
    # SystemExit runs `finally` blocks; the default action of SIGTERM does not.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    os.nice(_NICE)
    judging = StoreJudging(settings)
    begin = resident_bytes()
    while connection.poll(_IDLE_S):
        connection.recv()
        connection.send(judging.take_round())
        judging.drop_runs()
        if resident_bytes() > begin + _MAX_GROWTH_BYTES:
            return


class StoreJudging:
    """Computes missing verdicts of a store, and keeps the runs that it compared last for later
    rounds.
    """

    def __init__(self, settings: Settings) -> None:
        self._repository = settings.repository()
        self._repository.keep_frames(settings.frames_folder, settings.frames_mb * 2**20)
        self._most_bytes = settings.cache_mb * 2**20
        self._kept_bytes = min(_KEPT_BYTES, self._most_bytes)
        self._runs = ComparedRunCache(self._repository)

    def take_round(self) -> bool:
        """Compute the missing verdicts; return False, and log why, if some are still missing, for
        example because _MAX_S (600 s) were over.
        """
        until = time.monotonic() + _MAX_S
        self._repository.cache.begin(self._kept_bytes, self._most_bytes)

        def continue_work() -> None:
            if time.monotonic() > until:
                raise _TimeIsUpError
            hold_turn(self._repository.catalogue, TURN, TURN_S)

        try:
            judge_ahead(self._repository, continue_work, self._load)
        except _TimeIsUpError:
            return False
        except StorageError as error:
            _LOG.warning("verdicts were not computed in advance: %s", error)
            return False
        except Exception:
            _LOG.exception("verdicts were not computed in advance")
            return False
        return True

    def _load(self, run_id: str, settings: Mapping[str, str]) -> ComparedRun:
        """Return a run for comparisons; runs of earlier comparisons of the round may be dropped."""
        run = self._runs.load(run_id, settings)
        kept_bytes = max(self._kept_bytes, _ROOM_FOR_RUNS * run.bytes)
        self._repository.cache.begin(min(kept_bytes, self._most_bytes), self._most_bytes)
        return run

    def drop_runs(self) -> None:
        """Drop runs beyond _KEPT_BYTES (64 MiB), and give the memory back to the system."""
        self._repository.cache.resize(self._kept_bytes)
        give_back_memory()

    @property
    def held_bytes(self) -> int:
        """Bytes of the runs and frames in memory."""
        return self._repository.cache.held_bytes

    def close(self) -> None:
        """Close the connections to the catalogue."""
        self._repository.catalogue.close()
