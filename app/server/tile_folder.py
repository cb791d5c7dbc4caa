"""Tiles of timelines as files that the processes of a server share, bounded in bytes."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.config.settings import Settings
from storage.file_lock import hold_lock
from storage.own_files import drop_oldest, mark_used, open_own, replace_file

BUCKETS = 16
"""Folders that share the files; only one of them is listed to find files to delete."""
_WRITES = 16
"""Number of writes of a process after which it checks the size of a bucket."""
_MAX_BYTES = 2**20
"""Maximum bytes of a tile that is read."""
_LOCKS = 256
"""Files that are locked while tiles are made: few blocks of different runs share a lock."""
_LOCK_FOLDER = "locks"
_DIGITS = 32
_SEPARATOR = "."


@dataclass(frozen=True)
class TileKey:
    """A tile of a run: `version` changes with the content of the run and the format of tiles,
    `tile` differs for each tile of a version, and `block` for tiles that are made separately.
    """

    run_id: str
    version: str
    tile: str
    block: str = ""

    @property
    def name(self) -> str:
        """Name of the file: the run and its version can be read from it."""
        digest = hashlib.sha256(self.tile.encode()).hexdigest()[:_DIGITS]
        return _SEPARATOR.join((self.run_id, self.version, digest))


@dataclass
class TileFolder:
    """Compressed tiles by key; without a path it keeps none.

    If a file cannot be read or written, the tile is made again: a full disk only makes the server
    slower.
    """

    path: Path | None
    limit_bytes: int
    _written: int = 0

    @classmethod
    def of(cls, settings: Settings) -> TileFolder:
        """Create the folder `tiles` in the first local folder of the settings, limited by setting
        `tiles_mb`; 0 keeps no tiles.
        """
        folders = settings.lab_folders if settings.tiles_mb else []
        path = folders[0] / "tiles" if folders else None
        return cls(path, settings.tiles_mb * 2**20)

    def read(self, key: TileKey) -> bytes | None:
        """Return the tile with this key, None if it is not kept."""
        if self.path is None:
            return None
        with (
            contextlib.suppress(OSError, ValueError),
            open_own(_file(self.path, key), _MAX_BYTES) as stream,
        ):
            content = stream.read()
            mark_used(stream)
            return content
        return None

    def write(self, key: TileKey, content: bytes) -> None:
        """Keep a tile; delete the least recently used tiles if there are too many bytes."""
        if self.path is None:
            return
        file = _file(self.path, key)
        with contextlib.suppress(OSError):
            # The name of the part begins as that of the tile, so that a part that is left is
            # deleted with the run.
            replace_file(file, [content], f"{file.name}{_SEPARATOR}")
            # A process that writes a single tile checks too, so that the limit holds for many.
            if self._written % _WRITES == 0:
                drop_oldest(file.parent, self.limit_bytes // BUCKETS)
            self._written += 1

    @contextlib.contextmanager
    def making(self, key: TileKey) -> Iterator[None]:
        """Context in which no other process or thread makes the tiles of the key's block.

        The system releases the lock of a process that ends. Without a folder nothing is locked.
        """
        with contextlib.ExitStack() as stack:
            if self.path is not None:
                with contextlib.suppress(OSError):
                    block = f"{key.run_id} {key.version} {key.block}"
                    stack.enter_context(hold_lock(self.path / _LOCK_FOLDER, block, _LOCKS))
            yield

    def versions(self, bucket: int) -> set[tuple[str, str]]:
        """Read run and version of the tiles that a bucket has, from 0 to BUCKETS - 1; a file of
        another layout has two empty texts.
        """
        return {_version(name) for name in self._names(bucket)}

    def drop(self, bucket: int, versions: Collection[tuple[str, str]]) -> None:
        """Delete the tiles of these runs and versions from a bucket."""
        for name in self._names(bucket):
            if self.path is not None and _version(name) in versions:
                with contextlib.suppress(OSError):
                    (_bucket(self.path, bucket) / name).unlink(missing_ok=True)

    def _names(self, bucket: int) -> list[str]:
        with contextlib.suppress(OSError):
            if self.path is not None:
                return [file.name for file in _bucket(self.path, bucket).iterdir()]
        return []


def _bucket(path: Path, number: int) -> Path:
    return path / f"{number:x}"


def _file(path: Path, key: TileKey) -> Path:
    return _bucket(path, _hash(key.name) % BUCKETS) / key.name


def _hash(text: str) -> int:
    # Not `hash`, which differs between processes.
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])


def _version(name: str) -> tuple[str, str]:
    """Return run and version of a file, two empty texts if its name has another layout."""
    run_id, *rest = name.split(_SEPARATOR)
    return (run_id, rest[0]) if len(rest) > 1 else ("", "")
