"""The runs as the dashboard and the command line see them: catalogue and frames behind one door."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache, partial
from typing import Any

import pandas as pd

from schema.command import COMMAND
from schema.frames import FRAMES, conform
from schema.metrics import METRICS
from schema.run_settings import MOST_ARRAY_TILES
from schema.runs import RUN
from storage.byte_cache import Budget, ByteCache
from storage.catalogue import Catalogue
from storage.engine import CONNECTIONS
from storage.errors import FrameNotFound, RunDamaged, RunNotFound, StorageError
from storage.frame_bytes import frame_bytes
from storage.frame_store import FrameStore
from storage.pending import STALE_AFTER_S, garbage, tidy
from storage.stored_run import StoredRun

__all__ = ["CACHE_BYTES", "FrameNotFound", "Repository", "RunNotFound", "StorageError"]

CACHE_BYTES = 512 * 1024**2
_READERS, _LARGE_BYTES = 4, 1024**2
"""Frames that are read ahead at a time, as each thread takes 70 MiB of the addresses that a page may have; and bytes of
a file from which on that is of no use."""
_LOG = logging.getLogger(__name__)


class Repository:
    """Runs and their frames; opening it neither connects nor creates anything.

    `cache_bytes` bounds what this process keeps in `cache`: frames, and what is made of them; `stale_after_s` is how
    long an ingest of another host may give no sign of life; `max_array_tiles` bounds the array that settings may name,
    `connections` those to a database server.
    """

    def __init__(
        self,
        database_url: str,
        frames_url: str,
        cache_bytes: int = CACHE_BYTES,
        *,
        stale_after_s: float = STALE_AFTER_S,
        max_array_tiles: int = MOST_ARRAY_TILES,
        connections: int = CONNECTIONS,
    ) -> None:
        self.catalogue = Catalogue(database_url, connections)
        self.store = FrameStore(frames_url)
        self.stale_after_s = stale_after_s
        self.max_array_tiles = max_array_tiles
        self.cache = Budget(cache_bytes)
        self._frames = ByteCache(self.cache, frame_bytes)
        self._given = database_url, frames_url, cache_bytes, stale_after_s, max_array_tiles

    def __reduce__(self) -> tuple[Callable[..., Repository], tuple[object, ...]]:
        """Send another process where the storage is: it opens it once, with the connections of one thread."""
        return _opened_here, self._given

    def runs(
        self,
        source: str | None = None,
        hwid: str | None = None,
        M: int | None = None,
        K: int | None = None,
        N: int | None = None,
    ) -> pd.DataFrame:
        """Return a row per run, newest first: frame `run`, every metric (float64), errors and warnings (int64)."""
        filters = {"source": source, "hwid": hwid, "M": M, "K": K, "N": N}
        return runs_frame([stored.record() for stored in self.catalogue.runs(filters)])

    def count(self) -> int:
        """Return the number of runs, without reading them."""
        return self.catalogue.count()

    def run(self, run_id: str) -> pd.DataFrame:
        """Return frame `run` of one run; raises RunNotFound."""
        return self.frame(run_id, "run")

    def find_run(self, run_id: str) -> StoredRun:
        """Return a run's row; raises RunNotFound, and RunDamaged where the row cannot be used."""
        stored = self.catalogue.get(run_id)
        if stored is None:
            raise RunNotFound(f"there is no run {run_id!r}")
        if stored.damaged:
            raise RunDamaged(f"run {run_id} is damaged in the catalogue; delete it, or ingest its file again")
        return stored

    def exists(self, run_id: str) -> bool:
        """Return whether there is such a run."""
        return self.catalogue.get(run_id) is not None

    def resolve(self, prefix: str) -> str:
        """Return the one run id that begins with `prefix`; raises RunNotFound where none or several do."""
        ids = self.catalogue.ids(prefix) if prefix else []
        if len(ids) == 1 or prefix in ids:
            return prefix if prefix in ids else ids[0]
        if ids:
            raise RunNotFound(f"{prefix!r} begins the ids of several runs: {', '.join(ids)}")
        if not self.catalogue.is_created():
            where = f"nothing has been ingested at {self.catalogue.address} yet"
            raise RunNotFound(f"there is no run {prefix!r}: {where}", f"there is no run {prefix!r}")
        raise RunNotFound(f"there is no run {prefix!r}")

    def version(self, run_id: str) -> str:
        """Return what changes whenever the run's stored content does; raises RunNotFound."""
        return self.find_run(run_id).prefix

    def frame_names(self, run_id: str) -> list[str]:
        """Return the names of the stored frames that the schema knows, `run` first; raises RunNotFound."""
        return frame_names(self.find_run(run_id))

    def frame(self, run_id: str, name: str) -> pd.DataFrame:
        """Return a stored frame; raises RunNotFound or FrameNotFound. It comes from the cache where it can."""
        return self.frame_of(self.find_run(run_id), name)

    def frame_of(self, stored: StoredRun, name: str) -> pd.DataFrame:
        """Return a frame of a run that was looked up: as it is now where the run has been replaced since."""
        if name == "run":
            # another capture of the same content changes the run and none of its files
            made = self._frames.get((stored.prefix, name, stored.capture_facts), lambda: _run_frame([stored.run]))
            return made.copy(deep=False)
        try:
            return self._read(stored, name)
        except (FileNotFoundError, ValueError):
            stored, before = self.find_run(stored.run_id), stored
        if stored.prefix == before.prefix:
            self.store.check()
        try:
            return self._read(stored, name)
        except FileNotFoundError as error:
            raise _damaged_error(stored, name, "is missing") from error
        except ValueError as error:
            raise _damaged_error(stored, name, str(error)) from error

    def read_ahead(self, stored: StoredRun, names: Iterable[str]) -> None:
        """Read frames that are soon asked for several at a time, where the store answers late, and keep them.

        Large ones are left out, as they take as long together, and so is what fails: it is told when it is asked for.
        """
        sizes = {name: stored.checksum(name) or (_LARGE_BYTES, 0) for name in names if name in stored.frames}
        small = [name for name, (size, _) in sizes.items() if size < _LARGE_BYTES]
        missing = [name for name in small if self._frames.find((stored.prefix, name)) is None]
        if not self.store.files.remote or len(missing) < 2:
            return
        readers = ThreadPoolExecutor(min(_READERS, len(missing)), "tilescope-read-ahead")
        try:
            wait([readers.submit(self._read, stored, name) for name in missing])
        except (MemoryError, RuntimeError):
            _LOG.debug("no room for threads: frames are read one by one")
        finally:
            readers.shutdown(wait=False, cancel_futures=True)

    def is_whole(self, stored: StoredRun) -> bool:
        """Return whether all files of a run are as they were written."""
        return all(self.store.is_whole(stored.prefix, name, stored.checksum(name)) for name in stored.frames)

    def check(self) -> int:
        """Return the number of runs; raises StorageError where catalogue or frames cannot be used."""
        count = self.catalogue.check()
        if count:
            self.store.check()
        return count

    def check_reach(self) -> None:
        """Raise StorageError where catalogue or frames cannot be reached."""
        if self.catalogue.count() or self.store.files.remote:
            self.store.check()

    def delete(self, run_id: str) -> None:
        """Take a run and its frames out, a damaged one too; raises RunNotFound."""
        stored = self.catalogue.get(run_id)
        if stored is None:
            raise RunNotFound(f"there is no run {run_id!r}")
        if self.catalogue.delete(stored, garbage(stored.prefix)):
            tidy(self.catalogue, self.store, stored.prefix)

    def _read(self, stored: StoredRun, name: str) -> pd.DataFrame:
        if name not in stored.frames or name not in FRAMES:
            names = ", ".join(["run", *stored.frames])
            raise FrameNotFound(f"run {stored.run_id} has no stored frame {name!r}; it has {names}")
        read = partial(self.store.read, stored.prefix, name, stored.checksum(name))
        frame = self._frames.get((stored.prefix, name), read)
        return frame.copy(deep=False)  # a caller's changes stay the caller's


@lru_cache(maxsize=4)
def _opened_here(
    database_url: str, frames_url: str, cache_bytes: int, stale_after_s: float, max_array_tiles: int
) -> Repository:
    """Return the storage of this process: a worker is sent it with every task."""
    return Repository(
        database_url, frames_url, cache_bytes, stale_after_s=stale_after_s, max_array_tiles=max_array_tiles
    )


def frame_names(stored: StoredRun) -> list[str]:
    """Return the names of a run's stored frames that the schema knows, `run` first."""
    return ["run", *(name for name in stored.frames if name in FRAMES)]


def _damaged_error(stored: StoredRun, name: str, what: str) -> RunDamaged:
    again = f"ingest its file again: {COMMAND} ingest {stored.run['file']}"
    return RunDamaged(f"frame {name} of run {stored.run_id} {what}; {again}")


def runs_frame(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the records of runs (see `StoredRun.record`) as a typed frame; a metric that is not there is NaN."""
    frame = _run_frame(records)
    for name in METRICS:
        frame[name] = pd.array([record.get(name) for record in records], dtype="Float64").to_numpy(
            "float64", na_value=float("nan")
        )
    for name in ("errors", "warnings"):
        frame[name] = pd.Series([record[name] for record in records], dtype="int64")
    return frame


def _run_frame(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Return frame `run` with a row per record; a column that a record lacks is null."""
    columns = {c.name: pd.Series([r.get(c.name) for r in records], dtype=c.dtype) for c in RUN.columns}
    return conform("run", pd.DataFrame(columns))
