"""Files as their uncompressed bytes: plain or gzip, recognised by content, hashed and guarded while streaming."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from data_loaders.protocol import LoadError

HEAD_BYTES = 64 * 1024
"""Bytes of uncompressed content that a loader may look at when it sniffs."""
MAX_CONTENT_BYTES = 4 * 1024**3
"""Largest uncompressed content that is read unless the caller says otherwise."""
MAX_GZIP_RATIO = 250
"""Most uncompressed bytes per compressed byte; traces stay below 50, a gzip bomb reaches 1000."""
RATIO_FLOOR_BYTES = 64 * 1024**2
"""Content below this size is never called a bomb."""

MOST_EMPTY_MEMBERS = 5000
"""Most gzip members without content; a file of nothing else costs time for each of them and gives none."""

_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 1024 * 1024
_PIECE = 16 * 1024
"""Compressed bytes for zlib at a time: it copies what it leaves of them at the end of every member."""
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


@dataclass(frozen=True)
class Content:
    """What a file holds: sha256 (hex) and size of the uncompressed bytes, and what is wrong with its compression."""

    sha256: str
    size: int
    damage: str | None


class GzipContent(io.RawIOBase):
    """The uncompressed bytes of a gzip file, ending where a cut or damaged file stops making sense.

    `damage` says what was wrong once the end is reached. Raises LoadError for a gzip bomb and for members without end.
    """

    def __init__(self, raw: BinaryIO, name: str) -> None:
        self._raw = raw
        self._name = name
        self._decoder = zlib.decompressobj(_GZIP_WINDOW)
        self._pending = b""
        self._at = 0
        self._compressed = 0
        self._uncompressed = 0
        self._begun_at = 0
        self._empty_members = 0
        self.damage: str | None = None

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._raw.close()
        super().close()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill `buffer` with uncompressed bytes; 0 at the end."""
        while self.damage is None:
            more = self._at < len(self._pending) or self._fetch()
            # zlib may still hold output when its input is used up, so it is asked once more at the end
            data = self._decompress(len(buffer))
            if data:
                buffer[: len(data)] = data
                self._guard(len(data))
                return len(data)
            if not more:
                self._check_end()
                return 0
        return 0

    def _fetch(self) -> bool:
        """Read more compressed bytes; return whether there were any."""
        self._pending, self._at = self._raw.read(_CHUNK), 0
        self._compressed += len(self._pending)
        return bool(self._pending)

    def _check_end(self) -> None:
        if not self._decoder.eof:
            self.damage = f"the gzip data ends early, after {self._uncompressed} bytes of content"

    def _decompress(self, room: int) -> bytes:
        """Return up to `room` uncompressed bytes of what is pending, across gzip members."""
        piece = self._pending[self._at : self._at + _PIECE]
        if self._decoder.eof:
            padded, piece = len(piece), piece.lstrip(b"\0")
            self._at += padded - len(piece)
            if not piece:
                return b""
            self._next_member()
        try:
            data = self._decoder.decompress(piece, room)
        except zlib.error:
            self.damage = f"the gzip data is damaged after {self._uncompressed} bytes of content"
            return b""
        left = self._decoder.unused_data if self._decoder.eof else self._decoder.unconsumed_tail
        self._at += len(piece) - len(left)
        return data

    def _next_member(self) -> None:
        self._empty_members += self._uncompressed == self._begun_at
        if self._empty_members > MOST_EMPTY_MEMBERS:
            raise LoadError(
                f"{self._name}: more than {MOST_EMPTY_MEMBERS} of its gzip members are empty, as in no trace"
            )
        self._decoder, self._begun_at = zlib.decompressobj(_GZIP_WINDOW), self._uncompressed

    def _guard(self, produced: int) -> None:
        self._uncompressed += produced
        if self._uncompressed > max(RATIO_FLOOR_BYTES, MAX_GZIP_RATIO * self._compressed):
            raise LoadError(f"{self._name}: expands to more than {MAX_GZIP_RATIO} times its size, which no trace does")


def is_gzip(path: Path) -> bool:
    """Return whether the file's first bytes are those of gzip, regardless of its name."""
    with path.open("rb") as stream:
        return stream.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC


@contextmanager
def open_content(path: Path) -> Iterator[BinaryIO]:
    """Open the uncompressed content of a plain or gzip file for reading.

    A gzip file that is cut or damaged simply ends there (see `describe`). Raises LoadError where it cannot be opened.
    """
    with _open(path)[0] as stream:
        yield stream


def _open(path: Path) -> tuple[BinaryIO, GzipContent | None]:
    """Return the stream of the content, and its decompressor where there is one."""
    try:
        if not is_gzip(path):
            return path.open("rb"), None
        content = GzipContent(path.open("rb"), str(path))
    except OSError as error:
        raise LoadError(f"{path}: cannot be opened: {error.strerror or error}") from error
    return cast("BinaryIO", io.BufferedReader(content, _CHUNK)), content


def read_head(path: Path, size: int = HEAD_BYTES) -> bytes:
    """Return the first `size` bytes of the uncompressed content."""
    with open_content(path) as stream:
        return stream.read(size)


def describe(path: Path, max_bytes: int = MAX_CONTENT_BYTES) -> Content:
    """Return hash, size and damage of the content, reading it once in constant memory.

    Raises LoadError where it cannot be read or is larger than `max_bytes`.
    """
    digest, size, view = hashlib.sha256(), 0, memoryview(bytearray(_CHUNK))
    stream, decompressor = _open(path)
    with stream:
        while count := _read_into(stream, view, path):
            digest.update(view[:count])
            size += count
            if size > max_bytes:
                raise LoadError(f"{path}: holds more than {max_bytes} bytes, the limit of what is read")
    return Content(digest.hexdigest(), size, decompressor.damage if decompressor else None)


def _read_into(stream: BinaryIO, view: memoryview, path: Path) -> int:
    try:
        return cast("io.BufferedIOBase", stream).readinto(view)
    except OSError as error:
        raise LoadError(f"{path}: cannot be read: {error.strerror or error}") from error


def content_name(path: Path) -> str:
    """Return the file's name without a `.gz`."""
    return path.name.removesuffix(".gz")
