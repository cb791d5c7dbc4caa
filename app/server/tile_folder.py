"""Tiles of timelines as files that the processes of a server share, bounded in bytes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from app.config.settings import Settings

_BUCKETS = 16
"""Folders that share the files; only one of them is listed to find files to delete."""
_WRITES = 16
"""Number of writes of a process after which it checks the size of a bucket."""


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

    def read(self, key: str) -> bytes | None:
        """Return the tile with this key, None if it is not kept."""
        if self.path is None:
            return None
        file = self._file(self.path, key)
        with contextlib.suppress(OSError):
            content = file.read_bytes()
            # The time of the last use decides which tiles are deleted first.
            os.utime(file)
            return content
        return None

    def write(self, key: str, content: bytes) -> None:
        """Keep a tile; delete the least recently used tiles if there are too many bytes."""
        if self.path is None:
            return
        file = self._file(self.path, key)
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            _replace(file, content)
            # A process that writes a single tile checks too, so that the limit holds for many.
            if self._written % _WRITES == 0:
                self._tidy(file.parent)
            self._written += 1

    def _file(self, path: Path, key: str) -> Path:
        digest = hashlib.sha256(key.encode()).hexdigest()
        return path / f"{int(digest[:2], 16) % _BUCKETS:x}" / digest

    def _tidy(self, bucket: Path) -> None:
        files = [(file.stat(), file) for file in bucket.iterdir()]
        total = sum(stat.st_size for stat, _ in files)
        for stat, file in sorted(files, key=lambda pair: pair[0].st_mtime):
            if total <= self.limit_bytes // _BUCKETS:
                break
            total -= stat.st_size
            file.unlink(missing_ok=True)


def _replace(file: Path, content: bytes) -> None:
    """Write a file as a whole: another process may read it at the same time."""
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part:
        try:
            part.write(content)
            part.flush()
        except OSError:
            Path(part.name).unlink()  # an incomplete file would keep the disk full
            raise
    Path(part.name).replace(file)
