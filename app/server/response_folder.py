"""A folder of cached responses that the processes of a server share, bounded in bytes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.config.settings import Settings
from app.server.cached_response import CACHEABLE, CachedResponse
from app.server.code_version import code_version
from services.run.tile_version import version_of_prefix
from storage.file_lock import hold_lock
from storage.own_files import drop_oldest, mark_used, open_own, replace_file

BUCKETS = 16
"""Folders that share the files; only one of them is listed to find files to delete."""
_WRITES = 16
"""Number of writes of a process after which it checks the size of a bucket."""
_MAX_BYTES = 2**24
"""Maximum bytes of a response that is stored or read."""
_MAX_HEAD_BYTES = 2**16
"""Maximum bytes of the first line of a file."""

_LOCK_FOLDER = "locks"
_LOCKS = 4096
"""Files that are locked while responses are made: few of the requests that wait share a lock."""
_MAX_WAIT_S = 30.0
"""Seconds after which a request no longer waits for another process that makes its response: longer
than that process waits for its turn by default (setting `wait_seconds`).
"""
_MAX_WAITING = 32
"""Maximum number of threads of a process that hold such a lock or wait for one.

Otherwise the requests of one user for one view state could take all threads for slow requests,
because the render pool refuses a user's requests only when they reach it.
"""
_WAITING = threading.BoundedSemaphore(_MAX_WAITING)

Versions = frozenset[tuple[str, str]]
"""Ids of runs, each with the version of its content."""


@dataclass(frozen=True)
class ResponseKey:
    """Key of a response: `digest` hashes everything that determines it, `runs` are the runs that it
    shows with their versions.
    """

    digest: str
    runs: Versions

    @classmethod
    def of(cls, digest: str, prefixes: Mapping[str, str]) -> ResponseKey:
        """Create the key of a response that shows runs, run id -> prefix of its files."""
        return cls(digest, current_versions(prefixes))


def current_versions(prefixes: Mapping[str, str]) -> Versions:
    """Return the versions of runs, run id -> prefix of its files: they change with the stored
    content and with the analysis.
    """
    return frozenset((run_id, version_of_prefix(prefix)) for run_id, prefix in prefixes.items())


@dataclass
class ResponseFolder:
    """Cached responses as files by key; without a path it caches nothing.

    A file that cannot be read or written, or has other content than was written, is computed again:
    if the folder fails, the server only gets slower.
    """

    path: Path | None
    limit_bytes: int
    _written: int = 0

    @classmethod
    def of(cls, settings: Settings) -> ResponseFolder:
        """Create the folder `pages` in the first local folder of the settings, limited by setting
        `pages_mb`; 0 stores no responses.
        """
        folders = settings.lab_folders if settings.pages_mb else []
        return cls(folders[0] / "pages" if folders else None, settings.pages_mb * 2**20)

    def get(self, key: ResponseKey, make: Callable[[], CachedResponse]) -> CachedResponse:
        """Return the response for a key; if the folder does not have it, make it, and store it if
        it may be cached.
        """
        stored = self.read(key)
        if stored is not None:
            return stored
        with self.making(key):
            # Another process may have made it meanwhile.
            response = self.read(key)
            if response is None:
                response = make()
                self.write(key, response)
        return response

    def read(self, key: ResponseKey) -> CachedResponse | None:
        """Return the stored response for a key, None if there is none."""
        if self.path is not None:
            with contextlib.suppress(OSError, ValueError):
                return _read(self._file(self.path, key), key)
        return None

    def write(self, key: ResponseKey, response: CachedResponse) -> None:
        """Store a response in place of the one that the key has, if it may be cached."""
        if self.path is None or not response.is_cacheable or len(response.body) > _MAX_BYTES:
            return
        with contextlib.suppress(OSError):
            self._write(self._file(self.path, key), key, response)

    @contextlib.contextmanager
    def making(self, key: ResponseKey, max_wait_s: float = _MAX_WAIT_S) -> Iterator[bool]:
        """Context in which no other process or thread makes the response for a key; its value is
        whether that is so.

        Whoever has waited for `max_wait_s` (30 s), or finds _MAX_WAITING (32) threads before it,
        makes it too. Without a folder nothing is locked.
        """
        is_alone = False
        with contextlib.ExitStack() as stack:
            if self.path is not None and _WAITING.acquire(blocking=False):
                stack.callback(_WAITING.release)
                lock = hold_lock(self.path / _LOCK_FOLDER, key.digest, _LOCKS, max_wait_s)
                with contextlib.suppress(OSError):
                    is_alone = stack.enter_context(lock)
            yield is_alone

    def drop_outdated(
        self, bucket: int, find_current: Callable[[Collection[str]], Versions]
    ) -> None:
        """Delete the responses of a bucket, from 0 to BUCKETS - 1, that show another version of a
        run than `find_current` returns for its id, and files of another layout.
        """
        if self.path is None:
            return
        with contextlib.suppress(OSError):
            files = {file: _shown_runs(file) for file in (self.path / f"{bucket:x}").iterdir()}
            ids = {run_id for runs in files.values() for run_id, _ in runs or ()}
            current = find_current(ids) if ids else frozenset()
            _remove(file for file, runs in files.items() if runs is None or not runs <= current)

    def _file(self, path: Path, key: ResponseKey) -> Path:
        # A release or plugin must not get responses that another version has rendered.
        name = hashlib.sha256(f"{code_version()} {key.digest}".encode()).hexdigest()
        return path / f"{int(name[:2], 16) % BUCKETS:x}" / name

    def _write(self, file: Path, key: ResponseKey, response: CachedResponse) -> None:
        replace_file(file, [_head(file.name, key.runs, response), b"\n", response.body])
        # A process that writes a single response checks too, so that the limit holds for many.
        if self._written % _WRITES == 0:
            drop_oldest(file.parent, self.limit_bytes // BUCKETS)
        self._written += 1


def _head(name: str, runs: Versions, response: CachedResponse) -> bytes:
    """Build the first line of a file: the runs that it shows, its status, and a hash of all."""
    shown = sorted(runs)
    digest = hashlib.sha256(json.dumps([name, shown, response.status]).encode())
    digest.update(response.body)
    head = {"runs": shown, "status": response.status, "sha256": digest.hexdigest()}
    return json.dumps(head).encode()


def _read(file: Path, key: ResponseKey) -> CachedResponse:
    """Read a response; raises OSError if there is none, ValueError if the file is not the one that
    a process of this user has written for this key.
    """
    with open_own(file, _MAX_BYTES + _MAX_HEAD_BYTES) as stream:
        head, _, body = stream.read().partition(b"\n")
        # The line is compared and not parsed: it may be anything.
        found = (CachedResponse(body, code) for code in CACHEABLE)
        response = next((one for one in found if head == _head(file.name, key.runs, one)), None)
        if response is None:
            raise ValueError("the file has other content than was written")
        mark_used(stream)
        return response


def _shown_runs(file: Path) -> Versions | None:
    """Read which runs a file shows; None if its first line has another layout."""
    try:
        with open_own(file, _MAX_BYTES + _MAX_HEAD_BYTES) as stream:
            runs = json.loads(stream.readline(_MAX_HEAD_BYTES))["runs"]
        return frozenset((str(run_id), str(version)) for run_id, version in runs)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
