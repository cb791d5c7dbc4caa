"""Access to runs for the dashboard and the command line: catalogue and frame store together."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.extensions import ExtensionArray

from schema.command import COMMAND
from schema.frames import FRAMES
from schema.metrics import METRICS
from schema.run_settings import MAX_ARRAY_TILES
from schema.runs import RUN
from storage.byte_cache import Budget, ByteCache
from storage.catalogue import Catalogue
from storage.engine import CONNECTIONS
from storage.errors import FrameNotFound, RunDamaged, RunNotFound
from storage.frame_bytes import frame_bytes
from storage.frame_file import FrameFile
from storage.frame_folder import FrameFolder
from storage.frame_store import FrameStore, decode_frame
from storage.pending import STALE_AFTER_S, garbage, tidy
from storage.read_once import read_again, read_once
from storage.stored_run import StoredRun

CACHE_BYTES = 512 * 1024**2
_READERS, _LARGE_BYTES = 4, 1024**2
"""Threads that read ahead, each of which takes 70 MiB of a page's address space; and maximum bytes
of a file that is read ahead, and of the head of a pack.

Larger files are not read ahead, because reading them in parallel is not faster.
"""
_ID_DIGITS = 12
"""Length of a run id: a text of this length is first looked up as a row, which a page reads anyway."""
_LOG = logging.getLogger(__name__)


class Repository:
    """Runs and their frames; construction neither connects nor creates anything.

    `cache_bytes` limits the `cache` of this process for frames and for values computed from them.
    `stale_after_s` is the time without a heartbeat after which an ingest of another host counts as
    dead. `max_array_tiles` limits the number of cores in a run's settings, `connections` the
    connections to a database server.
    """

    def __init__(
        self,
        database_url: str,
        frames_url: str,
        cache_bytes: int = CACHE_BYTES,
        *,
        stale_after_s: float = STALE_AFTER_S,
        max_array_tiles: int = MAX_ARRAY_TILES,
        connections: int = CONNECTIONS,
    ) -> None:
        self.catalogue = Catalogue(database_url, connections)
        self.store = FrameStore(frames_url)
        self.stale_after_s = stale_after_s
        self.max_array_tiles = max_array_tiles
        self.cache = Budget(cache_bytes)
        self._frames = ByteCache(self.cache, frame_bytes)
        self._heads: ByteCache[bytes] = ByteCache(self.cache, len)
        self._folder = FrameFolder(None, 0)
        self._arguments = database_url, frames_url, cache_bytes, stale_after_s, max_array_tiles

    def __reduce__(self) -> tuple[Callable[..., Repository], tuple[object, ...]]:
        """Pickle only the arguments of the constructor, without `connections`: another process
        opens the store once, with the default number of connections.
        """
        return _open_repository, self._arguments

    def keep_frames(self, path: Path | None, limit_bytes: int) -> None:
        """Keep bytes of frames of object storage in a local folder, at most `limit_bytes`, which
        other processes may share; without effect if the store is a local folder.
        """
        if self.store.files.remote:
            self._folder = FrameFolder(path, limit_bytes, self.store.url)

    def runs(
        self,
        source: str | None = None,
        hwid: str | None = None,
        M: int | None = None,
        K: int | None = None,
        N: int | None = None,
    ) -> pd.DataFrame:
        """List the runs that match as a frame with a row per run, newest first.

        Its columns are those of frame `run`, every metric (float64, NaN if missing), `errors` and
        `warnings` (int64). An argument that is None accepts any value. No rows if there is no
        catalogue.
        """
        filters = {"source": source, "hwid": hwid, "M": M, "K": K, "N": N}
        return runs_frame([stored.record() for stored in self.catalogue.runs(filters)])

    def count(self) -> int:
        """Count the runs without reading them; 0 if there is no catalogue."""
        return self.catalogue.count()

    def run(self, run_id: str) -> pd.DataFrame:
        """Return frame `run` of a run, a single row.

        Raises RunNotFound if there is no such run, and RunDamaged if its row cannot be used.
        """
        return self.frame(run_id, "run")

    def find_run(self, run_id: str) -> StoredRun:
        """Look up the row of a run; inside of `reading_once` it is read once.

        Raises RunNotFound if there is no such run, and RunDamaged if its row cannot be used.
        """
        stored = self._read_row(run_id)
        if stored is None:
            raise RunNotFound(f"there is no run {run_id!r}")
        if stored.damaged:
            raise RunDamaged(
                f"run {run_id} is damaged in the catalogue; delete it, or ingest its file again"
            )
        return stored

    def exists(self, run_id: str) -> bool:
        """Whether the catalogue has a run of this id, damaged or not."""
        return self.catalogue.get(run_id) is not None

    def resolve(self, prefix: str) -> str:
        """Return the only run id that begins with `prefix`, or `prefix` itself if it is the id of a
        run.

        Raises RunNotFound if there is no such id, if there are several, or if `prefix` is "".
        """
        if len(prefix) == _ID_DIGITS and self._read_row(prefix) is not None:
            return prefix
        key = "ids", self.catalogue.address, prefix
        ids = read_once(key, partial(self.catalogue.ids, prefix)) if prefix else []
        if len(ids) == 1 or prefix in ids:
            return prefix if prefix in ids else ids[0]
        if ids:
            raise RunNotFound(f"{prefix!r} is the beginning of several run ids: {', '.join(ids)}")
        if not self.catalogue.is_created():
            where = f"nothing has been ingested at {self.catalogue.address} yet"
            raise RunNotFound(f"there is no run {prefix!r}: {where}", f"there is no run {prefix!r}")
        raise RunNotFound(f"there is no run {prefix!r}")

    def _read_row(self, run_id: str) -> StoredRun | None:
        """Read the row of a run, damaged or not, for `find_run` and `resolve` of a request once."""
        key = "run", self.catalogue.address, run_id
        return read_once(key, partial(self.catalogue.get, run_id))

    def version(self, run_id: str) -> str:
        """Return the prefix of a run's files, which changes when the stored content of the run
        changes.

        Raises RunNotFound if there is no such run, and RunDamaged if its row cannot be used.
        """
        return self.find_run(run_id).prefix

    def frame_names(self, run_id: str) -> list[str]:
        """List the names of the stored frames of a run that the schema knows, `run` first.

        Raises RunNotFound if there is no such run, and RunDamaged if its row cannot be used.
        """
        return frame_names(self.find_run(run_id))

    def frame(self, run_id: str, name: str) -> pd.DataFrame:
        """Read a stored frame of a run, from the cache if possible.

        The result is a shallow copy: columns may be added to it. Raises RunNotFound if there is no
        such run, FrameNotFound if it has no such frame, and RunDamaged if row or file cannot be
        used.
        """
        return self.frame_of(self.find_run(run_id), name)

    def frame_of(self, stored: StoredRun, name: str) -> pd.DataFrame:
        """Read a frame of a run that was looked up before, as a shallow copy of the cached frame.

        If the run was replaced meanwhile, the frame of the new content is returned. Raises
        FrameNotFound if there is no such frame, or RunDamaged if the file is missing or cannot be
        decoded.
        """
        if name == "run":
            # Another capture of the same content changes frame `run`, but neither prefix nor files.
            frame = self._frames.get(
                (stored.prefix, name, stored.capture_facts), lambda: _run_frame([stored.run])
            )
            return frame.copy(deep=False)
        try:
            return self._read(stored, name)
        except (FileNotFoundError, ValueError):
            before = stored
            read_again()
            stored = self.find_run(stored.run_id)
        # The run was not replaced: either its file is damaged or the whole place is out of reach.
        if stored.prefix == before.prefix:
            self.store.check()
        try:
            return self._read(stored, name)
        except FileNotFoundError as error:
            raise _damaged_error(stored, name, "is missing") from error
        except ValueError as error:
            raise _damaged_error(stored, name, str(error)) from error

    def read_ahead(self, stored: StoredRun, names: Iterable[str]) -> None:
        """Read several frames into the cache, frames of a pack by a single request, separate files in parallel;
        without effect if the store is a local folder.

        Frames of 1 MiB or more (_LARGE_BYTES) are left out, because reading them in parallel is not
        faster. Errors are ignored: they occur again when the frame is requested.
        """
        missing = [
            name
            for name in names
            if name in stored.frames
            and 0 < stored.frame_file(name).size < _LARGE_BYTES
            and self._frames.find((stored.prefix, name)) is None
        ]
        if not self.store.files.remote or len(missing) < 2:
            return
        readers = ThreadPoolExecutor(min(_READERS, len(missing)), "tilescope-read-ahead")
        try:
            wait([readers.submit(self._read, stored, name) for name in missing])
        except (MemoryError, RuntimeError):
            _LOG.debug("threads cannot be started: frames are read one by one")
        finally:
            readers.shutdown(wait=False, cancel_futures=True)

    def is_whole(self, stored: StoredRun) -> bool:
        """Whether the files of all frames of a run match their checksums; False if a file is
        missing.
        """
        return all(self.store.is_whole(stored.frame_file(name)) for name in stored.frames)

    def check(self) -> int:
        """Check catalogue and frames and return the number of runs.

        Raises StorageError if the catalogue does not exist or is damaged, or if the place of the
        frames cannot be read. When there are no runs, the place is not checked.
        """
        count = self.catalogue.check()
        # A local folder is created with its first file, so that an empty store may have none.
        if count:
            self.store.check()
        return count

    def check_reach(self) -> None:
        """Raise StorageError if the catalogue or the place of the frames cannot be reached.

        A local folder is checked only if there are runs; a catalogue that does not exist yet is no
        error.
        """
        if self.catalogue.count() or self.store.files.remote:
            self.store.check()

    def delete(self, run_id: str) -> None:
        """Delete a run, damaged or not, and its frames.

        Raises RunNotFound if there is no such run, and RunPinned if it is pinned.
        """
        stored = self.catalogue.get(run_id)
        if stored is None:
            raise RunNotFound(f"there is no run {run_id!r}")
        if self.catalogue.delete(stored, garbage(stored.prefix)):
            tidy(self.catalogue, self.store, stored.prefix)

    def _read(self, stored: StoredRun, name: str) -> pd.DataFrame:
        if name not in stored.frames or name not in FRAMES:
            names = ", ".join(["run", *stored.frames])
            raise FrameNotFound(f"run {stored.run_id} has no stored frame {name!r}; it has {names}")
        frame = self._frames.get((stored.prefix, name), partial(self._read_file, stored, name))
        return frame.copy(deep=False)  # a caller may add columns without changing the cached frame

    def _read_file(self, stored: StoredRun, name: str) -> pd.DataFrame:
        """Read a frame of a run; from object storage, the small frames of a pack come with the first
        of them, because a request takes longer than their bytes.
        """
        file = stored.frame_file(name)
        if not self.store.files.remote or file.checksum is None:
            return self.store.read(file)
        try:
            return decode_frame(file, self._fetch(stored, file))
        except ValueError:
            # The bytes in memory may be damaged, and not the bytes in the store.
            return self.store.read(file)

    def _fetch(self, stored: StoredRun, file: FrameFile) -> bytes:
        """Return the content of a frame of object storage from memory, the local folder or the
        store. Raises as `FrameStore.read_content` does.
        """
        end = stored.head_bytes(_LARGE_BYTES)
        if not file.is_packed or file.start + file.size > end:
            part = f"{file.path} {file.start} {file.size}"
            return self._folder.get(stored.prefix, part, partial(self.store.read_content, file))
        read_head = partial(self.store.read_head, stored.prefix, end)
        head = self._heads.get(
            stored.prefix,
            partial(self._folder.get, stored.prefix, f"{file.path} 0 {end}", read_head),
        )
        return head[file.start : file.start + file.size]


@lru_cache(maxsize=4)
def _open_repository(
    database_url: str, frames_url: str, cache_bytes: int, stale_after_s: float, max_array_tiles: int
) -> Repository:
    """Open the store once per process and return the same object for equal arguments, as a worker
    receives it with every task.
    """
    return Repository(
        database_url,
        frames_url,
        cache_bytes,
        stale_after_s=stale_after_s,
        max_array_tiles=max_array_tiles,
    )


def frame_names(stored: StoredRun) -> list[str]:
    """List the names of the stored frames of a run that the schema knows, `run` first."""
    return ["run", *(name for name in stored.frames if name in FRAMES)]


def _damaged_error(stored: StoredRun, name: str, what: str) -> RunDamaged:
    again = f"ingest its file again: {COMMAND} ingest {stored.run['file']}"
    return RunDamaged(f"frame {name} of run {stored.run_id} {what}; {again}")


def runs_frame(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Convert records of runs (see `StoredRun.record`) to a frame with a row per record, in their
    order.

    Its columns are those of frame `run`, every metric (float64, NaN if missing), `errors` and
    `warnings` (int64).
    """
    frame = _run_frame(records)
    for name in METRICS:
        frame[name] = pd.array([record.get(name) for record in records], dtype="Float64").to_numpy(
            "float64", na_value=float("nan")
        )
    for name in ("errors", "warnings"):
        frame[name] = pd.Series([record[name] for record in records], dtype="int64")
    return frame


_RUN_NAMES: dict[str, list[str]] = {
    dtype: [column.name for column in RUN.columns if column.dtype == dtype]
    for dtype in dict.fromkeys(column.dtype for column in RUN.columns)
}
"""Dtype -> columns of frame `run` that have it."""


def _run_frame(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Build frame `run` with a row per record, in their order; columns that a record lacks are
    null.
    """
    # An array per dtype and its slices: for one row, an array per column takes ten times as long.
    count = len(records)
    columns: dict[str, ExtensionArray] = {}
    for dtype, names in _RUN_NAMES.items():
        values = pd.array([r.get(name) for name in names for r in records], dtype=dtype)
        columns |= {name: values[at * count : (at + 1) * count] for at, name in enumerate(names)}
    in_order = {name: columns[name] for name in RUN.names}
    return pd.DataFrame(in_order, index=pd.RangeIndex(count))
