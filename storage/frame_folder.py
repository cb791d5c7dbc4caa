"""Bytes of frames in object storage that the processes of a server keep on a local disk."""

from __future__ import annotations

import contextlib
import hashlib
import zlib
from collections.abc import Callable, Collection
from pathlib import Path

from storage.own_files import drop_oldest, mark_used, open_own, replace_file

BUCKETS = 8
"""Folders that share the files; only one of them is listed to find files to delete."""
_HEAD_BYTES = 4
"""Bytes at the beginning of a file: the CRC-32 of its name and the content."""
_DIGITS = 32
_SEPARATOR = "."


class FrameFolder:
    """Bytes of the packs of runs as files; without a path it keeps none.

    `url` is the place of the frames, which may be read with `read` of `get`. Content larger than a
    bucket's part of `limit_bytes` is not kept. A file that cannot be read or written, or is damaged,
    is read from `url` again: a full disk only makes the server slower.
    """

    def __init__(self, path: Path | None, limit_bytes: int, url: str = "") -> None:
        self.path = path
        self._bucket_bytes = limit_bytes // BUCKETS
        self._url = url

    def get(self, prefix: str, part: str, read: Callable[[], bytes]) -> bytes:
        """Return a part of the content below the prefix of a run; `read` reads it from the store.

        `part` names the file and its range. Errors of `read` are raised.
        """
        if self.path is None:
            return read()
        file = self._file(self.path, prefix, part)
        with contextlib.suppress(OSError, ValueError):
            return self._read(file)
        content = read()
        if len(content) + _HEAD_BYTES <= self._bucket_bytes:
            with contextlib.suppress(OSError):
                self._write(file, content)
        return content

    def prefixes(self, bucket: int) -> set[str]:
        """Return the prefixes with files in a bucket, from 0 to BUCKETS - 1; "" for a file of
        another layout.
        """
        return {_prefix_of(name) for name in self._names(bucket)}

    def drop(self, bucket: int, prefixes: Collection[str]) -> None:
        """Delete the files of these prefixes from a bucket."""
        for name in self._names(bucket):
            if self.path is not None and _prefix_of(name) in prefixes:
                with contextlib.suppress(OSError):
                    (self.path / f"{bucket:x}" / name).unlink(missing_ok=True)

    def _file(self, path: Path, prefix: str, part: str) -> Path:
        # Not `hash`, which differs between processes.
        digest = hashlib.sha256(f"{self._url} {prefix} {part}".encode()).hexdigest()
        name = _SEPARATOR.join((*prefix.split("/"), digest[:_DIGITS]))
        return path / f"{int(digest[:4], 16) % BUCKETS:x}" / name

    def _read(self, file: Path) -> bytes:
        with open_own(file, self._bucket_bytes) as stream:
            head = stream.read(_HEAD_BYTES)
            content = stream.read()
            if head != _head(file.name, content):
                raise ValueError("the file is damaged")
            mark_used(stream)
            return content

    def _write(self, file: Path, content: bytes) -> None:
        # The name of the part has the prefix of the run, so that a part that is left is deleted
        # with the run.
        replace_file(file, [_head(file.name, content), content], f"{file.name}{_SEPARATOR}")
        # After each file, because a few large files exceed the limit.
        drop_oldest(file.parent, self._bucket_bytes)

    def _names(self, bucket: int) -> list[str]:
        with contextlib.suppress(OSError):
            if self.path is not None:
                return [file.name for file in (self.path / f"{bucket:x}").iterdir()]
        return []


def _head(name: str, content: bytes) -> bytes:
    # The name as well: the content of another run has a right checksum of its own.
    return zlib.crc32(content, zlib.crc32(name.encode())).to_bytes(_HEAD_BYTES, "little")


def _prefix_of(name: str) -> str:
    parts = name.split(_SEPARATOR)
    return "/".join(parts[:2]) if len(parts) > 2 else ""
